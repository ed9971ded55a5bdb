//===- FixSizesTest.cpp - kernels for given sizes -------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/FixSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::tssa;

namespace {

class FixSizes : public testing::Test {
protected:
  FixSizes() { context.loadDialect<arith::ArithDialect, func::FuncDialect, te::TEDialect>(); }

  te::KernelOp parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    return module ? *module->getOps<te::KernelOp>().begin() : te::KernelOp();
  }

  /// Returns the text of the kernel with these sizes, or nothing if there is none.
  std::string fix(te::KernelOp kernel, ArrayRef<int64_t> sizes) {
    OwningOpRef<te::KernelOp> fixed = te::fixSizes(kernel, sizes);
    if (!fixed)
      return {};
    EXPECT_TRUE(succeeded(verify(*fixed)));
    std::string text;
    llvm::raw_string_ostream stream(text);
    fixed->print(stream, OpPrintingFlags().useLocalScope());
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

/// The columns of a window that may lie outside of %x, and an index %i that is no size.
constexpr StringLiteral window = R"(
te.kernel @k(%x: tensor<?x?xf32> {te.sizes = array<i64: 2, 3>}, %i: index, %n: index, %m: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %s = te.compute @s (d0: %n) reduce (d1: 4) init (0.0 : f32) {
    %a = te.read %x[d0, d1 + s1 - s0](%m, %i) : tensor<?x?xf32> where (d1 - s0 + s1 >= 0, -d1 + s0 - s1 - 1 >= 0) else 0.0
    te.yield %a : f32
  } combine arith.addf : tensor<?xf32>
  %y = te.compute @y (d0: %m) {
    %a = te.read %x[0, d0] : tensor<?x?xf32>
    %b = te.read %s[0] : tensor<?xf32>
    %c = arith.addf %a, %b : f32
    te.yield %c : f32
  } : tensor<?xf32>
  te.return %s, %y : tensor<?xf32>, tensor<?xf32>
} schedule {
}
)";

} // namespace

TEST_F(FixSizes, ParametersThatAreSizes) {
  te::KernelOp kernel = parse(window);
  ASSERT_TRUE(kernel);
  EXPECT_EQ(te::getSizeParameters(kernel), (SmallVector<unsigned>{2, 3}));
}

TEST_F(FixSizes, TypesDomainsAndMapsGetNumbers) {
  te::KernelOp kernel = parse(window);
  ASSERT_TRUE(kernel);
  std::string text = fix(kernel, {5, 16});
  StringRef fixed = text;
  EXPECT_TRUE(
      fixed.contains("%arg0: tensor<5x16xf32>, %arg1: index) -> (tensor<5xf32>, tensor<16xf32>)"));
  EXPECT_TRUE(fixed.contains("te.compute @s (d0: 5) reduce (d1: 4)"));
  EXPECT_TRUE(fixed.contains("te.compute @y (d0: 16)"));
  EXPECT_TRUE(fixed.contains("[d0, d1 + s0 - 16](%arg1)")) << text;
  EXPECT_FALSE(fixed.contains("te.sizes"));
  EXPECT_FALSE(fixed.contains("?"));
  EXPECT_FALSE(fixed.contains("arith.constant"));
  EXPECT_FALSE(fixed.contains("schedule"));
}

TEST_F(FixSizes, WhatComputesSizesOrUpdatesIsLeft) {
  EXPECT_EQ(fix(parse(R"(
te.kernel @k(%x: tensor<?xf32> {te.sizes = array<i64: 1>}, %n: index) -> tensor<?xf32> {
  %y = te.scan @y %x axis 0 init 0.0 : f32 combine arith.addf : tensor<?xf32>
  te.return %y : tensor<?xf32>
})"),
                {4}),
            "");
}

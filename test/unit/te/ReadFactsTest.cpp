//===- ReadFactsTest.cpp - facts of what a body reads and computes -------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/ReadFacts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::tssa;

namespace {

class ReadFacts : public testing::Test {
protected:
  ReadFacts() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect,
                        tensor::TensorDialect, te::TEDialect>();
  }

  /// Parses an expression on %a: tensor<4x1x6xf32>, %n: tensor<?x?xf32> with the sizes %m and %k,
  /// and %i: tensor<4x6xi32>.
  te::ComputeOp parse(StringRef expression) {
    std::string text = ("func.func @f(%a: tensor<4x1x6xf32>, %n: tensor<?x?xf32>, %i: "
                        "tensor<4x6xi32>) {\n"
                        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
                        "%m = tensor.dim %n, %c0 : tensor<?x?xf32>\n"
                        "%k = tensor.dim %n, %c1 : tensor<?x?xf32>\n" +
                        expression + "\nreturn }")
                           .str();
    module = parseSourceString<ModuleOp>(text, &context);
    te::ComputeOp found;
    module->walk([&](te::ComputeOp compute) { found = compute; });
    return found;
  }

  te::ReadOp parseRead(StringRef dims, StringRef indexes, StringRef result = "tensor<4x1x6xf32>") {
    te::ComputeOp compute = parse(("%y = te.compute " + dims + " {\n%v = te.read " + indexes +
                                   "\nte.yield %v : f32 } : " + result)
                                      .str());
    return *compute.getPieceBlock()->getOps<te::ReadOp>().begin();
  }

  bool readsOwnPoint(StringRef indexes) {
    return te::readsOwnPoint(parseRead("(d0: 4, d1: 1, d2: 6)", indexes));
  }

  bool isInside(StringRef dims, StringRef indexes, StringRef result = "tensor<4x1x6xf32>") {
    return te::isInside(parseRead(dims, indexes, result));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(ReadFacts, OwnPoint) {
  EXPECT_TRUE(readsOwnPoint("%a[d0, d1, d2] : tensor<4x1x6xf32>"));
  EXPECT_TRUE(readsOwnPoint("%a[d0, 0, d2] : tensor<4x1x6xf32>")); // d1 is always 0
  EXPECT_TRUE(readsOwnPoint("%n[d0, d1] : tensor<?x?xf32>"));      // a row of the point
  EXPECT_FALSE(readsOwnPoint("%a[0, d1, d2] : tensor<4x1x6xf32>"));
  EXPECT_FALSE(readsOwnPoint("%a[d0, d1, -d2 + 5] : tensor<4x1x6xf32>"));
  EXPECT_FALSE(readsOwnPoint("%n[d1, d0] : tensor<?x?xf32>"));
  EXPECT_FALSE(readsOwnPoint("%a[d0, d1, d2] : tensor<4x1x6xf32> where (d2 - 1 >= 0) else 0.0"));
  EXPECT_FALSE(readsOwnPoint("%a[d0, s0, d2](%c0) : tensor<4x1x6xf32>"));
}

TEST_F(ReadFacts, ReductionDimsAreNoDimsOfThePoint) {
  te::ComputeOp compute = parse("%y = te.compute (d0: 4) reduce (d1: 1) init (0.0 : f32) {\n"
                                "%v = te.read %n[d0, d1] : tensor<?x?xf32>\n"
                                "te.yield %v : f32 } combine arith.addf : tensor<4xf32>");
  EXPECT_FALSE(te::readsOwnPoint(*compute.getPieceBlock()->getOps<te::ReadOp>().begin()));
}

TEST_F(ReadFacts, Inside) {
  StringRef fixed = "(d0: 4, d1: 1, d2: 6)";
  EXPECT_TRUE(isInside(fixed, "%a[d0, 0, d2] : tensor<4x1x6xf32>"));
  EXPECT_TRUE(isInside(fixed, "%a[d1, d1, d0] : tensor<4x1x6xf32>")); // of smaller extents
  EXPECT_TRUE(isInside(fixed, "%a[3, 0, 5] : tensor<4x1x6xf32>"));
  EXPECT_FALSE(isInside(fixed, "%a[d2, 0, 0] : tensor<4x1x6xf32>"));
  EXPECT_FALSE(isInside(fixed, "%a[d0, 0, -d2 + 5] : tensor<4x1x6xf32>")); // not so simple
  EXPECT_FALSE(isInside(fixed, "%n[d0, 0] : tensor<?x?xf32>"));
  EXPECT_FALSE(isInside(fixed, "%a[d0, s0, d2](%c0) : tensor<4x1x6xf32>"));
  StringRef open = "(d0: %m, d1: %k)", result = "tensor<?x?xf32>";
  EXPECT_TRUE(isInside(open, "%n[d0, d1] : tensor<?x?xf32>", result));
  EXPECT_FALSE(isInside(open, "%n[d1, d0] : tensor<?x?xf32>", result));
  EXPECT_FALSE(isInside(open, "%a[d0, 0, 0] : tensor<4x1x6xf32>", result));
}

TEST_F(ReadFacts, Finite) {
  module = parseSourceString<ModuleOp>(
      "te.kernel @k(%x: tensor<4xf32>, %w: tensor<4xf32> {te.finite}) -> tensor<4xf32> {\n"
      "%y = te.compute @y (d0: 4) {\n%a = te.read %x[d0] : tensor<4xf32>\n"
      "%b = te.read %w[d0] : tensor<4xf32>\n"
      "%c = te.read %w[d0] : tensor<4xf32> where (d0 - 1 >= 0) else 0.0\n"
      "%d = arith.mulf %a, %b : f32\n%e = arith.mulf %d, %c : f32\nte.yield %e : f32\n"
      "} : tensor<4xf32>\nte.return %y : tensor<4xf32>\n}",
      &context);
  SmallVector<bool> found;
  module->walk([&](te::ReadOp read) { found.push_back(te::isFinite(read)); });
  EXPECT_EQ(found, (SmallVector<bool>{false, true, false}));
}

TEST_F(ReadFacts, PositiveZero) {
  Builder builder(&context);
  EXPECT_TRUE(te::isPositiveZero(builder.getF32FloatAttr(0)));
  EXPECT_TRUE(te::isPositiveZero(builder.getI32IntegerAttr(0)));
  EXPECT_TRUE(te::isPositiveZero(builder.getBoolAttr(false)));
  EXPECT_FALSE(te::isPositiveZero(builder.getF32FloatAttr(-0.0F)));
  EXPECT_FALSE(te::isPositiveZero(builder.getI32IntegerAttr(1)));
  EXPECT_FALSE(te::isPositiveZero(builder.getUnitAttr()));
  EXPECT_FALSE(te::isPositiveZero(nullptr));
}

TEST_F(ReadFacts, Unsafe) {
  auto findUnsafe = [&](StringRef operations) {
    Operation *op = te::findUnsafe(parse(("%y = te.compute (d0: 4, d1: 6) {\n"
                                          "%v = te.read %i[d0, d1] : tensor<4x6xi32>\n"
                                          "%c = arith.constant 3 : i32\n" +
                                          operations + "\nte.yield %r : i32 } : tensor<4x6xi32>")
                                             .str()));
    return op ? op->getName().getStringRef().str() : "";
  };
  EXPECT_EQ(findUnsafe("%r = arith.muli %v, %v : i32"), "");
  EXPECT_EQ(findUnsafe("%r = arith.remsi %v, %c : i32"), "");
  EXPECT_EQ(findUnsafe("%r = arith.remsi %c, %v : i32"), "arith.remsi");
  EXPECT_EQ(findUnsafe("%r = arith.divui %c, %v : i32"), "arith.divui");
}

} // namespace

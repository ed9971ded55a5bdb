//===- OpCostTest.cpp - each row of the table of costs -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/OpCost.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::tssa;

namespace {

/// Parses operations on %x and %y, and gives the last one.
class OpCosts : public testing::Test {
protected:
  OpCosts() { context.loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect>(); }

  Operation &parse(StringRef operations, StringRef type) {
    std::string text =
        ("func.func @f(%x: " + type + ", %y: " + type + ") {\n" + operations + "\nreturn }").str();
    for (size_t at; (at = text.find('T')) != std::string::npos;)
      text.replace(at, 1, type);
    module = parseSourceString<ModuleOp>(text, &context);
    Block &block = (*module->getOps<func::FuncOp>().begin()).getBody().front();
    return *block.getTerminator()->getPrevNode();
  }

  void expect(StringRef operations, StringRef type, te::OpCost cost) {
    te::OpCost found = te::getOpCost(parse(operations, type));
    EXPECT_EQ(found.flops, cost.flops) << operations.str();
    EXPECT_EQ(found.functions, cost.functions) << operations.str();
    EXPECT_EQ(found.vector, cost.vector) << operations.str();
    EXPECT_EQ(found.scalar, cost.scalar) << operations.str();
    EXPECT_EQ(found.code, cost.code) << operations.str();
  }

  void expectUnary(StringRef name, te::OpCost narrow, te::OpCost wide) {
    expect(("%r = " + name + " %x : T").str(), "f32", narrow);
    expect(("%r = " + name + " %x : T").str(), "bf16", narrow);
    expect(("%r = " + name + " %x : T").str(), "f64", wide);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

constexpr te::OpCost simple{0, 0, 1, 1, 1}, arithmetic{1, 0, 1, 1, 1};

TEST_F(OpCosts, SimpleOperationsOnFloats) {
  for (StringRef name : {"arith.addf", "arith.subf", "arith.mulf", "arith.maximumf",
                         "arith.minimumf", "arith.maxnumf", "arith.minnumf", "math.copysign"})
    expect(("%r = " + name + " %x, %y : T").str(), "f32", arithmetic);
  expectUnary("arith.negf", arithmetic, arithmetic);
  expectUnary("math.absf", arithmetic, arithmetic);
  expect("%r = math.fma %x, %y, %x : T", "f32", {2, 0, 1, 1, 1});
  expect("%r = arith.cmpf olt, %x, %y : T", "f32", simple);
  expect("%r = arith.extf %x : T to f64", "f32", simple);
  expect("%r = math.isnan %x : T", "f32", simple);
}

TEST_F(OpCosts, IntegersAndIndices) {
  expect("%r = arith.muli %x, %y : T", "i64", simple);
  expect("%r = math.absi %x : T", "i32", simple);
  expect("%r = arith.index_cast %x : T to index", "i64", {});
  expect("%r = arith.constant 1 : T", "i64", {});
  for (StringRef name : {"arith.divsi", "arith.divui", "arith.remsi", "arith.remui",
                         "arith.floordivsi", "arith.ceildivsi", "arith.ceildivui"}) {
    expect(("%r = " + name + " %x, %y : T").str(), "i32", {0, 0, 160, 12, 32});
    expect(("%r = " + name + " %x, %y : T").str(), "i64", {0, 0, 96, 16, 32});
    expect(("%c = arith.constant 3 : T\n%r = " + name + " %x, %c : T").str(), "i32",
           {0, 0, 6, 4, 6});
  }
}

TEST_F(OpCosts, Roundings) {
  for (StringRef name : {"math.floor", "math.ceil", "math.trunc", "math.roundeven"})
    expectUnary(name, {1, 0, 2, 2, 1}, {1, 0, 2, 2, 1});
  expectUnary("math.round", {1, 0, 5, 5, 4}, {1, 0, 5, 5, 4});
}

TEST_F(OpCosts, Divisions) {
  expect("%r = arith.divf %x, %y : T", "f32", {1, 0, 16, 8, 1});
  expect("%r = arith.divf %x, %y : T", "f64", {1, 0, 32, 8, 1});
  expect("%c = arith.constant 3.0 : T\n%r = arith.divf %x, %c : T", "f32", {1, 0, 16, 8, 1});
  expect("%c = arith.constant 4.0 : T\n%r = arith.divf %x, %c : T", "f32", arithmetic);
  expect("%r = arith.remf %x, %y : T", "f32", {1, 0, 64, 40, 32});
}

TEST_F(OpCosts, Functions) {
  expectUnary("math.sqrt", {1, 1, 20, 10, 1}, {1, 1, 48, 16, 1});
  expectUnary("math.rsqrt", {1, 1, 36, 18, 2}, {1, 1, 80, 24, 2});
  expectUnary("math.exp", {1, 1, 16, 16, 16}, {1, 1, 360, 360, 100});
  expectUnary("math.expm1", {1, 1, 24, 24, 16}, {1, 1, 360, 360, 100});
  expectUnary("math.log", {1, 1, 40, 40, 16}, {1, 1, 360, 360, 100});
  expectUnary("math.log1p", {1, 1, 60, 60, 16}, {1, 1, 360, 360, 100});
  expectUnary("math.sin", {1, 1, 34, 34, 16}, {1, 1, 360, 360, 100});
  expectUnary("math.cos", {1, 1, 34, 34, 16}, {1, 1, 360, 360, 100});
  expectUnary("math.tanh", {1, 1, 28, 28, 16}, {1, 1, 560, 560, 100});
  expectUnary("math.erf", {1, 1, 36, 36, 16}, {1, 1, 360, 360, 100});
  expectUnary("math.tan", {1, 1, 800, 40, 100}, {1, 1, 400, 40, 100});
}

TEST_F(OpCosts, WhatMayTrap) {
  auto mayTrap = [&](StringRef operations) { return te::mayTrap(parse(operations, "i32")); };
  EXPECT_TRUE(mayTrap("%r = arith.divsi %x, %y : T"));
  EXPECT_TRUE(mayTrap("%r = arith.remui %x, %y : T"));
  EXPECT_FALSE(mayTrap("%c = arith.constant 3 : T\n%r = arith.divsi %x, %c : T"));
  EXPECT_TRUE(mayTrap("%c = arith.constant -1 : T\n%r = arith.divsi %x, %c : T"));
  EXPECT_TRUE(mayTrap("%c = arith.constant 0 : T\n%r = arith.remsi %x, %c : T"));
  EXPECT_FALSE(mayTrap("%r = arith.addi %x, %y : T"));
}

} // namespace

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
    std::string text = ("func.func @f(%x: " + type + ", %y: " + type + ", %n: i32) {\n" +
                        operations + "\nreturn }")
                           .str();
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
  expect("%r = arith.remf %x, %y : T", "f32", {1, 0, 26, 20, 16});
  expect("%r = arith.remf %x, %y : T", "f64", {1, 0, 40, 20, 16});
}

TEST_F(OpCosts, Functions) {
  expectUnary("math.sqrt", {1, 1, 20, 10, 1}, {1, 1, 48, 16, 1});
  expectUnary("math.rsqrt", {1, 1, 36, 18, 2}, {1, 1, 80, 24, 2});
  auto expectFunction = [&](StringRef name, double narrow, double wide) {
    auto cost = [](double count) { return te::OpCost{1, 1, count, count, count < 100 ? 16 : 100}; };
    expectUnary(name, cost(narrow), cost(wide));
  };
  expectFunction("math.exp", 16, 40);
  expectFunction("math.exp2", 16, 40);
  expectFunction("math.expm1", 24, 70);
  expectFunction("math.log", 40, 60);
  expectFunction("math.log2", 40, 60);
  expectFunction("math.log10", 40, 60);
  expectFunction("math.log1p", 60, 85);
  expectFunction("math.sin", 34, 40);
  expectFunction("math.cos", 34, 40);
  expectFunction("math.tan", 66, 84);
  expectFunction("math.tanh", 28, 110);
  expectFunction("math.erf", 36, 160);
  expectFunction("math.erfc", 120, 160);
  expectFunction("math.asin", 32, 260);
  expectFunction("math.acos", 32, 260);
  expectFunction("math.atan", 48, 120);
  expectFunction("math.sinh", 105, 150);
  expectFunction("math.cosh", 105, 150);
  expectFunction("math.asinh", 190, 350);
  expectFunction("math.acosh", 190, 350);
  expectFunction("math.atanh", 110, 135);
  expectFunction("math.cbrt", 110, 300);
  expect("%r = math.atan2 %x, %y : T", "f32", {1, 1, 80, 80, 16});
  expect("%r = math.powf %x, %y : T", "f64", {1, 1, 180, 180, 100});
  expect("%r = math.fpowi %x, %n : T, i32", "f32", {1, 1, 400, 40, 100});
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

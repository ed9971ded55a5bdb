//===- OpCost.cpp - what an operation of a body costs -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/OpCost.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

namespace {
/// What a kind of operation costs on f64 and i64, and on other types.
struct Row {
  OpCost narrow, wide;
};
using Table = llvm::DenseMap<TypeID, Row>;
} // namespace

template <typename... Ops> static void add(Table &table, OpCost narrow, OpCost wide) {
  (table.try_emplace(TypeID::get<Ops>(), Row{narrow, wide}), ...);
}

template <typename... Ops> static void add(Table &table, OpCost cost) {
  add<Ops...>(table, cost, cost);
}

static bool isIntegerDivision(Operation &op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp>(op);
}

/// What most operations cost.
static constexpr OpCost simple{.vector = 1, .scalar = 1, .code = 1};

static void addArithmetic(Table &table) {
  add<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp, arith::MaximumFOp,
      arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp>(
      table, {.flops = 1, .vector = 1, .scalar = 1, .code = 1});
  add<arith::DivFOp>(table, {.flops = 1, .vector = 16, .scalar = 8, .code = 1},
                     {.flops = 1, .vector = 32, .scalar = 8, .code = 1});
  add<arith::RemFOp>(table, {.flops = 1, .vector = 26, .scalar = 20, .code = 16},
                     {.flops = 1, .vector = 40, .scalar = 20, .code = 16});
  add<arith::ConstantOp, arith::IndexCastOp, arith::IndexCastUIOp, ReadOp, YieldOp>(table, {});
}

static void addRoundings(Table &table) {
  add<math::AbsIOp, math::IsNaNOp, math::IsInfOp, math::IsFiniteOp>(table, simple);
  add<math::AbsFOp, math::CopySignOp>(table, {.flops = 1, .vector = 1, .scalar = 1, .code = 1});
  add<math::FmaOp>(table, {.flops = 2, .vector = 1, .scalar = 1, .code = 1});
  add<math::FloorOp, math::CeilOp, math::TruncOp, math::RoundEvenOp>(
      table, {.flops = 1, .vector = 2, .scalar = 2, .code = 1});
  add<math::RoundOp>(table, {.flops = 1, .vector = 5, .scalar = 5, .code = 4});
}

static OpCost function(double vector, double scalar, int64_t code) {
  return {.flops = 1, .functions = 1, .vector = vector, .scalar = scalar, .code = code};
}

template <typename... Ops> static void addFunctions(Table &table, double narrow, double wide) {
  constexpr int64_t shortCode = 16, longCode = 100;
  auto cost = [](double count) {
    return function(count, count, count < longCode ? shortCode : longCode);
  };
  add<Ops...>(table, cost(narrow), cost(wide));
}

static void addFunctions(Table &table) {
  add<math::SqrtOp>(table, function(20, 10, 1), function(48, 16, 1));
  add<math::RsqrtOp>(table, function(36, 18, 2), function(80, 24, 2));
  addFunctions<math::ExpOp, math::Exp2Op>(table, 16, 40);
  addFunctions<math::ExpM1Op>(table, 24, 70);
  addFunctions<math::LogOp, math::Log2Op, math::Log10Op>(table, 40, 60);
  addFunctions<math::Log1pOp>(table, 60, 85);
  addFunctions<math::SinOp, math::CosOp>(table, 34, 40);
  addFunctions<math::TanOp>(table, 66, 84);
  addFunctions<math::TanhOp>(table, 28, 110);
  addFunctions<math::ErfOp>(table, 36, 160);
  addFunctions<math::ErfcOp>(table, 120, 160);
  addFunctions<math::AsinOp, math::AcosOp>(table, 32, 260);
  addFunctions<math::AtanOp>(table, 48, 120);
  addFunctions<math::Atan2Op>(table, 80, 150);
  addFunctions<math::SinhOp, math::CoshOp>(table, 105, 150);
  addFunctions<math::AsinhOp, math::AcoshOp>(table, 190, 350);
  addFunctions<math::AtanhOp>(table, 110, 135);
  addFunctions<math::CbrtOp>(table, 110, 300);
  addFunctions<math::PowFOp>(table, 200, 180);
}

/// A function that no row has.
static Row getOtherFunction() { return {function(400, 40, 100), function(400, 40, 100)}; }

static Table makeTable() {
  Table table;
  addArithmetic(table);
  addRoundings(table);
  addFunctions(table);
  return table;
}

/// Returns whether `op` divides by a power of two, which is a product.
static bool isExactProduct(arith::DivFOp op) {
  APFloat divisor(0.0), inverse(0.0);
  return matchPattern(op.getRhs(), m_ConstantFloat(&divisor)) && divisor.getExactInverse(&inverse);
}

static bool isWide(Operation &op) {
  if (op.getNumOperands() == 0)
    return false;
  Type element = getElementTypeOrSelf(op.getOperand(0).getType());
  return element.isIntOrFloat() && element.getIntOrFloatBitWidth() > 32;
}

/// There is no instruction for vectors: each element is divided for itself. A division by a
/// constant is a product and shifts.
static OpCost getCostOfIntegerDivision(Operation &op) {
  if (matchPattern(op.getOperand(1), m_Constant()))
    return {.vector = 6, .scalar = 4, .code = 6};
  return isWide(op) ? OpCost{.vector = 96, .scalar = 16, .code = 32}
                    : OpCost{.vector = 160, .scalar = 12, .code = 32};
}

OpCost te::getOpCost(Operation &op) {
  static const Table table = makeTable();
  if (isIntegerDivision(op))
    return getCostOfIntegerDivision(op);
  if (auto division = dyn_cast<arith::DivFOp>(op); division && isExactProduct(division))
    return {.flops = 1, .vector = 1, .scalar = 1, .code = 1};
  auto it = table.find(op.getName().getTypeID());
  if (it != table.end())
    return isWide(op) ? it->second.wide : it->second.narrow;
  if (!isa<math::MathDialect>(op.getDialect()))
    return simple;
  Row row = getOtherFunction();
  return isWide(op) ? row.wide : row.narrow;
}

bool te::mayTrap(Operation &op) {
  APInt divisor;
  if (!isIntegerDivision(op))
    return false;
  // The least integer divided by -1 is none.
  return !matchPattern(op.getOperand(1), m_ConstantInt(&divisor)) || divisor.isZero() ||
         divisor.isAllOnes();
}

OpCost te::getCost(Region &body) {
  OpCost sum;
  body.walk([&](Operation *op) {
    OpCost cost = getOpCost(*op);
    sum.flops += cost.flops;
    sum.functions += cost.functions;
    sum.vector += cost.vector;
    sum.scalar += cost.scalar;
    sum.code += cost.code;
  });
  return sum;
}

int64_t te::getWork(Region &body) {
  double moved = body.front().getTerminator()->getNumOperands();
  body.walk([&](ReadOp) { ++moved; });
  return static_cast<int64_t>(moved + getCost(body).vector);
}

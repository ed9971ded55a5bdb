//===- Numbers.cpp - Python's ints, floats and bools -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Ints are Sizes, so that computations on sizes remain polynomials. Floats and bools are evaluated
/// at import if they are known, and otherwise by ops of the host program.
///
//===----------------------------------------------------------------------===//

#include "lib/Import/PyTorch/Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace llvm;
using mlir::failure;
using mlir::FailureOr;

namespace arith = mlir::arith;

namespace tssa::pytorch {

static Values oneInt(const Size &size) { return {Value::integer(size)}; }
static Values oneTruth(bool truth) { return {Value::truth(truth)}; }

static Value toValue(const operators::Builder::Condition &condition) {
  return condition.known ? Value::truth(*condition.known) : Value::truth(condition.value);
}

static mlir::LogicalResult checkNumbers(Importer &importer, const Call &call, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    if (!call[i].isNumber())
      return importer.b.error("expected a number as argument " + Twine(i) + ", got " +
                              call[i].describe());
  return mlir::success();
}

static bool areInts(const Call &call, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    if (call[i].is(Value::Float))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Integer division
//===----------------------------------------------------------------------===//

/// Divides and rounds towards minus infinity. A divisor that may be 0 is checked at run time.
static FailureOr<Size> floorDivide(Importer &importer, const Size &lhs, const Size &rhs) {
  operators::Builder &b = importer.b;
  if (rhs.isConstant(0))
    return b.error("division by zero");
  if (rhs.isAtLeast(1) || importer.guards.isAtMost(1, rhs) == true)
    return lhs.floorDiv(rhs);
  if (rhs.isAtMost(-1))
    return (-lhs).floorDiv(-rhs);
  mlir::Value divisor = b.materializeValue(rhs);
  if (failed(b.require(b.isEqual(b.select(b.isEqual(rhs, 0), 1, 0), 0), "division by zero")))
    return failure();
  return b.sizes.get(arith::FloorDivSIOp::create(b.ops, b.loc(), b.materializeValue(lhs), divisor),
                     /*nonNegative=*/false);
}

//===----------------------------------------------------------------------===//
// Ints of any size
//===----------------------------------------------------------------------===//

static mlir::Value toI64(operators::Builder &b, const Size &size) {
  return arith::IndexCastOp::create(b.ops, b.loc(), b.ops.getI64Type(), b.materializeValue(size));
}

static void requireInRange(operators::Builder &b, mlir::Value holds) {
  b.check(holds, "an int leaves the range of 64 bits, which Python's does not: compute it with a "
                 "tensor or before the call");
}

/// Requires that a float lies in the range of 64-bit ints.
static void requireFits(operators::Builder &b, mlir::Value value) {
  auto bound = [&](double limit) {
    return arith::ConstantFloatOp::create(b.ops, b.loc(), b.ops.getF64Type(), APFloat(limit));
  };
  mlir::Value isBelow =
      arith::CmpFOp::create(b.ops, b.loc(), arith::CmpFPredicate::OLT, value, bound(0x1p63));
  mlir::Value isAbove =
      arith::CmpFOp::create(b.ops, b.loc(), arith::CmpFPredicate::OGE, value, bound(-0x1p63));
  requireInRange(b, arith::AndIOp::create(b.ops, b.loc(), isBelow, isAbove));
}

/// Adds or subtracts ints that may be of any size. A run fails if the result does not fit: its sign
/// then differs from that of both operands; of a difference, the sign of the second is the
/// opposite.
template <typename Op, bool isSum>
static FailureOr<Size> addChecked(Importer &importer, const Size &lhs, const Size &rhs) {
  operators::Builder &b = importer.b;
  Size result = isSum ? lhs + rhs : lhs - rhs;
  if (result.constant())
    return result;
  mlir::Value left = toI64(b, lhs), right = toI64(b, rhs);
  mlir::Value made = Op::create(b.ops, b.loc(), left, right);
  mlir::Value other = isSum ? made : left;
  mlir::Value both =
      arith::AndIOp::create(b.ops, b.loc(), arith::XOrIOp::create(b.ops, b.loc(), left, made),
                            arith::XOrIOp::create(b.ops, b.loc(), right, other));
  mlir::Value zero = arith::ConstantIntOp::create(b.ops, b.loc(), 0, 64);
  requireInRange(b, arith::CmpIOp::create(b.ops, b.loc(), arith::CmpIPredicate::sge, both, zero));
  return result;
}

/// Multiplies ints that may be of any size. A run fails if the product as a float is not in range:
/// also for the last 1024 ints that fit.
static FailureOr<Size> multiplyChecked(Importer &importer, const Size &lhs, const Size &rhs) {
  operators::Builder &b = importer.b;
  Size product = lhs * rhs;
  if (product.constant() || lhs.isConstant(1) || rhs.isConstant(1))
    return product;
  auto toFloat = [&](const Size &size) {
    return arith::SIToFPOp::create(b.ops, b.loc(), b.ops.getF64Type(), toI64(b, size));
  };
  requireFits(b, arith::MulFOp::create(b.ops, b.loc(), toFloat(lhs), toFloat(rhs)));
  return product;
}

template <FailureOr<Size> (*multiply)(Importer &, const Size &, const Size &)>
static FailureOr<Size> powerOfInts(Importer &importer, const Size &a, const Size &b) {
  std::optional<int64_t> exponent = b.constant();
  if (!exponent || *exponent < 0 || *exponent > 64)
    return importer.b.unsupported("an int to a power that is no small constant");
  FailureOr<Size> result = Size(1);
  for (int64_t i = 0; i < *exponent && succeeded(result); ++i)
    result = multiply(importer, *result, a);
  return result;
}

//===----------------------------------------------------------------------===//
// Binary operators
//===----------------------------------------------------------------------===//

namespace {
/// An operator on two numbers. It has one function for ints, one for floats that are known at
/// import, and one for floats that only a run knows.
struct Binary {
  const char *name, *overloads;
  FailureOr<Size> (*onInts)(Importer &, const Size &, const Size &); ///< null: ints become floats
  double (*onFloats)(double, double);
  mlir::Value (*build)(mlir::OpBuilder &, mlir::Location, mlir::Value, mlir::Value);
};
} // namespace

template <typename Op>
static mlir::Value buildOp(mlir::OpBuilder &ops, mlir::Location loc, mlir::Value a, mlir::Value b) {
  return Op::create(ops, loc, a, b);
}

static FailureOr<Size> add(Importer &, const Size &a, const Size &b) { return a + b; }
static FailureOr<Size> multiply(Importer &, const Size &a, const Size &b) { return a * b; }
static FailureOr<Size> smaller(Importer &, const Size &a, const Size &b) { return Size::min(a, b); }
static FailureOr<Size> larger(Importer &, const Size &a, const Size &b) { return Size::max(a, b); }
static FailureOr<Size> modulo(Importer &importer, const Size &a, const Size &b) {
  FailureOr<Size> quotient = floorDivide(importer, a, b);
  if (failed(quotient))
    return failure();
  return a - *quotient * b;
}
static const Binary binaries[] = {
    {"aten::add", "int float int_float float_int", add, [](double a, double b) { return a + b; },
     buildOp<arith::AddFOp>},
    {"aten::mul", "int float int_float float_int", multiply,
     [](double a, double b) { return a * b; }, buildOp<arith::MulFOp>},
    {"aten::div", "int float", nullptr, [](double a, double b) { return a / b; },
     buildOp<arith::DivFOp>},
    {"aten::floordiv", "int float int_float float_int", floorDivide,
     [](double a, double b) { return std::floor(a / b); }, nullptr},
    {"aten::remainder", "int float int_float float_int", modulo,
     [](double a, double b) { return a - std::floor(a / b) * b; }, nullptr},
    {"aten::pow", "int float int_float float_int", nullptr,
     [](double a, double b) { return std::pow(a, b); }, buildOp<mlir::math::PowFOp>},
    {"aten::pow", "int_to_int", powerOfInts<multiply>, nullptr, nullptr},
    {"tssa::checked_add", "-", addChecked<arith::AddIOp, true>, nullptr, nullptr},
    {"tssa::checked_sub", "-", addChecked<arith::SubIOp, false>, nullptr, nullptr},
    {"tssa::checked_mul", "-", multiplyChecked, nullptr, nullptr},
    {"tssa::checked_pow", "-", powerOfInts<multiplyChecked>, nullptr, nullptr},
    {"prim::min", "int float int_float float_int", smaller,
     [](double a, double b) { return b < a ? b : a; }, buildOp<arith::MinNumFOp>},
    {"prim::max", "int float int_float float_int", larger,
     [](double a, double b) { return b > a ? b : a; }, buildOp<arith::MaxNumFOp>},
};

static FailureOr<Values> buildBinary(Importer &importer, const Call &call, const Binary &row) {
  operators::Builder &b = importer.b;
  if (failed(checkNumbers(importer, call, 2)))
    return failure();
  if (row.onInts && areInts(call, 2)) {
    FailureOr<Size> lhs = importer.getSize(call[0]), rhs = importer.getSize(call[1]);
    if (failed(lhs) || failed(rhs))
      return failure();
    FailureOr<Size> result = row.onInts(importer, *lhs, *rhs);
    if (failed(result))
      return failure();
    return oneInt(*result);
  }
  std::optional<double> lhs = call[0].getConstant(), rhs = call[1].getConstant();
  if (lhs && rhs && row.onFloats)
    return Values{Value::number(row.onFloats(*lhs, *rhs))};
  if (!row.build)
    return importer.needsKnown("the numbers");
  return Values{Value::number(
      row.build(b.ops, b.loc(), importer.getNumber(call[0]), importer.getNumber(call[1])))};
}

//===----------------------------------------------------------------------===//
// Comparisons and logic
//===----------------------------------------------------------------------===//

namespace {
enum class Order { Equal, Less, LessEqual };
} // namespace

/// Compares by `order`, with operands exchanged if `isSwapped` and the result negated if
/// `isNegated`.
template <Order order, bool isSwapped, bool isNegated>
static FailureOr<Values> compare(Importer &importer, const Call &call) {
  operators::Builder &b = importer.b;
  if (failed(checkNumbers(importer, call, 2)))
    return failure();
  const Value &left = call[isSwapped ? 1 : 0], &right = call[isSwapped ? 0 : 1];
  if (areInts(call, 2)) {
    FailureOr<Size> lhs = importer.getSize(left), rhs = importer.getSize(right);
    if (failed(lhs) || failed(rhs))
      return failure();
    operators::Builder::Condition holds = order == Order::Equal  ? b.isEqual(*lhs, *rhs)
                                          : order == Order::Less ? b.isLess(*lhs, *rhs)
                                                                 : b.isLess(*lhs, *rhs + 1);
    if (!isNegated)
      return Values{toValue(holds)};
    if (holds.known)
      return oneTruth(!*holds.known);
    mlir::Value one = arith::ConstantIntOp::create(b.ops, b.loc(), 1, 1);
    return Values{
        Value::truth(arith::XOrIOp::create(b.ops, b.loc(), holds.value, one).getResult())};
  }
  std::optional<double> lhs = left.getConstant(), rhs = right.getConstant();
  if (lhs && rhs) {
    bool holds = order == Order::Equal  ? *lhs == *rhs
                 : order == Order::Less ? *lhs < *rhs
                                        : *lhs <= *rhs;
    return oneTruth(holds != isNegated);
  }
  auto predicate = order == Order::Equal
                       ? (isNegated ? arith::CmpFPredicate::UNE : arith::CmpFPredicate::OEQ)
                   : order == Order::Less ? arith::CmpFPredicate::OLT
                                          : arith::CmpFPredicate::OLE;
  return Values{
      Value::truth(arith::CmpFOp::create(b.ops, b.loc(), predicate, importer.getNumber(left),
                                         importer.getNumber(right))
                       .getResult())};
}

static FailureOr<Values> invert(Importer &importer, const Call &call) {
  operators::Builder &b = importer.b;
  if (std::optional<bool> known = call[0].getConstantBool())
    return oneTruth(!*known);
  if (!call[0].is(Value::Bool))
    return b.error("expected a bool, got " + call[0].describe());
  mlir::Value one = arith::ConstantIntOp::create(b.ops, b.loc(), 1, 1);
  return Values{
      Value::truth(arith::XOrIOp::create(b.ops, b.loc(), call[0].getScalar(), one).getResult())};
}

template <typename Op, bool isDecidedBy>
static FailureOr<Values> combine(Importer &importer, const Call &call) {
  operators::Builder &b = importer.b;
  if (!call[0].is(Value::Bool) || !call[1].is(Value::Bool))
    return b.unsupported("bitwise operators on ints");
  for (unsigned i = 0; i < 2; ++i)
    if (std::optional<bool> known = call[i].getConstantBool())
      return *known == isDecidedBy ? oneTruth(isDecidedBy) : Values{call[1 - i]};
  return Values{Value::truth(
      Op::create(b.ops, b.loc(), call[0].getScalar(), call[1].getScalar()).getResult())};
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// Returns the only element of a tensor as an int, float or bool.
static FailureOr<Value> getItem(Importer &importer, const Value &value) {
  operators::Builder &b = importer.b;
  FailureOr<TensorRef> ref = importer.getTensor(value);
  if (failed(ref))
    return failure();
  for (const Size &size : ref->shape)
    if (failed(importer.requireEqual(size, 1, "a tensor as a number")))
      return failure();
  Tensor tensor = importer.read(*ref);
  if (operators::isInteger(ref->dtype)) {
    Tensor one = b.wrap(b.value(tensor), tensor.dtype(), Sizes(tensor.rank(), Size(1)));
    FailureOr<Size> size = b.requireSize(one, "the element");
    if (failed(size))
      return failure();
    return Value::integer(*size);
  }
  SmallVector<mlir::Value> at(tensor.rank(), b.materializeValue(0));
  mlir::Value element = mlir::tensor::ExtractOp::create(b.ops, b.loc(), b.value(tensor), at);
  if (ref->dtype == DType::Bool)
    return Value::truth(element);
  mlir::Type f64 = b.ops.getF64Type();
  if (element.getType() != f64)
    element = arith::ExtFOp::create(b.ops, b.loc(), f64, element);
  return Value::number(element);
}

static FailureOr<Value> getNumberOf(Importer &importer, const Value &value) {
  if (value.is(Value::Tensor))
    return getItem(importer, value);
  if (!value.isNumber())
    return importer.b.error("expected a number, got " + value.describe());
  return value;
}

static FailureOr<Values> toItem(Importer &importer, const Call &call) {
  FailureOr<Value> value = getNumberOf(importer, call[0]);
  if (failed(value))
    return failure();
  return Values{*value};
}

static FailureOr<Values> toInt(Importer &importer, const Call &call) {
  operators::Builder &b = importer.b;
  FailureOr<Value> value = getNumberOf(importer, call[0]);
  if (failed(value))
    return failure();
  if (!value->is(Value::Float)) {
    FailureOr<Size> size = importer.getSize(*value);
    if (failed(size))
      return failure();
    return oneInt(*size);
  }
  if (std::optional<double> known = value->getKnown()) {
    if (!(std::abs(*known) < 9.2e18))
      return b.error("a float that is no int");
    return oneInt(static_cast<int64_t>(*known));
  }
  requireFits(b, value->getScalar());
  mlir::Value integer =
      arith::FPToSIOp::create(b.ops, b.loc(), b.ops.getI64Type(), value->getScalar());
  return oneInt(b.sizes.get(
      arith::IndexCastOp::create(b.ops, b.loc(), b.ops.getIndexType(), integer), false));
}

static FailureOr<Values> toFloat(Importer &importer, const Call &call) {
  FailureOr<Value> value = getNumberOf(importer, call[0]);
  if (failed(value))
    return failure();
  if (std::optional<double> known = value->getConstant())
    return Values{Value::number(*known)};
  return Values{Value::number(importer.getNumber(*value))};
}

static FailureOr<Values> toBool(Importer &importer, const Call &call) {
  FailureOr<Value> value = getNumberOf(importer, call[0]);
  if (failed(value))
    return failure();
  if (std::optional<double> known = value->getConstant())
    return oneTruth(*known != 0);
  return Values{Value::truth(importer.getTruth(*value))};
}

static FailureOr<Values> toIntOfBool(Importer &importer, const Call &call) {
  if (!call[0].is(Value::Bool))
    return importer.b.error("expected a bool, got " + call[0].describe());
  if (std::optional<bool> known = call[0].getConstantBool())
    return oneInt(Size(*known));
  return oneInt(importer.b.select({std::nullopt, importer.getTruth(call[0])}, Size(1), Size(0)));
}

//===----------------------------------------------------------------------===//
// Roots and sizes
//===----------------------------------------------------------------------===//

static FailureOr<Values> getSquareRoot(Importer &importer, const Call &call) {
  if (failed(checkNumbers(importer, call, 1)))
    return failure();
  if (std::optional<double> known = call[0].getConstant())
    return Values{Value::number(std::sqrt(*known))};
  operators::Builder &b = importer.b;
  return Values{Value::number(
      mlir::math::SqrtOp::create(b.ops, b.loc(), importer.getNumber(call[0])).getResult())};
}

static FailureOr<Values> getExtent(Importer &importer, const Call &call) {
  FailureOr<TensorRef> tensor = importer.getTensor(call[0]);
  if (failed(tensor))
    return failure();
  FailureOr<int64_t> dim = importer.getDim(call[1], tensor->rank());
  if (failed(dim))
    return failure();
  if (tensor->rank() == 0)
    return importer.b.error("size() of a tensor without dims");
  return oneInt(tensor->shape[*dim]);
}

void registerNumbers(OperatorTable &table) {
  for (const Binary &row : binaries)
    table.evaluate(row.name, row.overloads, [&row](Importer &importer, const Call &call) {
      return buildBinary(importer, call, row);
    });
  StringRef numbers = "int float int_float float_int";
  table.evaluate("aten::eq", numbers, compare<Order::Equal, false, false>);
  table.evaluate("aten::ne", numbers, compare<Order::Equal, false, true>);
  table.evaluate("aten::lt", numbers, compare<Order::Less, false, false>);
  table.evaluate("aten::le", numbers, compare<Order::LessEqual, false, false>);
  table.evaluate("aten::gt", numbers, compare<Order::Less, true, false>);
  table.evaluate("aten::ge", numbers, compare<Order::LessEqual, true, false>);
  table.evaluate("aten::__not__", "-", invert);
  table.evaluate("aten::__and__", "bool", combine<arith::AndIOp, false>);
  table.evaluate("aten::__or__", "bool", combine<arith::OrIOp, true>);
  table.evaluate("aten::Int", "float", toInt);
  table.evaluate("aten::Int", "bool", toIntOfBool);
  table.evaluate("aten::Float", "int", toFloat);
  table.evaluate("aten::Bool", "Tensor", toBool);
  table.evaluate("aten::item", "-", toItem);
  table.evaluate("aten::_local_scalar_dense", "-", toItem);
  table.evaluate("aten::sqrt", "int float", getSquareRoot);
  table.evaluate("aten::size", "int", getExtent);
}

} // namespace tssa::pytorch

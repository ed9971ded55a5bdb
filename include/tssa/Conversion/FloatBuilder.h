//===- FloatBuilder.h - short names for arithmetic on floats ---*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_CONVERSION_FLOATBUILDER_H
#define TSSA_CONVERSION_FLOATBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

namespace tssa {

/// Builds operations on f32 or f64, or vectors of them, and on integers of the same
/// width and shape.
class FloatBuilder {
public:
  using Value = mlir::Value;

  FloatBuilder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type)
      : builder(builder), loc(loc), floatType(type),
        width(mlir::getElementTypeOrSelf(type).getIntOrFloatBitWidth()),
        intType(withElement(builder.getIntegerType(width))) {}

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() { return loc; }

  Value f(double value) {
    return splat(floatType, builder.getFloatAttr(mlir::getElementTypeOrSelf(floatType), value));
  }
  Value i(int64_t value) {
    return splat(intType, builder.getIntegerAttr(mlir::getElementTypeOrSelf(intType), value));
  }

  Value add(Value a, Value b) { return create<mlir::arith::AddFOp>(a, b); }
  Value sub(Value a, Value b) { return create<mlir::arith::SubFOp>(a, b); }
  Value mul(Value a, Value b) { return create<mlir::arith::MulFOp>(a, b); }
  Value div(Value a, Value b) { return create<mlir::arith::DivFOp>(a, b); }
  Value fma(Value a, Value b, Value c) { return create<mlir::math::FmaOp>(a, b, c); }
  Value abs(Value a) { return create<mlir::math::AbsFOp>(a); }
  Value sqrt(Value a) { return create<mlir::math::SqrtOp>(a); }
  Value trunc(Value a) { return create<mlir::math::TruncOp>(a); }
  Value copySign(Value a, Value sign) { return create<mlir::math::CopySignOp>(a, sign); }

  Value addInt(Value a, Value b) { return create<mlir::arith::AddIOp>(a, b); }
  Value subInt(Value a, Value b) { return create<mlir::arith::SubIOp>(a, b); }
  Value andInt(Value a, Value b) { return create<mlir::arith::AndIOp>(a, b); }
  Value orInt(Value a, Value b) { return create<mlir::arith::OrIOp>(a, b); }
  Value shiftLeft(Value a, int32_t by) { return create<mlir::arith::ShLIOp>(a, i(by)); }
  Value shiftRight(Value a, int32_t by) { return create<mlir::arith::ShRSIOp>(a, i(by)); }
  /// Shifts in zeros.
  Value shiftRightUnsigned(Value a, int32_t by) { return create<mlir::arith::ShRUIOp>(a, i(by)); }
  Value toFloat(Value a) { return mlir::arith::SIToFPOp::create(builder, loc, floatType, a); }
  Value bitsOf(Value a) { return mlir::arith::BitcastOp::create(builder, loc, intType, a); }
  Value fromBits(Value a) { return mlir::arith::BitcastOp::create(builder, loc, floatType, a); }

  Value compare(mlir::arith::CmpFPredicate how, Value a, Value b) {
    return mlir::arith::CmpFOp::create(builder, loc, how, a, b);
  }
  Value isLess(Value a, Value b) { return compare(mlir::arith::CmpFPredicate::OLT, a, b); }
  Value isEqual(Value a, Value b) {
    return mlir::arith::CmpIOp::create(builder, loc, mlir::arith::CmpIPredicate::eq, a, b);
  }
  /// The conjunction of two conditions.
  Value isAnd(Value a, Value b) { return create<mlir::arith::AndIOp>(a, b); }
  /// Whether the sign bit of the float `a` is set.
  Value isNegative(Value a) {
    return mlir::arith::CmpIOp::create(builder, loc, mlir::arith::CmpIPredicate::slt, bitsOf(a),
                                       i(0));
  }
  Value select(Value condition, Value a, Value b) {
    return create<mlir::arith::SelectOp>(condition, a, b);
  }
  /// The following three functions return NaN if `a` is NaN.
  Value atMost(Value a, double high) { return select(isLess(f(high), a), f(high), a); }
  Value atLeast(Value a, double low) { return select(isLess(a, f(low)), f(low), a); }
  Value clamp(Value a, double low, double high) { return atLeast(atMost(a, high), low); }

  /// Builds coefficients[0] * x^n + ... + coefficients[n].
  Value polynomial(Value x, llvm::ArrayRef<double> coefficients) {
    Value sum = f(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = fma(sum, x, f(coefficient));
    return sum;
  }
  /// Builds 2^`exponent` for an integer exponent. The result must be a normal number.
  Value powerOfTwo(Value exponent) {
    return fromBits(shiftLeft(addInt(exponent, i(width == 32 ? 127 : 1023)), mantissaBits()));
  }
  /// Rounds `x * scale` to an integer and returns it as an integer and as a float. The magnitude of
  /// the product must be less than 2^22 (2^51 for f64). The addition of 1.5 * 2^23 (1.5 * 2^52 for
  /// f64) then rounds the product and leaves the integer in the low bits.
  std::pair<Value, Value> round(Value x, Value scale) {
    Value magic = f(width == 32 ? 12582912.0 : 6755399441055744.0);
    Value shifted = fma(x, scale, magic);
    return {subInt(bitsOf(shifted), bitsOf(magic)), sub(shifted, magic)};
  }
  int32_t mantissaBits() const { return width == 32 ? 23 : 52; }

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type floatType;
  unsigned width;
  mlir::Type intType;

  mlir::Type withElement(mlir::Type element) {
    auto vector = mlir::dyn_cast<mlir::VectorType>(floatType);
    return vector ? mlir::Type(vector.clone(element)) : element;
  }
  Value splat(mlir::Type type, mlir::TypedAttr value) {
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
      value = mlir::DenseElementsAttr::get(vector, value);
    return mlir::arith::ConstantOp::create(builder, loc, value);
  }
  template <typename Op, typename... Operands> Value create(Operands... operands) {
    return Op::create(builder, loc, operands...);
  }
};

} // namespace tssa

#endif // TSSA_CONVERSION_FLOATBUILDER_H

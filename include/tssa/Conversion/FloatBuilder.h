//===- FloatBuilder.h - short names for arithmetic on f32 ------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_CONVERSION_FLOATBUILDER_H
#define TSSA_CONVERSION_FLOATBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace tssa {

/// Builds operations on f32, or vectors of it, and on i32 of the same shape.
class FloatBuilder {
public:
  using Value = mlir::Value;

  FloatBuilder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type)
      : builder(builder), loc(loc), floatType(type), intType(withElement(builder.getI32Type())) {}

  Value f(double value) { return splat(floatType, builder.getF32FloatAttr(value)); }
  Value i(int32_t value) { return splat(intType, builder.getI32IntegerAttr(value)); }

  Value add(Value a, Value b) { return create<mlir::arith::AddFOp>(a, b); }
  Value sub(Value a, Value b) { return create<mlir::arith::SubFOp>(a, b); }
  Value mul(Value a, Value b) { return create<mlir::arith::MulFOp>(a, b); }
  Value div(Value a, Value b) { return create<mlir::arith::DivFOp>(a, b); }
  Value fma(Value a, Value b, Value c) { return create<mlir::math::FmaOp>(a, b, c); }
  Value abs(Value a) { return create<mlir::math::AbsFOp>(a); }
  Value copySign(Value a, Value sign) { return create<mlir::math::CopySignOp>(a, sign); }

  Value addInt(Value a, Value b) { return create<mlir::arith::AddIOp>(a, b); }
  Value subInt(Value a, Value b) { return create<mlir::arith::SubIOp>(a, b); }
  Value andInt(Value a, Value b) { return create<mlir::arith::AndIOp>(a, b); }
  Value orInt(Value a, Value b) { return create<mlir::arith::OrIOp>(a, b); }
  Value shiftLeft(Value a, int32_t by) { return create<mlir::arith::ShLIOp>(a, i(by)); }
  Value shiftRight(Value a, int32_t by) { return create<mlir::arith::ShRSIOp>(a, i(by)); }
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
  Value select(Value condition, Value a, Value b) {
    return create<mlir::arith::SelectOp>(condition, a, b);
  }

  /// coefficients[0] * x^n + ... + coefficients[n].
  Value polynomial(Value x, llvm::ArrayRef<double> coefficients) {
    Value sum = f(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = fma(sum, x, f(coefficient));
    return sum;
  }
  /// 2 to the power of an integer from -126 to 127.
  Value powerOfTwo(Value exponent) { return fromBits(shiftLeft(addInt(exponent, i(127)), 23)); }

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type floatType, intType;

  mlir::Type withElement(mlir::Type element) {
    auto vector = mlir::dyn_cast<mlir::VectorType>(floatType);
    return vector ? mlir::Type(vector.clone(element)) : element;
  }
  Value splat(mlir::Type type, mlir::TypedAttr value) {
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
      value = mlir::DenseElementsAttr::get(vector, value);
    return mlir::arith::ConstantOp::create(builder, loc, value);
  }
  template <typename Op, typename... Operands>
  Value create(Operands... operands) {
    return Op::create(builder, loc, operands...);
  }
};

} // namespace tssa

#endif // TSSA_CONVERSION_FLOATBUILDER_H

//===- Scalar.cpp - scalar arithmetic in te bodies -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Builder/Scalar.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tssa::operators {

template <typename Op, typename... Args>
static Scalar create(const Scalar &like, Args... operands) {
  return like.with(Op::create(like.getBuilder(), like.getLoc(), operands.getValue()...));
}

static Scalar compare(arith::CmpFPredicate onFloats, arith::CmpIPredicate onSigned,
                      arith::CmpIPredicate onUnsigned, const Scalar &a, const Scalar &b) {
  OpBuilder &builder = a.getBuilder();
  Value result;
  if (a.isFloat())
    result = arith::CmpFOp::create(builder, a.getLoc(), onFloats, a.getValue(), b.getValue());
  else
    result = arith::CmpIOp::create(builder, a.getLoc(), a.isUnsigned() ? onUnsigned : onSigned,
                                   a.getValue(), b.getValue());
  return {builder, a.getLoc(), result, /*isUnsigned=*/true};
}

Scalar Scalar::constant(double number) const {
  TypedAttr attr;
  if (auto type = dyn_cast<FloatType>(getType())) {
    APFloat rounded(number);
    bool losesInfo;
    rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
    attr = FloatAttr::get(type, rounded);
  } else {
    // Round towards zero; saturate to 64 bits; NaN becomes 0.
    APSInt integer(64, /*isUnsigned=*/number >= 0);
    bool isExact;
    APFloat(number).convertToInteger(integer, APFloat::rmTowardZero, &isExact);
    attr = builder->getIntegerAttr(getType(), static_cast<int64_t>(integer.getRawData()[0]));
  }
  return with(arith::ConstantOp::create(*builder, loc, attr));
}

Scalar Scalar::constant(const APInt &number) const {
  return with(arith::ConstantOp::create(*builder, loc, IntegerAttr::get(getType(), number)));
}

Scalar operator+(Scalar a, Scalar b) {
  return a.isFloat() ? create<arith::AddFOp>(a, a, b) : create<arith::AddIOp>(a, a, b);
}

Scalar operator-(Scalar a, Scalar b) {
  return a.isFloat() ? create<arith::SubFOp>(a, a, b) : create<arith::SubIOp>(a, a, b);
}

Scalar operator*(Scalar a, Scalar b) {
  return a.isFloat() ? create<arith::MulFOp>(a, a, b) : create<arith::MulIOp>(a, a, b);
}

Scalar operator-(Scalar a) { return a.isFloat() ? create<arith::NegFOp>(a, a) : 0.0 - a; }

Scalar operator==(Scalar a, Scalar b) {
  return compare(arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq, arith::CmpIPredicate::eq, a,
                 b);
}

Scalar operator!=(Scalar a, Scalar b) {
  return compare(arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne, arith::CmpIPredicate::ne, a,
                 b);
}

Scalar operator<(Scalar a, Scalar b) {
  return compare(arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt, arith::CmpIPredicate::ult, a,
                 b);
}

Scalar operator<=(Scalar a, Scalar b) {
  return compare(arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle, arith::CmpIPredicate::ule, a,
                 b);
}

Scalar operator&(Scalar a, Scalar b) { return create<arith::AndIOp>(a, a, b); }
Scalar operator|(Scalar a, Scalar b) { return create<arith::OrIOp>(a, a, b); }
Scalar operator^(Scalar a, Scalar b) { return create<arith::XOrIOp>(a, a, b); }
Scalar operator~(Scalar a) {
  return a ^ a.constant(APInt::getAllOnes(a.getType().getIntOrFloatBitWidth()));
}

Scalar select(Scalar condition, Scalar ifTrue, Scalar ifFalse) {
  return create<arith::SelectOp>(ifTrue, condition, ifTrue, ifFalse);
}

/// Builds the division or the remainder of two integers. A divisor of 0 gives 0. A division by -1
/// is a negation, and a remainder by -1 is 0. For these divisors the op gets 1 instead, because its
/// own result might be undefined.
template <typename SignedOp, typename UnsignedOp>
static Scalar divideIntegers(Scalar a, Scalar b, bool isRemainder) {
  Scalar one = b.constant(1);
  Scalar isZero = b == 0.0;
  if (a.isUnsigned()) {
    Scalar safe = select(isZero, one, b);
    return select(isZero, 0.0, create<UnsignedOp>(a, a, safe));
  }
  Scalar isMinusOne = b == -1.0;
  Scalar safe = select(isZero | isMinusOne, one, b);
  Scalar result = create<SignedOp>(a, a, safe);
  result = isRemainder ? result : select(isMinusOne, -a, result);
  return select(isZero, 0.0, result);
}

Scalar operator/(Scalar a, Scalar b) {
  if (a.isFloat())
    return create<arith::DivFOp>(a, a, b);
  return divideIntegers<arith::DivSIOp, arith::DivUIOp>(a, b, /*isRemainder=*/false);
}

Scalar truncMod(Scalar a, Scalar b) {
  if (a.isFloat())
    return create<arith::RemFOp>(a, a, b);
  return divideIntegers<arith::RemSIOp, arith::RemUIOp>(a, b, /*isRemainder=*/true);
}

Scalar floorMod(Scalar a, Scalar b) {
  Scalar rest = truncMod(a, b);
  if (a.isFloat()) {
    Scalar zero = rest.constant(0);
    Scalar isZero = rest == zero;
    Scalar signedZero = create<math::CopySignOp>(a, zero, b);
    Scalar differ = (rest < 0.0) ^ (b < 0.0);
    return select(isZero, signedZero, select(differ, rest + b, rest));
  }
  if (a.isUnsigned())
    return rest;
  Scalar differ = (rest < 0.0) ^ (b < 0.0);
  return select((rest != 0.0) & differ, rest + b, rest);
}

/// If `amount` is non-negative and less than the width of the type, returns `amount` and true;
/// otherwise 0 and false.
static std::pair<Scalar, Scalar> limitShift(Scalar amount) {
  unsigned width = amount.getType().getIntOrFloatBitWidth();
  Scalar asUnsigned(amount.getBuilder(), amount.getLoc(), amount.getValue(), /*isUnsigned=*/true);
  Scalar isValid = asUnsigned < static_cast<double>(width);
  return {select(isValid, amount, 0.0), isValid};
}

Scalar shiftLeft(Scalar a, Scalar amount) {
  auto [limited, isValid] = limitShift(amount);
  return select(isValid, create<arith::ShLIOp>(a, a, limited), 0.0);
}

Scalar shiftRight(Scalar a, Scalar amount) {
  auto [limited, isValid] = limitShift(amount);
  if (a.isUnsigned())
    return select(isValid, create<arith::ShRUIOp>(a, a, limited), 0.0);
  Scalar last = a.constant(a.getType().getIntOrFloatBitWidth() - 1.0);
  return create<arith::ShRSIOp>(a, a, select(isValid, limited, last));
}

Scalar max(Scalar a, Scalar b) {
  if (a.isFloat())
    return create<arith::MaximumFOp>(a, a, b);
  return a.isUnsigned() ? create<arith::MaxUIOp>(a, a, b) : create<arith::MaxSIOp>(a, a, b);
}

Scalar min(Scalar a, Scalar b) {
  if (a.isFloat())
    return create<arith::MinimumFOp>(a, a, b);
  return a.isUnsigned() ? create<arith::MinUIOp>(a, a, b) : create<arith::MinSIOp>(a, a, b);
}

Scalar atLeast(Scalar x, Scalar bound) {
  return x.isFloat() ? select(bound > x, bound, x) : max(x, bound);
}

Scalar atMost(Scalar x, Scalar bound) {
  return x.isFloat() ? select(bound < x, bound, x) : min(x, bound);
}

Scalar abs(Scalar x) {
  if (x.isFloat())
    return create<math::AbsFOp>(x, x);
  return x.isUnsigned() ? x : select(x < 0.0, -x, x);
}

Scalar sign(Scalar x) {
  Scalar positive = select(x > 0.0, x.constant(1), x);
  return x.isUnsigned() ? positive : select(x < 0.0, -1.0, positive);
}

Scalar isNaN(Scalar x) { return x != x; }
Scalar floor(Scalar x) { return create<math::FloorOp>(x, x); }
Scalar ceil(Scalar x) { return create<math::CeilOp>(x, x); }
Scalar trunc(Scalar x) { return create<math::TruncOp>(x, x); }
Scalar roundEven(Scalar x) { return create<math::RoundEvenOp>(x, x); }
Scalar sqrt(Scalar x) { return create<math::SqrtOp>(x, x); }
Scalar exp(Scalar x) { return create<math::ExpOp>(x, x); }
Scalar log(Scalar x) { return create<math::LogOp>(x, x); }
Scalar log1p(Scalar x) { return create<math::Log1pOp>(x, x); }
Scalar tanh(Scalar x) { return create<math::TanhOp>(x, x); }
Scalar erf(Scalar x) { return create<math::ErfOp>(x, x); }
Scalar sin(Scalar x) { return create<math::SinOp>(x, x); }
Scalar cos(Scalar x) { return create<math::CosOp>(x, x); }
Scalar sigmoid(Scalar x) { return 1.0 / (1.0 + exp(-x)); }
Scalar softplus(Scalar x) { return atLeast(x, 0.0) + log1p(exp(-abs(x))); }

Scalar power(Scalar base, Scalar exponent) {
  if (base.isFloat())
    return create<math::PowFOp>(base, base, convert(exponent, base.getType()));
  Type wide = base.getBuilder().getF64Type();
  Scalar result = power(convert(base, wide), convert(exponent, wide));
  return convert(result, base.getType(), base.isUnsigned());
}

static Scalar convertFloats(Scalar x, FloatType type) {
  unsigned from = x.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  OpBuilder &builder = x.getBuilder();
  if (from == to) // f16 to bf16 or back
    return convertFloats(convertFloats(x, builder.getF32Type()), type);
  if (from < to)
    return {builder, x.getLoc(), arith::ExtFOp::create(builder, x.getLoc(), type, x.getValue())};
  return {builder, x.getLoc(), arith::TruncFOp::create(builder, x.getLoc(), type, x.getValue())};
}

static Scalar floatToInteger(Scalar x, IntegerType type, bool isUnsigned) {
  x = widen(x);
  OpBuilder &builder = x.getBuilder();
  const llvm::fltSemantics &semantics = cast<FloatType>(x.getType()).getFloatSemantics();
  unsigned width = type.getWidth();
  APInt least = isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width);
  APInt greatest = isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  APFloat low(semantics), high(semantics);
  low.convertFromAPInt(least, !isUnsigned, APFloat::rmTowardZero);
  bool isExact =
      high.convertFromAPInt(greatest, !isUnsigned, APFloat::rmTowardZero) == APFloat::opOK;
  auto floatConstant = [&](const APFloat &number) {
    return x.with(
        arith::ConstantOp::create(builder, x.getLoc(), FloatAttr::get(x.getType(), number)));
  };
  Scalar limited = atMost(atLeast(x, floatConstant(low)), floatConstant(high));
  limited = select(isNaN(x), 0.0, limited);
  Value integer =
      isUnsigned
          ? arith::FPToUIOp::create(builder, x.getLoc(), type, limited.getValue()).getResult()
          : arith::FPToSIOp::create(builder, x.getLoc(), type, limited.getValue());
  Scalar result(builder, x.getLoc(), integer, isUnsigned);
  return isExact ? result : select(x > floatConstant(high), result.constant(greatest), result);
}

Scalar convert(Scalar x, Type type, bool isUnsigned) {
  OpBuilder &builder = x.getBuilder();
  Location loc = x.getLoc();
  if (x.getType() == type)
    return {builder, loc, x.getValue(), isUnsigned};
  if (type.isInteger(1))
    return x != 0.0;
  if (auto floatType = dyn_cast<FloatType>(type)) {
    if (x.isFloat())
      return convertFloats(x, floatType);
    if (x.isUnsigned())
      return {builder, loc, arith::UIToFPOp::create(builder, loc, type, x.getValue())};
    return {builder, loc, arith::SIToFPOp::create(builder, loc, type, x.getValue())};
  }
  auto integerType = cast<IntegerType>(type);
  if (x.isFloat())
    return floatToInteger(x, integerType, isUnsigned);
  Value result;
  if (x.getType().getIntOrFloatBitWidth() > integerType.getWidth())
    result = arith::TruncIOp::create(builder, loc, type, x.getValue());
  else if (x.isUnsigned())
    result = arith::ExtUIOp::create(builder, loc, type, x.getValue());
  else
    result = arith::ExtSIOp::create(builder, loc, type, x.getValue());
  return {builder, loc, result, isUnsigned};
}

Scalar widen(Scalar x) {
  bool isHalf = x.isFloat() && x.getType().getIntOrFloatBitWidth() < 32;
  return isHalf ? convert(x, x.getBuilder().getF32Type()) : x;
}

Value toIndex(Scalar x) {
  OpBuilder &builder = x.getBuilder();
  Type index = builder.getIndexType();
  if (x.isUnsigned())
    return arith::IndexCastUIOp::create(builder, x.getLoc(), index, x.getValue());
  return arith::IndexCastOp::create(builder, x.getLoc(), index, x.getValue());
}

} // namespace tssa::operators

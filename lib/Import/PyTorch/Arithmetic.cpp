//===- Arithmetic.cpp - rows of arithmetic, comparisons and bits -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/PyTorch/Elementwise.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tssa::pytorch {

Scalar floorDivide(Scalars x) {
  if (x[0].isFloat())
    return select(x[1] == 0.0, x[0] / x[1], (x[0] - floorMod(x[0], x[1])) / x[1]);
  Scalar quotient = x[0] / x[1], rest = x[0] - quotient * x[1];
  if (x[0].isUnsigned())
    return quotient;
  Scalar isBelow = (rest != 0.0) & ((rest < 0.0) ^ (x[1] < 0.0));
  return select(isBelow, quotient - 1.0, quotient);
}

Scalar truncDivide(Scalars x) {
  Scalar quotient = x[0] / x[1];
  return x[0].isFloat() ? trunc(quotient) : quotient;
}

Scalar powerOf(Scalars x) {
  if (x[0].isFloat() || x[0].isBool())
    return power(x[0], x[1]);
  Scalar result = x[0].constant(1), square = x[0];
  unsigned width = x[0].getType().getIntOrFloatBitWidth();
  for (unsigned bit = 0; bit < width; ++bit) {
    Scalar isSet = (x[1] & x[1].constant(llvm::APInt::getOneBitSet(width, bit))) != 0.0;
    result = select(isSet, result * square, result);
    square = square * square;
  }
  if (x[0].isUnsigned())
    return result;
  Scalar isOdd = (x[1] & x[1].constant(1)) != 0.0;
  Scalar sign = select(isOdd, x[0], x[0].constant(1));
  Scalar reciprocal = select((x[0] == 1.0) | (x[0] == -1.0), sign, 0.0);
  return select(x[1] < 0.0, reciprocal, result);
}

namespace {

Scalar withBool(Scalar a, Scalar b, Scalar (*onBool)(Scalar, Scalar),
                Scalar (*otherwise)(Scalar, Scalar)) {
  return a.isBool() ? onBool(a, b) : otherwise(a, b);
}
Scalar orOf(Scalar a, Scalar b) { return a | b; }
Scalar andOf(Scalar a, Scalar b) { return a & b; }
Scalar sumOf(Scalar a, Scalar b) { return a + b; }
Scalar productOf(Scalar a, Scalar b) { return a * b; }

Scalar add(Scalars x) {
  return withBool(x[0], withBool(x[1], x[2], andOf, productOf), orOf, sumOf);
}
Scalar subtract(Scalars x) { return x[0] - x[1] * x[2]; }
Scalar reverseSubtract(Scalars x) { return x[1] - x[0] * x[2]; }
Scalar multiply(Scalars x) { return withBool(x[0], x[1], andOf, productOf); }
Scalar divide(Scalars x) { return x[0] / x[1]; }

Scalar remainder(Scalars x) { return floorMod(x[0], x[1]); }
Scalar fmod(Scalars x) { return truncMod(x[0], x[1]); }
Scalar larger(Scalars x) { return max(x[0], x[1]); }
Scalar smaller(Scalars x) { return min(x[0], x[1]); }
Scalar atLeastOf(Scalars x) { return max(x[0], x[1]); }
Scalar atMostOf(Scalars x) { return min(x[0], x[1]); }

/// Returns the larger operand; if one operand is NaN, returns the other operand.
Scalar largerNumber(Scalars x) {
  return x[0].isFloat() ? select(isNaN(x[0]), x[1], atLeast(x[0], x[1])) : max(x[0], x[1]);
}
Scalar smallerNumber(Scalars x) {
  return x[0].isFloat() ? select(isNaN(x[0]), x[1], atMost(x[0], x[1])) : min(x[0], x[1]);
}

Scalar equals(Scalars x) { return x[0] == x[1]; }
Scalar differs(Scalars x) { return x[0] != x[1]; }
Scalar less(Scalars x) { return x[0] < x[1]; }
Scalar lessEqual(Scalars x) { return x[0] <= x[1]; }
Scalar greater(Scalars x) { return x[0] > x[1]; }
Scalar greaterEqual(Scalars x) { return x[0] >= x[1]; }
Scalar bitAnd(Scalars x) { return x[0] & x[1]; }
Scalar bitOr(Scalars x) { return x[0] | x[1]; }
Scalar bitXor(Scalars x) { return x[0] ^ x[1]; }
Scalar shiftLeftOf(Scalars x) { return shiftLeft(x[0], x[1]); }
Scalar shiftRightOf(Scalars x) { return shiftRight(x[0], x[1]); }
Scalar bitNot(Scalars x) { return ~x[0]; }

/// These convert a float to an integer with the same bits, and back.
Scalar toBits(Scalar x) {
  OpBuilder &builder = x.getBuilder();
  Type type = builder.getIntegerType(x.getType().getIntOrFloatBitWidth());
  return {builder, x.getLoc(), arith::BitcastOp::create(builder, x.getLoc(), type, x.getValue())};
}
Scalar fromBits(Scalar bits, Scalar like) {
  return like.with(
      arith::BitcastOp::create(like.getBuilder(), like.getLoc(), like.getType(), bits.getValue()));
}
Scalar signBit(Scalars x) { return (x[0].isFloat() ? toBits(x[0]) : x[0]) < 0.0; }
Scalar copySign(Scalars x) {
  return x[0].with(
      math::CopySignOp::create(x[0].getBuilder(), x[0].getLoc(), x[0].getValue(), x[1].getValue()));
}
/// Returns the next float after x[0] in the direction of x[1]. Floats of equal sign have
/// consecutive bit patterns in the order of their magnitudes.
Scalar nextAfter(Scalars x) {
  Scalar bits = toBits(x[0]);
  Scalar step = select((x[1] > x[0]) ^ (x[0] < 0.0), bits.constant(1), bits.constant(-1));
  Scalar least = copySign({fromBits(bits.constant(1), x[0]), x[1]});
  Scalar moved = select(x[0] == 0.0, least, fromBits(bits + step, x[0]));
  Scalar other = select(isNaN(x[0]), x[0], x[1]); // equal to x[0], or a NaN
  return select((x[0] < x[1]) | (x[1] < x[0]), moved, other);
}

Scalar negate(Scalars x) { return -x[0]; }
Scalar absolute(Scalars x) { return abs(x[0]); }
Scalar signOf(Scalars x) {
  return x[0].isFloat() ? select(isNaN(x[0]), 0.0, sign(x[0])) : sign(x[0]);
}
Scalar rectify(Scalars x) { return max(x[0], x[0].constant(0)); }
Scalar reciprocalOf(Scalars x) { return 1.0 / x[0]; }
Scalar floorOf(Scalars x) { return x[0].isFloat() ? floor(x[0]) : x[0]; }
Scalar ceilOf(Scalars x) { return x[0].isFloat() ? ceil(x[0]) : x[0]; }
Scalar roundOf(Scalars x) { return x[0].isFloat() ? roundEven(x[0]) : x[0]; }
Scalar truncOf(Scalars x) { return x[0].isFloat() ? trunc(x[0]) : x[0]; }
Scalar isNaNOf(Scalars x) { return x[0].isFloat() ? isNaN(x[0]) : x[0] != x[0]; }
Scalar leakyRelu(Scalars x) { return select(x[0] > 0.0, x[0], x[0] * x[1]); }
Scalar hardTanh(Scalars x) { return atMost(atLeast(x[0], x[1]), x[2]); }
/// Interpolates from the nearer end, as ATen does; this is exact at both ends.
Scalar lerpOf(Scalars x) {
  Scalar distance = x[1] - x[0];
  return select(abs(x[2]) < 0.5, x[0] + x[2] * distance, x[1] - distance * (1.0 - x[2]));
}
/// Rounds the sum and its last product once.
Scalar addcmulOf(Scalars x) {
  Scalar scaled = x[3] * x[1];
  if (!x[0].isFloat() || x[0].getType().getIntOrFloatBitWidth() < 32)
    return x[0] + scaled * x[2];
  return x[0].with(math::FmaOp::create(x[0].getBuilder(), x[0].getLoc(), scaled.getValue(),
                                       x[2].getValue(), x[0].getValue()));
}
Scalar addcdivOf(Scalars x) { return x[0] + x[3] * x[1] / x[2]; }

const Row rows[] = {
    {"add", "Tensor Scalar", Rule::Promote, 2, 1, add, true},
    {"sub", "Tensor Scalar", Rule::NoBool, 2, 1, subtract, true},
    {"rsub", "Tensor Scalar", Rule::Promote, 2, 1, reverseSubtract, true},
    {"mul", "Tensor Scalar", Rule::Promote, 2, 0, multiply, true},
    {"div", "Tensor Scalar", Rule::ToFloat, 2, 0, divide, true},
    {"floor_divide", "- Scalar", Rule::Divide, 2, 0, floorDivide},
    {"remainder", "Tensor Scalar", Rule::Divide, 2, 0, remainder},
    {"fmod", "Tensor Scalar", Rule::Divide, 2, 0, fmod},
    {"maximum", "-", Rule::Promote, 2, 0, larger},
    {"minimum", "-", Rule::Promote, 2, 0, smaller},
    {"fmax", "-", Rule::Promote, 2, 0, largerNumber},
    {"fmin", "-", Rule::Promote, 2, 0, smallerNumber},
    {"clamp_min", "- Tensor", Rule::Promote, 2, 0, atLeastOf},
    {"clamp_max", "- Tensor", Rule::Promote, 2, 0, atMostOf},
    {"eq", "Tensor Scalar", Rule::Compare, 2, 0, equals},
    {"ne", "Tensor Scalar", Rule::Compare, 2, 0, differs},
    {"lt", "Tensor Scalar", Rule::Compare, 2, 0, less},
    {"le", "Tensor Scalar", Rule::Compare, 2, 0, lessEqual},
    {"gt", "Tensor Scalar", Rule::Compare, 2, 0, greater},
    {"ge", "Tensor Scalar", Rule::Compare, 2, 0, greaterEqual},
    {"logical_and", "-", Rule::Logical, 2, 0, bitAnd},
    {"logical_or", "-", Rule::Logical, 2, 0, bitOr},
    {"logical_xor", "-", Rule::Logical, 2, 0, bitXor},
    {"logical_not", "-", Rule::Logical, 1, 0, bitNot},
    {"bitwise_and", "Tensor Scalar", Rule::Bits, 2, 0, bitAnd},
    {"bitwise_or", "Tensor Scalar", Rule::Bits, 2, 0, bitOr},
    {"bitwise_xor", "Tensor Scalar", Rule::Bits, 2, 0, bitXor},
    {"bitwise_not", "-", Rule::Bits, 1, 0, bitNot},
    {"bitwise_left_shift", "Tensor Tensor_Scalar Scalar_Tensor", Rule::Integer, 2, 0, shiftLeftOf},
    {"bitwise_right_shift", "Tensor Tensor_Scalar Scalar_Tensor", Rule::Integer, 2, 0,
     shiftRightOf},
    {"__lshift__", "Tensor Scalar", Rule::Integer, 2, 0, shiftLeftOf},
    {"__rshift__", "Tensor Scalar", Rule::Integer, 2, 0, shiftRightOf},
    {"signbit", "-", Rule::Compare, 1, 0, signBit},
    {"copysign", "Tensor Scalar", Rule::ToFloat, 2, 0, copySign},
    {"nextafter", "-", Rule::WideFloat, 2, 0, nextAfter},
    {"neg", "-", Rule::NoBool, 1, 0, negate},
    {"abs", "-", Rule::Promote, 1, 0, absolute},
    {"sign", "-", Rule::Promote, 1, 0, signOf},
    {"relu", "-", Rule::Promote, 1, 0, rectify},
    {"reciprocal", "-", Rule::ToFloat, 1, 0, reciprocalOf},
    {"floor", "-", Rule::Promote, 1, 0, floorOf},
    {"ceil", "-", Rule::Promote, 1, 0, ceilOf},
    {"round", "-", Rule::Promote, 1, 0, roundOf},
    {"trunc", "-", Rule::Promote, 1, 0, truncOf},
    {"isnan", "-", Rule::Compare, 1, 0, isNaNOf},
    {"leaky_relu", "-", Rule::FloatOnly, 1, 1, leakyRelu},
    {"hardtanh", "-", Rule::Promote, 1, 2, hardTanh},
    {"lerp", "Scalar Tensor", Rule::FloatOnly, 2, 1, lerpOf},
    {"addcmul", "-", Rule::Promote, 3, 1, addcmulOf},
    {"addcdiv", "-", Rule::ToFloat, 3, 1, addcdivOf},
};

} // namespace

llvm::ArrayRef<Row> getArithmetic() { return rows; }

} // namespace tssa::pytorch

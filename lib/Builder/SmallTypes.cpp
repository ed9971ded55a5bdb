//===- SmallTypes.cpp - encodings of small element types -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Builder/SmallTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tssa::operators {

using runtime::SmallFloatFormat;

// The parts of an f32.
static constexpr unsigned fractionBits = 23;
static constexpr int64_t bias = 127, infinityBits = 0x7f800000, nanBits = 0x7fc00000,
                         fractionMask = 0x7fffff, magnitudeMask = 0x7fffffff;

static Scalar bitcast(Scalar x, Type type) {
  return {x.getBuilder(), x.getLoc(),
          arith::BitcastOp::create(x.getBuilder(), x.getLoc(), type, x.getValue()),
          /*isUnsigned=*/false};
}

static Scalar toBits(Scalar x) { return bitcast(x, x.getBuilder().getI32Type()); }
static Scalar fromBits(Scalar x) { return bitcast(x, x.getBuilder().getF32Type()); }

static Scalar integer(Scalar like, int64_t number) {
  return like.constant(APInt(like.getType().getIntOrFloatBitWidth(), number, /*isSigned=*/false,
                             /*implicitTrunc=*/true));
}

static Scalar shiftLeft(Scalar x, unsigned bits) {
  return x.with(
      arith::ShLIOp::create(x.getBuilder(), x.getLoc(), x.getValue(), integer(x, bits).getValue()));
}

static Scalar shiftRight(Scalar x, unsigned bits) {
  return x.with(arith::ShRUIOp::create(x.getBuilder(), x.getLoc(), x.getValue(),
                                       integer(x, bits).getValue()));
}

//===----------------------------------------------------------------------===//
// To f32
//===----------------------------------------------------------------------===//

static Scalar decodePowerOfTwo(Scalar byte) {
  Scalar bits = shiftLeft(byte, fractionBits);
  bits = select(byte == 0.0, integer(byte, 1 << (fractionBits - 1)), bits);
  return fromBits(select(byte == 255.0, integer(byte, nanBits), bits));
}

Scalar decodeSmallFloat(Scalar byte, DType type) {
  OpBuilder &builder = byte.getBuilder();
  Scalar unsignedByte(builder, byte.getLoc(), byte.getValue(), /*isUnsigned=*/true);
  Scalar wide = convert(unsignedByte, builder.getI32Type());
  if (type == DType::F8E8M0)
    return decodePowerOfTwo(wide);
  const SmallFloatFormat &format = *runtime::getSmallFloatFormat(type);
  int64_t signBit = 1 << format.signShift;
  Scalar code = wide & integer(wide, signBit - 1);
  Scalar sign = shiftLeft(wide & integer(wide, signBit), 31 - format.signShift);

  Scalar normal = shiftLeft(code, fractionBits - format.fractionBits) +
                  integer(code, (bias - format.bias) << fractionBits);
  double unit = std::ldexp(1.0, 1 - format.bias - static_cast<int>(format.fractionBits));
  Scalar subnormal = toBits(convert(code, builder.getF32Type()) * unit);
  Scalar bits = select(code < static_cast<double>(1 << format.fractionBits), subnormal, normal);
  if (format.infinity)
    bits = select(code == static_cast<double>(format.infinity), integer(code, infinityBits), bits);
  if (format.nan == signBit)
    bits = select(wide == static_cast<double>(signBit), integer(code, nanBits), bits);
  else if (format.nan)
    bits = select(code > static_cast<double>(std::max(format.infinity, format.largest)),
                  integer(code, nanBits), bits);
  return fromBits(bits | sign);
}

//===----------------------------------------------------------------------===//
// From numbers
//===----------------------------------------------------------------------===//

/// Rounds an f64 to f32 in such a way that a second rounding, to fewer bits, gives the same result
/// as rounding the f64 directly. An inexact number becomes the neighbour with an odd fraction.
static Scalar narrowToOdd(Scalar x) {
  Scalar narrow = convert(x, x.getBuilder().getF32Type());
  Scalar back = convert(narrow, x.getType());
  Scalar bits = toBits(narrow);
  Scalar below = select(abs(back) > abs(x), bits - 1.0, bits);
  return fromBits(select(back == x, bits, below | integer(bits, 1)));
}

static Scalar toFloat(Scalar x) {
  return x.getType().isF64() ? narrowToOdd(x) : convert(x, x.getBuilder().getF32Type());
}

static Scalar encodePowerOfTwo(Scalar magnitude, SmallFloatRounding rounding) {
  constexpr double largest = 254, nan = 255;
  Scalar exponent = shiftRight(magnitude, fractionBits);
  Scalar fraction = magnitude & integer(magnitude, fractionMask);
  // The least exponent needs another fraction: 2^-127 is half of the least normal f32.
  Scalar isLeast = exponent == 0.0;
  Scalar half = integer(magnitude, 1 << (fractionBits - 1));
  Scalar isAbove = select(isLeast, fraction > half, fraction != 0.0);
  if (rounding.mode == SmallFloatRounding::Nearest)
    isAbove =
        select(isLeast, fraction > integer(magnitude, 3 << (fractionBits - 2)), fraction >= half);
  Scalar code = rounding.mode == SmallFloatRounding::Down
                    ? exponent
                    : select(isAbove, exponent + 1.0, exponent);
  code = rounding.saturates ? min(code, code.constant(largest))
                            : select(magnitude == 0.0, nan, min(code, code.constant(nan)));
  return select(magnitude > integer(magnitude, infinityBits), nan, code);
}

/// Returns the code of a magnitude, which may exceed the code of the largest number.
static Scalar roundMagnitude(Scalar magnitude, const SmallFloatFormat &format) {
  unsigned dropped = fractionBits - format.fractionBits;
  Scalar isOdd = shiftRight(magnitude, dropped) & integer(magnitude, 1);
  Scalar rounded = magnitude + integer(magnitude, (1 << (dropped - 1)) - 1) + isOdd;
  Scalar normal = shiftRight(rounded, dropped) -
                  static_cast<double>((bias - format.bias) << format.fractionBits);
  // The last bit of `anchor` has the value of the last bit of a subnormal. The addition therefore
  // rounds the magnitude to a multiple of the least subnormal.
  double anchor = std::ldexp(1.0, static_cast<int>(dropped) + 1 - format.bias);
  Scalar subnormal =
      toBits(fromBits(magnitude) + anchor) - toBits(fromBits(magnitude).constant(anchor));
  Scalar leastNormal = integer(magnitude, (bias + 1 - format.bias) << fractionBits);
  return select(magnitude < leastNormal, subnormal, normal);
}

Scalar encodeSmallFloat(Scalar number, DType type, SmallFloatRounding rounding) {
  OpBuilder &builder = number.getBuilder();
  Scalar bits = toBits(toFloat(number));
  Scalar magnitude = bits & integer(bits, magnitudeMask);
  if (type == DType::F8E8M0)
    return convert(encodePowerOfTwo(magnitude, rounding), builder.getI8Type());
  const SmallFloatFormat &format = *runtime::getSmallFloatFormat(type);
  unsigned beyond = rounding.saturates || !format.nan ? format.largest
                    : format.infinity                 ? format.infinity
                                                      : format.nan;
  Scalar code = roundMagnitude(magnitude, format);
  code = select(code > static_cast<double>(format.largest), beyond, code);
  code = select(magnitude > integer(bits, infinityBits), static_cast<double>(format.nan), code);
  Scalar sign = shiftLeft(shiftRight(bits, 31), format.signShift);
  Scalar result = code | sign;
  if (format.nan == 1 << format.signShift) // there is no -0
    result = select(code == 0.0, 0.0, result);
  return convert(result, builder.getI8Type());
}

Scalar cutToSubByte(Scalar number, DType type) {
  OpBuilder &builder = number.getBuilder();
  Scalar byte = number.isFloat() ? convert(number, builder.getI32Type()) : number;
  byte = convert(byte, builder.getI8Type(), isUnsigned(type));
  unsigned bits = getBits(type);
  if (isUnsigned(type) || isFloat(type))
    return byte & integer(byte, (1 << bits) - 1);
  Scalar top = shiftLeft(byte, 8 - bits);
  return top.with(arith::ShRSIOp::create(builder, top.getLoc(), top.getValue(),
                                         integer(top, 8 - bits).getValue()));
}

} // namespace tssa::operators

//===- SmallFloat.cpp - floats of eight bits and less ---------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Runtime/SmallFloat.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tssa::runtime;

const SmallFloatFormat *tssa::runtime::getSmallFloatFormat(DType type) {
  static constexpr SmallFloatFormat e4m3fn = {3, 7, 7, 0x7e, 0, 0x7f};
  static constexpr SmallFloatFormat e4m3fnuz = {3, 8, 7, 0x7f, 0, 0x80};
  static constexpr SmallFloatFormat e5m2 = {2, 15, 7, 0x7b, 0x7c, 0x7f};
  static constexpr SmallFloatFormat e5m2fnuz = {2, 16, 7, 0x7f, 0, 0x80};
  static constexpr SmallFloatFormat e2m1fn = {1, 1, 3, 0x7, 0, 0};
  switch (type) {
  case DType::F8E4M3FN:
    return &e4m3fn;
  case DType::F8E4M3FNUZ:
    return &e4m3fnuz;
  case DType::F8E5M2:
    return &e5m2;
  case DType::F8E5M2FNUZ:
    return &e5m2fnuz;
  case DType::F4E2M1:
    return &e2m1fn;
  default:
    return nullptr;
  }
}

bool tssa::runtime::isSmallFloat(DType type) {
  return getSmallFloatFormat(type) || type == DType::F8E8M0;
}

unsigned tssa::runtime::getValueBits(DType type) {
  return type == DType::Bool ? 1 : toABI(type).bits;
}

static constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();

float tssa::runtime::decodeSmallFloat(DType type, uint8_t bits) {
  if (type == DType::F8E8M0)
    return bits == 255 ? notANumber : std::ldexp(1.0f, bits - 127);
  const SmallFloatFormat &format = *getSmallFloatFormat(type);
  unsigned sign = bits >> format.signShift & 1;
  unsigned code = bits & ((1u << format.signShift) - 1);
  bool negativeZeroIsNaN = format.nan == 1u << format.signShift;
  if (negativeZeroIsNaN ? sign && code == 0
                        : format.nan && code > (format.infinity ? format.infinity : format.largest))
    return notANumber;
  if (format.infinity && code == format.infinity)
    return sign ? -INFINITY : INFINITY;
  int exponent = int(code >> format.fractionBits);
  unsigned fraction = code & ((1u << format.fractionBits) - 1);
  if (exponent > 0)
    fraction |= 1u << format.fractionBits;
  float number =
      std::ldexp(float(fraction), std::max(exponent, 1) - format.bias - int(format.fractionBits));
  return sign ? -number : number;
}

static uint8_t encodePowerOfTwo(float value) {
  if (std::isnan(value))
    return 255;
  if (!(value > 0))
    return 0;
  int exponent;
  float fraction = std::frexp(value, &exponent); // in [0.5, 1)
  return uint8_t(std::clamp(exponent - 1 + (fraction > 0.75f) + 127, 0, 254));
}

uint8_t tssa::runtime::encodeSmallFloat(DType type, float value) {
  if (type == DType::F8E8M0)
    return encodePowerOfTwo(value);
  const SmallFloatFormat &format = *getSmallFloatFormat(type);
  unsigned sign = unsigned(std::signbit(value)) << format.signShift;
  if (std::isnan(value))
    return uint8_t(sign | format.nan);
  float magnitude = std::min(std::fabs(value), decodeSmallFloat(type, format.largest));
  int least = 1 - format.bias, exponent = least;
  if (magnitude > 0)
    exponent = std::max(std::ilogb(magnitude), least);
  // The fraction includes its leading one; rounding up may carry into the exponent.
  unsigned fraction =
      unsigned(std::nearbyint(std::ldexp(magnitude, int(format.fractionBits) - exponent)));
  unsigned code = (unsigned(exponent - least) << format.fractionBits) + fraction;
  code = std::min<unsigned>(code, format.largest);
  bool hasNegativeZero = format.nan != 1u << format.signShift;
  return uint8_t(code || hasNegativeZero ? sign | code : 0);
}

/// Returns the canonical byte for a byte of a one-byte type.
static uint8_t toCanonical(DType type, unsigned bits, uint8_t byte) {
  if (type == DType::Bool)
    return byte != 0;
  uint8_t low = byte & uint8_t((1u << bits) - 1);
  bool isNegative = (type == DType::I4 || type == DType::I2) && low >> (bits - 1);
  return isNegative ? uint8_t(low | 0xff << bits) : low;
}

bool tssa::runtime::areCanonical(DType type, const void *data, int64_t count) {
  unsigned bits = getValueBits(type);
  if (bits >= 8)
    return true;
  const uint8_t *bytes = static_cast<const uint8_t *>(data);
  if (type == DType::Bool) { // large masks are common, and a loop without exits is quick
    uint8_t all = 0;
    for (int64_t i = 0; i < count; ++i)
      all |= bytes[i];
    return all <= 1;
  }
  for (int64_t i = 0; i < count; ++i)
    if (bytes[i] != toCanonical(type, bits, bytes[i]))
      return false;
  return true;
}

void tssa::runtime::makeCanonical(DType type, void *data, int64_t count) {
  unsigned bits = getValueBits(type);
  if (bits >= 8)
    return;
  uint8_t *bytes = static_cast<uint8_t *>(data);
  for (int64_t i = 0; i < count; ++i)
    bytes[i] = toCanonical(type, bits, bytes[i]);
}

//===- Elements.cpp ------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Runtime/Elements.h"

#include "tssa/Runtime/SmallFloat.h"

#include <cmath>
#include <cstring>

using namespace tssa::runtime;

template <typename To, typename From> static To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

bool tssa::runtime::isFloat(DType type) {
  return type == DType::F32 || type == DType::F64 || type == DType::F16 || type == DType::BF16 ||
         isSmallFloat(type);
}

float tssa::runtime::halfToFloat(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16;
  uint32_t exponent = half >> 10 & 0x1f, fraction = half & 0x3ff;
  if (exponent == 0)
    return std::copysign(std::ldexp(float(fraction), -24), bitCast<float>(sign | 0x3f800000));
  if (exponent == 31)
    return bitCast<float>(sign | 0x7f800000 | fraction << 13);
  return bitCast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

/// Drops the low `count` bits of `value`, and rounds to nearest, ties to even.
static uint32_t roundBits(uint32_t value, unsigned count) {
  uint32_t half = uint32_t(1) << (count - 1);
  uint32_t odd = value >> count & 1;
  return (value + half - 1 + odd) >> count;
}

uint16_t tssa::runtime::floatToHalf(float value) {
  uint32_t bits = bitCast<uint32_t>(value);
  uint16_t sign = uint16_t(bits >> 16 & 0x8000);
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return sign | 0x7e00; // NaN
  if (magnitude >= 0x47800000)
    return sign | 0x7c00; // 2^16 or more
  if (magnitude < 0x33000000)
    return sign; // less than half of the smallest subnormal
  if (magnitude < 0x38800000) {
    // Subnormal: the exponent determines by how much the fraction is shifted.
    uint32_t fraction = (magnitude & 0x7fffff) | 0x800000;
    return uint16_t(sign | roundBits(fraction, 126 - (magnitude >> 23)));
  }
  return uint16_t(sign | roundBits(magnitude - 0x38000000, 13));
}

uint16_t tssa::runtime::floatToBFloat(float value) {
  uint32_t bits = bitCast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return uint16_t(bits >> 16 | 0x40);
  return uint16_t(roundBits(bits, 16));
}

template <typename T> static T load(const Tensor &tensor, int64_t index) {
  return static_cast<const T *>(tensor.data)[index];
}

template <typename T> static void store(Tensor &tensor, int64_t index, double value) {
  static_cast<T *>(tensor.data)[index] = T(value);
}

double tssa::runtime::getElement(const Tensor &tensor, int64_t index) {
  switch (tensor.dtype) {
  case DType::F32:
    return load<float>(tensor, index);
  case DType::F64:
    return load<double>(tensor, index);
  case DType::F16:
    return halfToFloat(load<uint16_t>(tensor, index));
  case DType::BF16:
    return bitCast<float>(uint32_t(load<uint16_t>(tensor, index)) << 16);
  case DType::Bool:
  case DType::U8:
  case DType::U4:
  case DType::U2:
    return load<uint8_t>(tensor, index);
  case DType::I8:
  case DType::I4:
  case DType::I2:
    return load<int8_t>(tensor, index);
  case DType::I16:
    return load<int16_t>(tensor, index);
  case DType::U16:
    return load<uint16_t>(tensor, index);
  case DType::I32:
    return load<int32_t>(tensor, index);
  case DType::U32:
    return load<uint32_t>(tensor, index);
  case DType::I64:
    return double(load<int64_t>(tensor, index));
  case DType::U64:
    return double(load<uint64_t>(tensor, index));
  case DType::F8E4M3FN:
  case DType::F8E4M3FNUZ:
  case DType::F8E5M2:
  case DType::F8E5M2FNUZ:
  case DType::F8E8M0:
  case DType::F4E2M1:
    return decodeSmallFloat(tensor.dtype, load<uint8_t>(tensor, index));
  }
  return 0;
}

void tssa::runtime::setElement(Tensor &tensor, int64_t index, double value) {
  switch (tensor.dtype) {
  case DType::F32:
    return store<float>(tensor, index, value);
  case DType::F64:
    return store<double>(tensor, index, value);
  case DType::F16:
    return store<uint16_t>(tensor, index, floatToHalf(float(value)));
  case DType::BF16:
    return store<uint16_t>(tensor, index, floatToBFloat(float(value)));
  case DType::Bool:
    return store<uint8_t>(tensor, index, value != 0);
  case DType::U8:
  case DType::U4:
  case DType::U2:
    return store<uint8_t>(tensor, index, value);
  case DType::I8:
  case DType::I4:
  case DType::I2:
    return store<int8_t>(tensor, index, value);
  case DType::I16:
    return store<int16_t>(tensor, index, value);
  case DType::U16:
    return store<uint16_t>(tensor, index, value);
  case DType::I32:
    return store<int32_t>(tensor, index, value);
  case DType::U32:
    return store<uint32_t>(tensor, index, value);
  case DType::I64:
    return store<int64_t>(tensor, index, value);
  case DType::U64:
    return store<uint64_t>(tensor, index, value);
  case DType::F8E4M3FN:
  case DType::F8E4M3FNUZ:
  case DType::F8E5M2:
  case DType::F8E5M2FNUZ:
  case DType::F8E8M0:
  case DType::F4E2M1:
    return store<uint8_t>(tensor, index, encodeSmallFloat(tensor.dtype, float(value)));
  }
}

bool tssa::runtime::sameElement(const Tensor &a, const Tensor &b, int64_t index) {
  size_t size = getByteSize(a.dtype);
  return std::memcmp(static_cast<const char *>(a.data) + size_t(index) * size,
                     static_cast<const char *>(b.data) + size_t(index) * size, size) == 0;
}

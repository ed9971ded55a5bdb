//===- MatrixProduct.cpp - the sums of tensor cores ------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"

#include <algorithm>
#include <cmath>

using namespace tssa::runtime::emulator;

std::optional<MatrixSums> tssa::runtime::emulator::parseMatrixSums(const std::string &name) {
  if (name == "fast")
    return MatrixSums::Fast;
  if (name == "sm_80")
    return MatrixSums::SM80;
  return name == "sm_90" ? std::optional(MatrixSums::SM90) : std::nullopt;
}

namespace {

/// A number as significand * 2^(exponent - fraction), where `fraction` depends on what it is.
struct Parts {
  int64_t significand;
  int exponent;
};

constexpr int factorFraction = 11;
constexpr int leastExponent = -126; ///< of a normal f32
constexpr int leastBit = -149;      ///< of an f32
constexpr int precision = 24;
constexpr int ofZero = -4096; ///< an exponent below all others, even in a sum with one

/// The parts of a finite f32; `fraction` is 23.
Parts split(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  int64_t fraction = bits & 0x7FFFFF;
  int exponent = static_cast<int>(bits >> 23 & 255);
  if (exponent != 0)
    fraction |= 0x800000;
  return {bits >> 31 ? -fraction : fraction, std::max(exponent, 1) - 127};
}

/// The parts of a finite factor; `fraction` is factorFraction, which loses no bits.
Parts splitFactor(FactorType type, float value) {
  Parts parts = split(value);
  if (parts.significand == 0)
    return {0, ofZero};
  int least = type == FactorType::F16 ? -14 : leastExponent;
  int shift = std::max(least - parts.exponent, 0);
  return {parts.significand / (int64_t(1) << (shift + 23 - factorFraction)),
          parts.exponent + shift};
}

/// Returns significand * 2^-shift, cut toward zero.
int64_t cut(int64_t significand, int shift) {
  shift = std::min(shift, 62);
  return significand < 0 ? -(-significand >> shift) : significand >> shift;
}

/// Returns sum * 2^exponent, cut to an f32.
float cutToFloat(int64_t sum, int exponent) {
  uint64_t magnitude = static_cast<uint64_t>(std::abs(sum));
  if (magnitude == 0)
    return 0.0f;
  int extra = std::max({64 - __builtin_clzll(magnitude) - precision, leastBit - exponent, 0});
  float value = std::ldexp(static_cast<float>(magnitude >> extra), exponent + extra);
  return sum < 0 ? -value : value;
}

/// The products of a step.
struct Step {
  const Parts *a, *b;
  int count, fraction;
};

/// Returns the sum of finite products and of `c`.
float add(const Step &step, float c) {
  Parts sumSoFar = split(c);
  int largest = sumSoFar.exponent;
  for (int i = 0; i < step.count; ++i)
    largest = std::max(largest, step.a[i].exponent + step.b[i].exponent);
  int64_t ofSum = int64_t(1) << (step.fraction - 23);
  int64_t ofProduct = int64_t(1) << (step.fraction - 2 * factorFraction);
  int64_t sum = cut(sumSoFar.significand * ofSum, largest - sumSoFar.exponent);
  for (int i = 0; i < step.count; ++i) {
    int64_t product = step.a[i].significand * step.b[i].significand;
    sum += cut(product * ofProduct, largest - step.a[i].exponent - step.b[i].exponent);
  }
  return cutToFloat(sum, largest - step.fraction);
}

} // namespace

/// Returns the sum of `count` products from k = `first` and of c if a term is not finite.
static std::optional<float> addInfinities(const MatrixProduct &product, int i, int j, int first,
                                          int count) {
  double sum = product.c[i][j];
  for (int k = first; k < first + count; ++k)
    sum += static_cast<double>(product.a[i][k]) * static_cast<double>(product.b[k][j]);
  if (std::isfinite(sum))
    return std::nullopt;
  constexpr uint32_t hardwareNaN = 0x7FFFFFFF;
  return std::isnan(sum) ? toFloat(hardwareNaN) : static_cast<float>(sum);
}

static void addAsHardware(MatrixProduct &product, int count, int fraction) {
  constexpr int m = MatrixProduct::m, n = MatrixProduct::n;
  Parts a[m][MatrixProduct::mostK], b[n][MatrixProduct::mostK];
  bool allFinite = true;
  auto split = [&](float factor) {
    allFinite &= std::isfinite(factor);
    return splitFactor(product.type, factor);
  };
  for (int l = 0; l < product.k; ++l) {
    for (int i = 0; i < m; ++i)
      a[i][l] = split(product.a[i][l]);
    for (int j = 0; j < n; ++j)
      b[j][l] = split(product.b[l][j]);
  }
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int l = 0; l < product.k; l += count) {
        float &c = product.c[i][j];
        std::optional<float> infinite;
        if (!allFinite || !std::isfinite(c))
          infinite = addInfinities(product, i, j, l, count);
        c = infinite ? *infinite : add({a[i] + l, b[j] + l, count, fraction}, c);
      }
}

void MatrixProduct::run(MatrixSums sums) {
  bool isExact = type == FactorType::S8;
  if (sums == MatrixSums::SM80 && !isExact)
    return addAsHardware(*this, k / 2, 24);
  if (sums == MatrixSums::SM90 && !isExact)
    return addAsHardware(*this, k, 25);
  for (int i = 0; i < m; ++i) {
    float row[n]; // in registers
    std::copy_n(c[i], n, row);
    for (int l = 0; l < k; ++l)
      for (int j = 0; j < n; ++j)
        row[j] += a[i][l] * b[l][j];
    std::copy_n(row, n, c[i]);
  }
}

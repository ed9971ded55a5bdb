//===- MatrixProduct.h - the sums of tensor cores --------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The arithmetic of mma.sync m16n8 with sums in f32. Integers of eight bits are floats here,
/// because their sums of 32 products are exact.
///
/// The sums of the hardware follow the rule of "MMA-Sim: Bit-Accurate Reference Model of Tensor
/// Cores and Matrix Cores" (arXiv 2511.10909), whose authors compared it with GPUs bit by bit:
/// the exponent of a product is the sum of its factors' exponents; the products of a step and the
/// sum so far are cut to a number of fraction bits of the largest exponent of them; their exact
/// sum is cut to an f32. The exponent of zero is that of the least normal f32.
///
/// | sums  | products of a step     | fraction bits |
/// | ----- | ---------------------- | ------------- |
/// | sm_80 | 8 of f16, bf16; 4 tf32 | 24            |
/// | sm_90 | 16; 8                  | 25            |
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_EMULATOR_MATRIXPRODUCT_H
#define TSSA_LIB_RUNTIME_EMULATOR_MATRIXPRODUCT_H

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

namespace tssa::runtime::emulator {

/// How products are summed.
enum class MatrixSums : uint8_t {
  Fast, ///< in f32, one product after the other
  SM80, ///< by the rule for GPUs of compute capability 8.0
  SM90, ///< by that for 9.0
};

/// Returns the sums that are called "fast", "sm_80" or "sm_90".
std::optional<MatrixSums> parseMatrixSums(const std::string &name);

enum class FactorType : uint8_t { F16, BF16, TF32, S8 };

constexpr int getFactorsPerWord(FactorType type) {
  return type == FactorType::TF32 ? 1 : type == FactorType::S8 ? 4 : 2;
}

inline float toFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// Returns the value of the f16 with these bits.
inline float decodeF16(uint32_t bits) {
  uint32_t sign = (bits & 0x8000) << 16, magnitude = bits & 0x7FFF;
  if (magnitude < 0x400) // subnormal
    return (sign ? -0x1p-24f : 0x1p-24f) * static_cast<float>(magnitude);
  // The exponent is moved to the range of f32: by 112, or to the largest one.
  uint32_t shift = magnitude < 0x7C00 ? 112u << 23 : 224u << 23;
  return toFloat(sign | ((magnitude << 13) + shift));
}

/// Returns the value of the factor in the low bits of `word`.
inline float decodeFactor(FactorType type, uint32_t word) {
  switch (type) {
  case FactorType::F16:
    return decodeF16(word);
  case FactorType::BF16:
    return toFloat(word << 16);
  case FactorType::TF32:
    return toFloat(word & 0xFFFFE000); // the hardware ignores the other bits
  case FactorType::S8:
    return static_cast<float>(static_cast<int8_t>(word));
  }
  return 0;
}

/// c += a * b, where the elements of a and b are values of `type`.
struct MatrixProduct {
  explicit MatrixProduct(FactorType type) : type(type), k(8 * getFactorsPerWord(type)) {}

  static constexpr int m = 16, n = 8, mostK = 32;
  FactorType type;
  int k;
  float a[m][mostK], b[mostK][n], c[m][n];

  void run(MatrixSums sums);
};

} // namespace tssa::runtime::emulator

#endif // TSSA_LIB_RUNTIME_EMULATOR_MATRIXPRODUCT_H

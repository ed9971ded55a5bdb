//===- Checked.h - size arithmetic that cannot wrap ----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_CHECKED_H
#define TSSA_LIB_RUNTIME_CHECKED_H

#include <cstdint>
#include <optional>

namespace tssa::runtime {

inline std::optional<int64_t> checkedMul(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result))
    return std::nullopt;
  return result;
}

inline std::optional<uint64_t> checkedAdd(uint64_t a, uint64_t b) {
  uint64_t result;
  if (__builtin_add_overflow(a, b, &result))
    return std::nullopt;
  return result;
}

/// Bytes of a dense tensor; none when a dimension is negative or the product of
/// the others does not fit, even if one of them is zero.
inline std::optional<int64_t> checkedBytes(const int64_t *shape, int32_t rank,
                                           int64_t elementBytes) {
  int64_t bytes = elementBytes;
  bool empty = false;
  for (int32_t i = 0; i < rank; ++i) {
    if (shape[i] < 0)
      return std::nullopt;
    empty |= shape[i] == 0;
    if (shape[i] == 0)
      continue;
    std::optional<int64_t> product = checkedMul(bytes, shape[i]);
    if (!product)
      return std::nullopt;
    bytes = *product;
  }
  return empty ? 0 : bytes;
}

inline uint64_t alignTo(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_CHECKED_H

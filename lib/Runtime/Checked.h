//===- Checked.h - bytes of tensors and alignment ------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_CHECKED_H
#define TSSA_LIB_RUNTIME_CHECKED_H

#include "tssa/Support/CheckedSize.h"

namespace tssa::runtime {

/// Returns the number of bytes of a dense tensor. Returns nothing if a dimension is negative,
/// or if the product overflows when dimensions of size 0 are left out.
inline std::optional<int64_t> checkedBytes(const int64_t *shape, int32_t rank,
                                           int64_t elementBytes) {
  struct Sizes {
    const int64_t *first, *last;
    const int64_t *begin() const { return first; }
    const int64_t *end() const { return last; }
  };
  return CheckedSize::product(Sizes{shape, shape + rank}, elementBytes).get();
}

inline uint64_t alignTo(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_CHECKED_H

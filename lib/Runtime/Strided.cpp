//===- Strided.cpp -------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Strided.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace tssa::runtime;

bool tssa::runtime::isContiguous(const tssa_tensor &tensor) {
  if (!tensor.strides)
    return true;
  int64_t expected = 1;
  for (int32_t i = tensor.ndim - 1; i >= 0; --i) {
    if (tensor.shape[i] == 0)
      return true;
    if (tensor.shape[i] != 1 && tensor.strides[i] != expected)
      return false;
    expected *= tensor.shape[i];
  }
  return true;
}

void tssa::runtime::copyStrided(const tssa_tensor &from, unsigned elementBytes,
                                void *to) {
  const char *source = static_cast<const char *>(from.data) + from.byte_offset;
  char *target = static_cast<char *>(to);
  std::vector<int64_t> strides(from.ndim), index(from.ndim);
  int64_t count = 1;
  for (int32_t i = from.ndim - 1; i >= 0; --i) {
    strides[i] = (from.strides ? from.strides[i] : count) * elementBytes;
    count *= from.shape[i];
  }
  if (!from.strides) {
    std::memcpy(target, source, size_t(count) * elementBytes);
    return;
  }
  for (int64_t i = 0; i < count; ++i, target += elementBytes) {
    std::memcpy(target, source, elementBytes);
    for (int32_t d = from.ndim - 1; d >= 0; --d) {
      source += strides[d];
      if (++index[d] < from.shape[d])
        break;
      source -= strides[d] * from.shape[d];
      index[d] = 0;
    }
  }
}

bool tssa::runtime::areBools(const void *data, int64_t count) {
  const uint8_t *bytes = static_cast<const uint8_t *>(data);
  uint8_t all = 0;
  for (int64_t i = 0; i < count; ++i)
    all |= bytes[i];
  return all <= 1;
}

void tssa::runtime::makeBools(void *data, int64_t count) {
  uint8_t *bytes = static_cast<uint8_t *>(data);
  std::transform(bytes, bytes + count, bytes,
                 [](uint8_t byte) { return uint8_t(byte != 0); });
}

//===- Strided.cpp -------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Strided.h"

#include <algorithm>
#include <cstring>
#include <utility>
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
    expected *= tensor.shape[i]; // in range: checked for Arguments
  }
  return true;
}

/// Calls `visit(address, i)` for all elements i in row-major order.
template <typename Visit>
static void visitElements(const tssa_tensor &tensor, unsigned elementBytes, Visit visit) {
  char *address = static_cast<char *>(tensor.data) + tensor.byte_offset;
  std::vector<int64_t> strides(tensor.ndim), index(tensor.ndim);
  int64_t count = 1;
  for (int32_t i = tensor.ndim - 1; i >= 0; --i) {
    // The stride of a dim of size 1 is arbitrary and never used.
    strides[i] =
        tensor.shape[i] == 1 ? 0 : (tensor.strides ? tensor.strides[i] : count) * elementBytes;
    count *= tensor.shape[i]; // in range: checked for Arguments
  }
  for (int64_t i = 0; i < count; ++i) {
    visit(address, i);
    for (int32_t d = tensor.ndim - 1; d >= 0; --d) {
      address += strides[d];
      if (++index[d] < tensor.shape[d])
        break;
      address -= strides[d] * tensor.shape[d]; // in range: back at the first element of dim d
      index[d] = 0;
    }
  }
}

static int64_t countElements(const tssa_tensor &tensor) {
  int64_t count = 1;
  for (int32_t i = 0; i < tensor.ndim; ++i)
    count *= tensor.shape[i]; // in range: checked for Arguments
  return count;
}

void tssa::runtime::copyStrided(const tssa_tensor &from, unsigned elementBytes, void *to) {
  char *target = static_cast<char *>(to);
  if (isContiguous(from)) {
    std::memcpy(target, static_cast<char *>(from.data) + from.byte_offset,
                size_t(countElements(from)) * elementBytes);
    return;
  }
  visitElements(from, elementBytes, [&](const char *address, int64_t i) {
    std::memcpy(target + i * elementBytes, address, elementBytes);
  });
}

void tssa::runtime::scatterStrided(const void *from, unsigned elementBytes, const tssa_tensor &to) {
  const char *source = static_cast<const char *>(from);
  if (isContiguous(to)) {
    std::memcpy(static_cast<char *>(to.data) + to.byte_offset, source,
                size_t(countElements(to)) * elementBytes);
    return;
  }
  visitElements(to, elementBytes, [&](char *address, int64_t i) {
    std::memcpy(address, source + i * elementBytes, elementBytes);
  });
}

namespace {
/// The bytes of a non-empty tensor, as contiguous runs of `run` bytes each. The address of a run is
/// `first` plus a multiple of each stride in `dims`.
struct Pattern {
  __int128 first = 0, last = 0; ///< the addresses of the first and the last run
  int64_t run = 0;
  std::vector<std::pair<__int128, int64_t>> dims; ///< stride > 0 and size > 1

  Pattern(const tssa_tensor &tensor, unsigned elementBytes);
};
} // namespace

Pattern::Pattern(const tssa_tensor &tensor, unsigned elementBytes) : run(elementBytes) {
  first = __int128(reinterpret_cast<uintptr_t>(tensor.data)) + __int128(tensor.byte_offset);
  __int128 dense = elementBytes;
  for (int32_t i = tensor.ndim - 1; i >= 0; --i) {
    __int128 stride = tensor.strides ? __int128(tensor.strides[i]) * elementBytes : dense;
    dense *= tensor.shape[i]; // in range: 128 bits
    if (tensor.shape[i] == 1)
      continue;
    if (stride < 0) {
      stride = -stride;
      first -= stride * (tensor.shape[i] - 1);
    }
    dims.emplace_back(stride, tensor.shape[i]);
  }
  std::sort(dims.begin(), dims.end());
  while (!dims.empty() && dims.front().first == run) {
    run *= dims.front().second; // in range: 128 bits
    dims.erase(dims.begin());
  }
  last = first;
  for (auto [stride, size] : dims)
    last += stride * (size - 1);
}

bool tssa::runtime::mayOverlapItself(const tssa_tensor &tensor) {
  if (countElements(tensor) < 2 || isContiguous(tensor))
    return false;
  Pattern pattern(tensor, 1);
  __int128 extent = pattern.run;
  for (auto [stride, size] : pattern.dims) {
    if (stride < extent)
      return true;
    extent += stride * (size - 1);
  }
  return false;
}

bool tssa::runtime::mayOverlap(const tssa_tensor &a, unsigned aElementBytes, const tssa_tensor &b,
                               unsigned bElementBytes) {
  if (countElements(a) == 0 || countElements(b) == 0)
    return false;
  Pattern left(a, aElementBytes), right(b, bElementBytes);
  if (left.last + left.run <= right.first || right.last + right.run <= left.first)
    return false;
  // All runs of a tensor have the same address modulo the common divisor of all strides. If the
  // first runs of the two tensors are disjoint modulo this divisor, the tensors are disjoint.
  __int128 divisor = 0;
  for (const Pattern *pattern : {&left, &right})
    for (auto [stride, size] : pattern->dims)
      for (__int128 rest = stride; rest != 0;)
        divisor = std::exchange(rest, divisor % rest);
  if (divisor == 0)
    return true;
  __int128 distance = (right.first - left.first) % divisor;
  if (distance < 0)
    distance += divisor;
  return distance < left.run || distance + right.run > divisor;
}

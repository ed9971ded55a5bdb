//===- Selection.cpp - elements chosen by their values -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Routine.h"

using namespace tssa;

/// Replaces `count` ascending element numbers, in the last row of `positions`, by columns with a
/// position in each dim.
static void splitPositions(const tssa_tensor &x, int64_t *positions, int64_t count) {
  if (x.ndim < 2)
    return;
  int64_t size = x.shape[x.ndim - 1], begin = 0, *inner = positions + (x.ndim - 1) * count;
  for (int64_t column = 0; column < count; ++column) {
    int64_t element = inner[column];
    if (column > 0 && element - begin < size) { // in the row of the element before
      for (int32_t dim = 0; dim < x.ndim - 1; ++dim)
        positions[dim * count + column] = positions[dim * count + column - 1];
    } else {
      int64_t rest = element / size;
      begin = rest * size;
      for (int32_t dim = x.ndim - 1; dim-- > 0; rest /= x.shape[dim])
        positions[dim * count + column] = rest % x.shape[dim];
    }
    inner[column] = element - begin;
  }
}

extern "C" {

/// (x) -> the positions of the elements that are not 0, one column per element.
int32_t tssa_extern_nonzero(const tssa_host *host, int32_t node, tssa_tensor *tensors,
                            const Attributes *) {
  const tssa_tensor &x = tensors[0];
  tssa_tensor &result = tensors[1];
  int64_t total = countElements(x), count = 0;
  Keys keys(x, /*isUnsigned=*/false, /*isDescending=*/false);
  uint64_t zero = keys.getZero();
  for (int64_t i = 0; i < total; ++i)
    count += keys[i] != zero;
  result.shape[0] = x.ndim;
  result.shape[1] = count;
  if (!allocate(host, node, result))
    return TSSA_OUT_OF_MEMORY;
  int64_t *positions = getData<int64_t>(result);
  // The row of the last dim has the numbers of the elements first. A store that does not count is
  // overwritten by the next one.
  int64_t *inner = x.ndim > 0 ? positions + (x.ndim - 1) * count : positions;
  for (int64_t i = 0, column = 0; column < count && x.ndim > 0; ++i) {
    inner[column] = i;
    column += keys[i] != zero;
  }
  splitPositions(x, positions, count);
  return TSSA_OK;
}

/// (x, condition) -> the slices of x along the axis where the condition holds.
int32_t tssa_extern_compress(const tssa_host *host, int32_t node, tssa_tensor *tensors,
                             const Attributes *attributes) {
  const tssa_tensor &x = tensors[0];
  tssa_tensor &result = tensors[2];
  const char *condition = getData<char>(tensors[1]);
  AxisView from(x, attributes->axis);
  int64_t length = countElements(tensors[1]), count = 0;
  if (length > from.size)
    length = from.size;
  for (int64_t i = 0; i < length; ++i)
    count += condition[i] != 0;
  if (attributes->axis == Attributes::absent)
    result.shape[0] = count;
  else
    for (int32_t dim = 0; dim < x.ndim; ++dim)
      result.shape[dim] = dim == attributes->axis ? count : x.shape[dim];
  if (!allocate(host, node, result))
    return TSSA_OUT_OF_MEMORY;
  int64_t row = from.inner * getElementSize(x), to = 0;
  for (int64_t o = 0; o < from.outer; ++o)
    for (int64_t i = 0; i < length; ++i)
      if (condition[i])
        __builtin_memcpy(getData<char>(result) + row * to++,
                         getData<char>(x) + row * (o * from.size + i), row);
  return TSSA_OK;
}

} // extern "C"

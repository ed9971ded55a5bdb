//===- Unique.cpp - different elements or slices -------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Routine.h"

using namespace tssa;

namespace {
/// Orders the slices along an axis by their elements, lexicographically.
struct SliceOrder {
  const tssa_tensor &x;
  const AxisView &view;
  bool isUnsigned;

  /// Returns -1, 0 or 1 if slice `a` comes before, equals or comes after slice `b`.
  int compare(int64_t a, int64_t b) const {
    for (int64_t o = 0; o < view.outer; ++o)
      for (int64_t n = 0; n < view.inner; ++n) {
        uint64_t left = getKey(x, view.at(o, a, n), isUnsigned);
        uint64_t right = getKey(x, view.at(o, b, n), isUnsigned);
        if (left != right)
          return left < right ? -1 : 1;
      }
    return 0;
  }
};
} // namespace

/// (x) -> values, first positions, inverse, counts.
///
/// 1. Sort the slices by their elements, and equal slices by position. Consecutive equal slices are
///    a group. The first slice of a group has the first position of the group.
/// 2. Unless the result is to be sorted, sort the groups by their first positions.
extern "C" int32_t tssa_extern_unique(const tssa_host *host, int32_t node, tssa_tensor *tensors,
                                      const Attributes *attributes) {
  // The size of the inverse is known before the call, so the inverse precedes the other results.
  const tssa_tensor &x = tensors[0], &inverse = tensors[1];
  tssa_tensor &values = tensors[2], &firsts = tensors[3], &counts = tensors[4];
  AxisView view(x, attributes->axis);
  SliceOrder slices{x, view, attributes->isUnsigned == 1};
  Scratch<int64_t> order(host, node, 2 * view.size), groups(host, node, 2 * view.size),
      sizes(host, node, view.size);
  if (!order || !groups || !sizes)
    return TSSA_OUT_OF_MEMORY;
  for (int64_t i = 0; i < view.size; ++i)
    order[i] = i;
  sort(order.get(), order.get() + view.size, view.size,
       [&](int64_t a, int64_t b) { return slices.compare(a, b) < 0; });

  // groups[g] is the position in `order` at which group g begins. The second half of `groups` is
  // scratch.
  int64_t count = 0;
  for (int64_t i = 0; i < view.size; ++i)
    if (i == 0 || slices.compare(order[i - 1], order[i]) != 0)
      groups[count++] = i;
  int64_t *begins = groups.get();
  for (int64_t g = 0; g < count; ++g)
    sizes[begins[g]] = (g + 1 < count ? begins[g + 1] : view.size) - begins[g];
  if (attributes->sorted == 0)
    sort(begins, begins + view.size, count,
         [&](int64_t a, int64_t b) { return order[a] < order[b]; });

  firsts.shape[0] = counts.shape[0] = count;
  if (attributes->axis == Attributes::absent)
    values.shape[0] = count;
  else
    for (int32_t dim = 0; dim < x.ndim; ++dim)
      values.shape[dim] = dim == attributes->axis ? count : x.shape[dim];
  if (!allocate(host, node, values) || !allocate(host, node, firsts) ||
      !allocate(host, node, counts))
    return TSSA_OUT_OF_MEMORY;
  AxisView to(values, attributes->axis);
  for (int64_t g = 0; g < count; ++g) {
    int64_t begin = begins[g], first = order[begin];
    getData<int64_t>(firsts)[g] = first;
    getData<int64_t>(counts)[g] = sizes[begin];
    for (int64_t i = begin; i < begin + sizes[begin]; ++i)
      getData<int64_t>(inverse)[order[i]] = g;
    for (int64_t o = 0; o < view.outer; ++o)
      for (int64_t n = 0; n < view.inner; ++n)
        copyElement(values, to.at(o, g, n), x, view.at(o, first, n));
  }
  return TSSA_OK;
}

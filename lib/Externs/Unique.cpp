//===- Unique.cpp - different elements or slices -------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sorting.h"

using namespace tssa;

namespace {
/// The slices along an axis in the order of their elements, lexicographically.
struct Slices {
  Keys keys;
  AxisView view;
  Scratch<int64_t> order;
  Scratch<bool> begins; ///< whether a slice differs from the slice before it
  Items run;            ///< slices that are equal so far

  explicit operator bool() { return order && begins && run; }

  /// Starts with all slices as one run. Each element sorts and splits the runs.
  void sort() {
    for (int64_t i = 0; i < view.size; ++i) {
      order[i] = i;
      begins[i] = i == 0;
    }
    bool hasRuns = true;
    for (int64_t o = 0; o < view.outer && hasRuns; ++o)
      for (int64_t n = 0; n < view.inner && hasRuns; ++n) {
        hasRuns = false;
        for (int64_t begin = 0, end; begin < view.size; begin = end) {
          for (end = begin + 1; end < view.size && !begins[end];)
            ++end;
          if (end - begin > 1)
            hasRuns |= split(o, n, begin, end);
        }
      }
  }

private:
  /// Sorts slices [begin, end) by one of their elements. Returns whether two are still equal.
  bool split(int64_t o, int64_t n, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      run[i - begin] = {keys[view.at(o, order[i], n)], order[i]};
    run.sort(end - begin);
    bool hasEqual = false;
    for (int64_t i = begin; i < end; ++i) {
      order[i] = run[i - begin].index;
      if (i == begin)
        continue;
      begins[i] = run[i - begin].key != run[i - begin - 1].key;
      hasEqual |= !begins[i];
    }
    return hasEqual;
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
  Slices slices{Keys(x, attributes->isUnsigned == 1, /*isDescending=*/false),
                view,
                {host, node, view.size},
                {host, node, view.size},
                {host, node, view.size}};
  Scratch<int64_t> groups(host, node, view.size), sizes(host, node, view.size);
  if (!slices || !groups || !sizes)
    return TSSA_OUT_OF_MEMORY;
  slices.sort();

  // groups[g] is the position in `order` at which group g begins.
  Scratch<int64_t> &order = slices.order;
  int64_t count = 0;
  for (int64_t i = 0; i < view.size; ++i)
    if (slices.begins[i])
      groups[count++] = i;
  for (int64_t g = 0; g < count; ++g)
    sizes[groups[g]] = (g + 1 < count ? groups[g + 1] : view.size) - groups[g];
  if (attributes->sorted == 0) {
    Items &firstsOfGroups = slices.run;
    for (int64_t g = 0; g < count; ++g)
      firstsOfGroups[g] = {static_cast<uint64_t>(order[groups[g]]), groups[g]};
    firstsOfGroups.sort(count);
    for (int64_t g = 0; g < count; ++g)
      groups[g] = firstsOfGroups[g].index;
  }

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
    int64_t begin = groups[g], first = order[begin];
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

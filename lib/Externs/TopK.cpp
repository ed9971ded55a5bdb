//===- TopK.cpp - the largest or smallest elements along an axis ---------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sorting.h"

using namespace tssa;

namespace {
/// The elements along the axis, at one position of the other dims.
struct Row {
  const Keys &keys;
  int64_t begin, stride, size;

  int64_t at(int64_t i) const { return begin + i * stride; }
};
} // namespace

/// Sorts `count` elements of a row at distances of `step`.
static void collect(const Row &row, int64_t count, int64_t step, Items &items) {
  row.keys.visit(row.begin, step * row.stride, count, UINT64_MAX,
                 [&](int64_t i, uint64_t key) { items[i] = {key, i * step}; });
  items.sort(count);
}

/// Returns the room for items while the first k of a row are sought. If all items have room, the
/// whole row is sorted.
static int64_t getCapacity(int64_t k, int64_t size) {
  if (k > size / 8)
    return size;
  int64_t capacity = k < 256 ? 1024 : 4 * k;
  return capacity < size ? capacity : size;
}

/// Makes the first k items of the sorted row the first k of `items`.
///
/// 1. Sort a sample. Items after its k-th are not among the first k.
/// 2. Collect the other items. When there is no room, keep the first k of them; from then on, only
///    items before the k-th count.
static void select(const Row &row, int64_t k, Items &items, int64_t capacity) {
  int64_t numSamples = capacity / 2, count = 0;
  collect(row, numSamples, row.size / numSamples, items);
  uint64_t last = items[k - 1].key;
  bool isFinal = false; // whether no other item can be before the k-th
  row.keys.visit(row.begin, row.stride, row.size, last, [&](int64_t i, uint64_t key) {
    if (isFinal)
      return;
    items[count++] = {key, i};
    if (count < capacity)
      return;
    items.sort(count);
    count = k;
    isFinal = items[k - 1].key == 0;
    last = items[k - 1].key - !isFinal;
  });
  items.sort(count);
}

/// (x, k) -> values, indices. Equal elements stay in the order of their indexes.
extern "C" int32_t tssa_extern_topk(const tssa_host *host, int32_t node, tssa_tensor *tensors,
                                    const Attributes *attributes) {
  const tssa_tensor &x = tensors[0], &values = tensors[2], &indices = tensors[3];
  AxisView from(x, attributes->axis), to(values, attributes->axis);
  if (to.size > from.size)
    return host->fail(host, TSSA_OUT_OF_RANGE, node, "k is larger than the size of the axis");
  if (to.size == 0)
    return TSSA_OK;
  int64_t capacity = getCapacity(to.size, from.size);
  Items items(host, node, capacity);
  if (!items)
    return TSSA_OUT_OF_MEMORY;
  Keys keys(x, attributes->isUnsigned == 1, attributes->largest != 0);
  for (int64_t o = 0; o < from.outer; ++o)
    for (int64_t n = 0; n < from.inner; ++n) {
      Row row = {keys, from.at(o, 0, n), from.inner, from.size};
      if (capacity < row.size)
        select(row, to.size, items, capacity);
      else
        collect(row, row.size, 1, items);
      for (int64_t i = 0; i < to.size; ++i) {
        copyElement(values, to.at(o, i, n), x, row.at(items[i].index));
        getData<int64_t>(indices)[to.at(o, i, n)] = items[i].index;
      }
    }
  return TSSA_OK;
}

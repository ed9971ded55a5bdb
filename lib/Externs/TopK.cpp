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
  bool largest;
  int64_t begin, stride, size;

  int64_t at(int64_t i) const { return begin + i * stride; }
  Item get(int64_t i) const {
    uint64_t key = keys[at(i)];
    return {largest ? ~key : key, i};
  }
};
} // namespace

/// How many items to keep while the first k of a row are sought, or the whole row if that is faster.
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
  int64_t numSamples = capacity / 2, step = row.size / numSamples;
  for (int64_t i = 0; i < numSamples; ++i)
    items[i] = row.get(i * step);
  items.sort(numSamples);
  uint64_t last = items[k - 1].key;
  int64_t count = 0;
  for (int64_t i = 0; i < row.size; ++i) {
    Item item = row.get(i);
    if (item.key > last)
      continue;
    items[count++] = item;
    if (count < capacity)
      continue;
    items.sort(count);
    count = k;
    if (items[k - 1].key == 0)
      return;
    last = items[k - 1].key - 1;
  }
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
  Keys keys(x, attributes->isUnsigned == 1);
  for (int64_t o = 0; o < from.outer; ++o)
    for (int64_t n = 0; n < from.inner; ++n) {
      Row row = {keys, attributes->largest != 0, from.at(o, 0, n), from.inner, from.size};
      if (capacity < row.size) {
        select(row, to.size, items, capacity);
      } else {
        for (int64_t i = 0; i < row.size; ++i)
          items[i] = row.get(i);
        items.sort(row.size);
      }
      for (int64_t i = 0; i < to.size; ++i) {
        copyElement(values, to.at(o, i, n), x, row.at(items[i].index));
        getData<int64_t>(indices)[to.at(o, i, n)] = items[i].index;
      }
    }
  return TSSA_OK;
}

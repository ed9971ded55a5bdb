//===- TopK.cpp - the largest or smallest elements along an axis ---------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Routine.h"

using namespace tssa;

/// (x, k) -> values, indices. Equal elements stay in the order of their indexes.
extern "C" int32_t tssa_extern_topk(const tssa_host *host, int32_t node, tssa_tensor *tensors,
                                    const Attributes *attributes) {
  const tssa_tensor &x = tensors[0], &values = tensors[2], &indices = tensors[3];
  AxisView from(x, attributes->axis), to(values, attributes->axis);
  if (to.size > from.size)
    return host->fail(host, TSSA_OUT_OF_RANGE, node, "k is larger than the size of the axis");
  bool largest = attributes->largest != 0, isUnsigned = attributes->isUnsigned == 1;
  Scratch<int64_t> order(host, node, 2 * from.size);
  Scratch<uint64_t> keys(host, node, from.size);
  if (!order || !keys)
    return TSSA_OUT_OF_MEMORY;
  for (int64_t o = 0; o < from.outer; ++o)
    for (int64_t n = 0; n < from.inner; ++n) {
      for (int64_t i = 0; i < from.size; ++i) {
        order[i] = i;
        uint64_t key = getKey(x, from.at(o, i, n), isUnsigned);
        keys[i] = largest ? ~key : key;
      }
      sort(order.get(), order.get() + from.size, from.size,
           [&](int64_t a, int64_t b) { return keys[a] < keys[b]; });
      for (int64_t i = 0; i < to.size; ++i) {
        copyElement(values, to.at(o, i, n), x, from.at(o, order[i], n));
        getData<int64_t>(indices)[to.at(o, i, n)] = order[i];
      }
    }
  return TSSA_OK;
}

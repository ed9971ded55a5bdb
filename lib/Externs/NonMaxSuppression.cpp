//===- NonMaxSuppression.cpp - boxes that do not overlap -----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sorting.h"

using namespace tssa;

namespace {

struct Box {
  float y0, x0, y1, x1;

  Box(const float *corners, bool isCenter) {
    if (isCenter) { // x, y, width, height
      x0 = corners[0] - corners[2] / 2;
      x1 = corners[0] + corners[2] / 2;
      y0 = corners[1] - corners[3] / 2;
      y1 = corners[1] + corners[3] / 2;
      return;
    }
    y0 = corners[0] < corners[2] ? corners[0] : corners[2];
    y1 = corners[0] < corners[2] ? corners[2] : corners[0];
    x0 = corners[1] < corners[3] ? corners[1] : corners[3];
    x1 = corners[1] < corners[3] ? corners[3] : corners[1];
  }
  float getArea() const { return (y1 - y0) * (x1 - x0); }
};

/// Returns the intersection over union of two boxes.
float getOverlap(const Box &a, const Box &b) {
  float height = (a.y1 < b.y1 ? a.y1 : b.y1) - (a.y0 > b.y0 ? a.y0 : b.y0);
  float width = (a.x1 < b.x1 ? a.x1 : b.x1) - (a.x0 > b.x0 ? a.x0 : b.x0);
  if (!(height > 0 && width > 0))
    return 0;
  float both = height * width, all = a.getArea() + b.getArea() - both;
  return all > 0 ? both / all : 0;
}

} // namespace

/// (boxes [batch, box, 4], scores [batch, class, box], greatest number of boxes per class, greatest
/// overlap, least score) -> for each selected box, a row with the indexes of batch, class and box.
extern "C" int32_t tssa_extern_non_max_suppression(const tssa_host *host, int32_t node,
                                                   tssa_tensor *tensors,
                                                   const Attributes *attributes) {
  const tssa_tensor &boxes = tensors[0], &scores = tensors[1];
  tssa_tensor &result = tensors[5];
  int64_t limit = *getData<int64_t>(tensors[2]);
  float overlap = *getData<float>(tensors[3]), least = *getData<float>(tensors[4]);
  int64_t batches = scores.shape[0], classes = scores.shape[1], count = scores.shape[2];
  if (boxes.shape[0] != batches || boxes.shape[1] != count || boxes.shape[2] != 4)
    return host->fail(host, TSSA_OUT_OF_RANGE, node, "boxes and scores differ in their sizes");
  bool isCenter = attributes->centerPointBox == 1;
  Items order(host, node, count);
  Scratch<int64_t> kept(host, node, countElements(scores));
  if (!order || !kept)
    return TSSA_OUT_OF_MEMORY;
  Keys keys(scores, /*isUnsigned=*/false, /*isDescending=*/true);
  int64_t total = 0;
  for (int64_t group = 0; group < batches * classes; ++group) {
    const float *score = getData<float>(scores) + group * count;
    const float *corners = getData<float>(boxes) + group / classes * count * 4;
    int64_t candidates = 0, begin = total;
    for (int64_t i = 0; i < count; ++i)
      if (score[i] > least)
        order[candidates++] = {keys[group * count + i], i};
    order.sort(candidates);
    for (int64_t i = 0; i < candidates && total - begin < limit; ++i) {
      int64_t index = order[i].index;
      Box box(corners + 4 * index, isCenter);
      bool free = true;
      for (int64_t j = begin; j < total && free; ++j)
        free = !(getOverlap(box, Box(corners + 4 * (kept[j] % count), isCenter)) > overlap);
      if (free)
        kept[total++] = group * count + index;
    }
  }
  result.shape[0] = total;
  result.shape[1] = 3;
  if (!allocate(host, node, result))
    return TSSA_OUT_OF_MEMORY;
  for (int64_t i = 0; i < total; ++i) {
    int64_t *row = getData<int64_t>(result) + 3 * i;
    row[0] = kept[i] / count / classes;
    row[1] = kept[i] / count % classes;
    row[2] = kept[i] % count;
  }
  return TSSA_OK;
}

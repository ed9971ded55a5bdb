//===- Point.cpp - a point of the space of schedules -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/Point.h"
#include "dialects/layout/Analysis/CodeRules.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

int64_t Point::countAccumulators() const {
  int64_t count = vectors;
  for (const TileRows &tile : rows)
    count *= tile.extent;
  return count;
}

int64_t Point::countParts(int64_t most) const {
  return countMatrixParts(
      llvm::map_to_vector(rows, [](const TileRows &tile) { return tile.extent; }), most);
}

bool Point::isFused(unsigned dim) const {
  auto covers = [&](unsigned last, unsigned count) {
    return count != 0 && dim <= last && dim + count >= last;
  };
  return (vectorDim && covers(*vectorDim, fused)) ||
         llvm::any_of(rows, [&](const TileRows &tile) { return covers(tile.dim, tile.fused); });
}

int64_t Point::getTileExtent(unsigned dim) const {
  if (isFused(dim))
    return 1;
  if (vectorDim == dim)
    return lanes * vectors;
  for (const TileRows &tile : rows)
    if (tile.dim == dim)
      return tile.extent;
  return 1;
}

int64_t Point::getBoxExtent(unsigned dim) const {
  for (const BoxRows &box : boxes)
    if (box.dim == dim)
      return box.extent;
  return getTileExtent(dim);
}

const Unroll *Point::findUnroll(unsigned dim) const {
  const auto *found =
      llvm::find_if(unrolled, [&](const Unroll &unroll) { return unroll.dim == dim; });
  return found == unrolled.end() ? nullptr : found;
}

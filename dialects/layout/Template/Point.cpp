//===- Point.cpp - a point of the space of schedules -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/Point.h"
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

const Unroll *Point::findUnroll(unsigned dim) const {
  const auto *found =
      llvm::find_if(unrolled, [&](const Unroll &unroll) { return unroll.dim == dim; });
  return found == unrolled.end() ? nullptr : found;
}

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

raw_ostream &layout::operator<<(raw_ostream &stream, const Point &point) {
  auto printDims = [&](StringRef name, ArrayRef<unsigned> dims) {
    if (!dims.empty())
      stream << ", " << name;
    for (unsigned dim : dims)
      stream << " d" << dim;
  };
  if (point.vectorDim)
    stream << "vector d" << *point.vectorDim << ' ' << point.vectors << 'x' << point.lanes;
  else
    stream << "scalar";
  for (const TileRows &tile : point.rows)
    stream << ", rows d" << tile.dim << ' ' << tile.extent;
  for (const Unroll &unroll : point.unrolled) {
    stream << ", unroll d" << unroll.dim;
    if (unroll.extent)
      stream << ' ' << unroll.extent;
  }
  printDims("outer", point.outer);
  printDims("reduce", point.reductions);
  return stream;
}

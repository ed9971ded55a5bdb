//===- CacheLines.h - the lines that loops bring into a cache -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Counts the lines that the loops of an expression bring into a cache, from the strides of its
/// tensors. The cache keeps what the innermost loops use whose data fit into it; loops outside of
/// these bring their data in again in each iteration.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TEMPLATE_CACHELINES_H
#define DIALECTS_LAYOUT_TEMPLATE_CACHELINES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace mlir::tssa::layout {

/// A tensor that loops read or write.
struct Stream {
  SmallVector<int64_t> strides; ///< by dim, in elements; 0 where the address stays the same
  int64_t elementBytes = 4;
  bool inOrder = false; ///< whether the elements are stored in the order of the loops
};

/// A loop that runs over tiles along a dim.
struct TileLoop {
  unsigned dim;
  int64_t trips;
};

/// Returns the number of different sums of multiples of strides. Each entry of `terms` is a stride
/// and a number of multiples.
double countDistinct(SmallVectorImpl<std::pair<int64_t, int64_t>> &terms);

/// The lines that some iterations touch.
struct TouchedLines {
  double count = 1;
  double run = 1; ///< how many of them follow each other
};

/// Returns the lines of `lineBytes` that `extents` iterations of each dim touch.
TouchedLines findTouchedLines(const Stream &stream, ArrayRef<int64_t> extents, int64_t lineBytes);

struct Cache {
  int64_t bytes, ways, lineBytes;
};

/// The lines that come into a cache.
struct MissedLines {
  double count = 0;
  double alone = 0; ///< how many of them follow no other one, and are not fetched ahead
};

/// Returns the lines of `streams` that come into `cache`. `tile` has the iterations of each dim in a
/// tile, and `loops` the loops around it, innermost first. Lines at distances that have a large power
/// of two in them share few sets, so that fewer of them fit.
MissedLines findMissedLines(ArrayRef<Stream> streams, ArrayRef<int64_t> tile,
                            ArrayRef<TileLoop> loops, const Cache &cache);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TEMPLATE_CACHELINES_H

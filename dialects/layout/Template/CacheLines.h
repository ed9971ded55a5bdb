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

/// Returns the number of lines of `streams` that come into a cache of `bytes`. A line that does not
/// follow another one counts twice, since it is not fetched ahead. `tile` has the iterations of each
/// dim in a tile, and `loops` the loops around it, innermost first.
double countMissedLines(ArrayRef<Stream> streams, ArrayRef<int64_t> tile, ArrayRef<TileLoop> loops,
                        int64_t bytes, int64_t lineBytes);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TEMPLATE_CACHELINES_H

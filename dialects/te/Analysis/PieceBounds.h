//===- PieceBounds.h - constant bounds of the points of a piece -----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_PIECEBOUNDS_H
#define DIALECTS_TE_ANALYSIS_PIECEBOUNDS_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// The box in which the points of a set lie, as far as constraints on single dims give it, and the
/// other constraints of the set.
struct PieceBounds {
  SmallVector<int64_t> lower;                ///< the first index of each dim
  SmallVector<std::optional<int64_t>> upper; ///< the index after the last one, where it is known
  SmallVector<AffineExpr> rest;
  SmallVector<bool> restEqualities;

  /// Returns the number of indexes of `dim`, a dim of size `size`.
  OpFoldResult getExtent(unsigned dim, OpFoldResult size) const;
};

/// Returns the bounds of `set`, a set of points with `numDims` dims. A null set has all points.
PieceBounds getPieceBounds(IntegerSet set, unsigned numDims);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_PIECEBOUNDS_H

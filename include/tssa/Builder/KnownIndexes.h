//===- KnownIndexes.h - constant index tensors -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Exporters write slices as gathers and scatters with constant indexes. If such an index
/// is an affine function of its position in the index tensor, it becomes an affine index
/// expression, which can be merged and needs no run-time check.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_BUILDER_KNOWNINDEXES_H
#define TSSA_BUILDER_KNOWNINDEXES_H

#include "tssa/Builder/Builder.h"

namespace tssa::operators {

/// The index base + sum of strides[i] * position[i], an affine function of a position.
struct AffineIndex {
  int64_t base;
  llvm::SmallVector<int64_t> strides;

  /// Returns the index as an expression, for the position (d(firstDim), d(firstDim + 1), ...).
  mlir::AffineExpr expr(Body &body, unsigned firstDim) const;
};

/// Returns an AffineIndex for each component of the index tuples in `indices`. The last dim
/// of `indices` enumerates the components; if `isScalar` is true, there is one component and
/// no such dim. Component i indexes a dim of `extents[i]` elements; negative indexes are
/// normalised. Returns nothing if an index or an extent is not known, if an index is out of bounds,
/// or if a component is not affine.
std::optional<llvm::SmallVector<AffineIndex>> matchAffineIndexes(Builder &builder,
                                                                 const Tensor &indices,
                                                                 llvm::ArrayRef<Size> extents,
                                                                 bool isScalar);

} // namespace tssa::operators

#endif // TSSA_BUILDER_KNOWNINDEXES_H

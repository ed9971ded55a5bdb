//===- KnownIndexes.h - index tensors that are known -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Exporters write slices as gathers and scatters with constant indexes. Where these
/// are an affine function of their position they become index expressions, which
/// fuse and need no checks.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_BUILDER_KNOWNINDEXES_H
#define TSSA_BUILDER_KNOWNINDEXES_H

#include "tssa/Builder/Builder.h"

namespace tssa::operators {

/// base + sum of strides[i] * position[i].
struct AffineIndex {
  int64_t base;
  llvm::SmallVector<int64_t> strides;

  /// At the position d(firstDim), d(firstDim + 1), ...
  mlir::AffineExpr expr(Body &body, unsigned firstDim) const;
};

/// The components of `indices`: its last dim counts them, or there is one if
/// `isScalar`. Component i points into a dim of `extents[i]` elements; negative ones
/// are made positive. Nothing if an index or extent is not known, is out of bounds
/// or not affine.
std::optional<llvm::SmallVector<AffineIndex>> matchAffineIndexes(Builder &builder,
                                                                 const Tensor &indices,
                                                                 llvm::ArrayRef<Size> extents,
                                                                 bool isScalar);

} // namespace tssa::operators

#endif // TSSA_BUILDER_KNOWNINDEXES_H

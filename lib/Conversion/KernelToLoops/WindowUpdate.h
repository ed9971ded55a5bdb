//===- WindowUpdate.h - updates that write a window of their base -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_WINDOWUPDATE_H
#define LIB_CONVERSION_KERNELTOLOOPS_WINDOWUPDATE_H

#include "dialects/te/Analysis/UpdateTarget.h"

namespace tssa::conversion {

/// A te.update each of whose points writes an element of its own that no index from
/// data decides: rows, slices, slices with a step, permutations of those.
struct UpdateWindow {
  /// The index that a point writes in each dim of the base.
  llvm::SmallVector<mlir::tssa::te::StridedIndex> sides;
  /// Each dim of the domain over the dims of the base and the symbols.
  llvm::SmallVector<mlir::AffineExpr> domain;

  /// The dim of the domain along which the base is contiguous, if any.
  std::optional<unsigned> getContiguousDim() const;
};

std::optional<UpdateWindow> matchWindow(mlir::tssa::te::UpdateOp update);

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_WINDOWUPDATE_H

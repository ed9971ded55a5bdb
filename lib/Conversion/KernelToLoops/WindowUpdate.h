//===- WindowUpdate.h - updates that write a window of their base -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_WINDOWUPDATE_H
#define LIB_CONVERSION_KERNELTOLOOPS_WINDOWUPDATE_H

#include "dialects/te/IR/TEOps.h"

namespace tssa::conversion {

/// A te.update each of whose points writes an element of its own that no index from
/// data decides: rows, slices, slices with a step, permutations of those.
struct UpdateWindow {
  /// For each dim of the base: the dim of the domain that runs along it, if any, and
  /// `position - offset` = `step` * dim, or 0.
  struct Side {
    std::optional<unsigned> dim;
    int64_t step = 1;
    mlir::AffineExpr offset; ///< over the symbols of the update
  };
  llvm::SmallVector<Side> sides;
  /// Each dim of the domain over the dims of the base and the symbols.
  llvm::SmallVector<mlir::AffineExpr> domain;

  /// The dim of the domain along which the base is contiguous, if any.
  std::optional<unsigned> getContiguousDim() const;
};

std::optional<UpdateWindow> matchWindow(mlir::tssa::te::UpdateOp update);

/// For each dim of the domain: whether points that differ in it never write the same
/// element, whatever indexes from data are.
llvm::SmallVector<bool> findIndependentDims(mlir::tssa::te::UpdateOp update);

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_WINDOWUPDATE_H

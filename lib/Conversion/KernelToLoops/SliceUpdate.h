//===- SliceUpdate.h - updates that write a slice of their base -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_SLICEUPDATE_H
#define LIB_CONVERSION_KERNELTOLOOPS_SLICEUPDATE_H

#include "dialects/te/Analysis/UpdateTarget.h"

namespace tssa::conversion {

/// The slice that a te.update writes. There is one if each point writes a different element and no
/// index comes from data. The slice may order its dims differently from the iteration domain.
struct UpdateSlice {
  /// For each dim of the base, the index at which the points write.
  llvm::SmallVector<mlir::tssa::te::StridedIndex> baseDims;
  /// For each dim of the domain, its index as an expression over the dims of the base and the
  /// symbols.
  llvm::SmallVector<mlir::AffineExpr> domain;

  /// Returns the dim of the domain along which the base is contiguous, if any.
  std::optional<unsigned> getContiguousDim() const;
};

/// Returns the slice that `update` writes, or nothing if it does not write a slice.
std::optional<UpdateSlice> matchSlice(mlir::tssa::te::UpdateOp update);

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_SLICEUPDATE_H

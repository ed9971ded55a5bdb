//===- SliceUpdate.h - updates that write a slice of their base -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_SLICEUPDATE_H
#define LIB_CONVERSION_KERNELTOLOOPS_SLICEUPDATE_H

#include "dialects/te/IR/TEOps.h"

namespace tssa::conversion {

/// The slice that a te.update writes, if each of its points writes a different element and no index
/// from data decides which one. Its dims may be permuted.
struct UpdateSlice {
  /// One dim of the base. The points write at `position` = `offset` + `stride` * d, where d is the
  /// index in dim `domainDim` of the domain, or at `offset` only if there is no such dim.
  struct BaseDim {
    std::optional<unsigned> domainDim;
    int64_t stride = 1;
    mlir::AffineExpr offset; ///< over the symbols of the update
  };
  llvm::SmallVector<BaseDim> baseDims;
  /// For each dim of the domain, its index as an expression over the dims of the base and the
  /// symbols.
  llvm::SmallVector<mlir::AffineExpr> domain;

  /// Returns the dim of the domain along which the base is contiguous, if any.
  std::optional<unsigned> getContiguousDim() const;
};

/// Returns the slice that `update` writes, or nothing if it does not write a slice.
std::optional<UpdateSlice> matchSlice(mlir::tssa::te::UpdateOp update);

/// For each dim of the domain, returns whether points that differ in it never write the same
/// element, whatever the indices from data are.
llvm::SmallVector<bool> findIndependentDims(mlir::tssa::te::UpdateOp update);

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_SLICEUPDATE_H

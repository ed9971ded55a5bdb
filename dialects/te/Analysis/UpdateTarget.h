//===- UpdateTarget.h - the elements that an update writes ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_UPDATETARGET_H
#define DIALECTS_TE_ANALYSIS_UPDATETARGET_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// An index that depends on at most one dim: `stride` * dim + `offset`.
struct StridedIndex {
  std::optional<unsigned> dim;
  int64_t stride = 1; ///< Never 0.
  AffineExpr offset;  ///< An expression over symbols.
};

/// Returns `expr`, an index over `numDims` dims and `numSymbols` symbols, as a strided index.
/// Returns nothing if `expr` does not have this form.
std::optional<StridedIndex> matchStridedIndex(AffineExpr expr, unsigned numDims,
                                              unsigned numSymbols);

/// Returns, for each dim of the iteration domain, whether points that differ in this dim write
/// different elements, whatever the data are.
SmallVector<bool> findIndependentDims(UpdateOp update);

/// Returns the innermost dim of the iteration domain if the points along it write consecutive
/// elements, at a place that data may decide: the rows of an index_add.
std::optional<unsigned> findRowDim(UpdateOp update);

/// Returns whether `update` may overwrite `base`, its base, in place: every other use of `base`
/// is a read in the body of `update`, and each point reads only the element that it writes and
/// that no other point writes.
bool readsOnlyTarget(UpdateOp update, Value base);

/// Returns the only read of `update`, if its body yields what it reads, without a guard or an
/// opaque index, and does nothing else; otherwise null.
ReadOp findCopiedRead(UpdateOp update);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_UPDATETARGET_H

//===- UpdateTarget.h - which elements an update writes -------------------===//
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
  int64_t stride = 1; ///< Not 0.
  AffineExpr offset;  ///< Over symbols.
};

/// Returns `expr`, an index over `numDims` dims and `numSymbols` symbols, as a strided
/// index, or nothing if it is none.
std::optional<StridedIndex> matchStridedIndex(AffineExpr expr, unsigned numDims,
                                              unsigned numSymbols);

/// Returns, for each dim of the iteration domain, whether points that differ in it never
/// write the same element, whatever the data is.
SmallVector<bool> findIndependentDims(UpdateOp update);

/// Whether `update` may write over `base`, its base: every other use of `base` is a read in
/// the body of `update` of the element that the same point, and no other one, writes.
bool readsOnlyTarget(UpdateOp update, Value base);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_UPDATETARGET_H

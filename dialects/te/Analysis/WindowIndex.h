//===- WindowIndex.h - indexes of a box of a tensor -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_WINDOWINDEX_H
#define DIALECTS_TE_ANALYSIS_WINDOWINDEX_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// An index `dim + offset`, or `offset` if there is no dim. Tensors that are read at such indexes
/// only are read in a *window*: a box.
struct WindowIndex {
  std::optional<unsigned> dim;
  int64_t offset = 0;
};

/// Returns the parts of an index of this form, or nothing for another one.
std::optional<WindowIndex> matchWindowIndex(AffineExpr expr);

/// Returns those of all results of a map, or nothing if one has another form.
std::optional<SmallVector<WindowIndex>> matchWindowIndexes(AffineMap map);

/// Returns the factor of `dim` in an expression over `numDims` dims and `numSymbols` symbols, if
/// the expression is linear in it.
std::optional<int64_t> findFactor(AffineExpr expr, AffineExpr dim, unsigned numDims,
                                  unsigned numSymbols);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_WINDOWINDEX_H

//===- Dependence.h - which elements an element relies on -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which elements of a tensor one element of a result relies on (Souffle, section 5.2). A read of a
/// body without reduction dims relates each element of the result to one element:
/// one-relies-on-one. A read whose index depends on a reduction dim relates it to one element for
/// each index of this dim: one-relies-on-many. This is the relation
///
///   { [result index] -> [source index] : ranges of the dims that the result index does not fix,
///                                        the set of the piece, and the guard }
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_DEPENDENCE_H
#define DIALECTS_TE_ANALYSIS_DEPENDENCE_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// The elements of one tensor on which an element of the results relies.
struct ElementDependence {
  Value tensor;
  bool isMany = false; ///< Whether it may rely on more than one element through this read.
  SmallVector<OpFoldResult> sizes; ///< of the dims of the relation
  AffineMap result;                ///< the index of the element of the results
  SmallVector<Value> resultSymbols;
  llvm::SmallBitVector resultOpaque; ///< for each index of `result`: whether data decides it
  AffineMap source;                  ///< the index of the element of `tensor`
  SmallVector<Value> symbols;        ///< of `source` and `guard`
  llvm::SmallBitVector opaque;       ///< for each index of `source`: whether data decides it
  /// The dims of the relation that the source depends on and the result index does not fix.
  SmallVector<unsigned> ranged;
  /// The relation holds here, a set over dims and `pieceSymbols`; null for everywhere.
  IntegerSet piece;
  SmallVector<Value> pieceSymbols;
  IntegerSet guard; ///< And here, a set over dims and `symbols`.
};

/// Returns a dependence for each read of `expression`, in the order of its bodies. The base of an
/// update, of which an element of the result may be a copy, comes first. The dims of the relation
/// are those of the iteration domain; that of a scan has another one, along its axis.
SmallVector<ElementDependence, 0> getDependences(ExpressionOpInterface expression);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_DEPENDENCE_H

//===- KeyLimit.h - whether masked keys may be skipped ----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_KEYLIMIT_H
#define DIALECTS_TE_TRANSFORMS_KEYLIMIT_H

#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::tssa::te {

/// The factors of the two products of attention.
struct KeyFactors {
  ReadOp query, key;           ///< in the scores
  ReadOp value;                ///< in the sum that the weights weight
  double terms = 0;            ///< that the product of a score adds
  ArrayRef<Operation *> group; ///< whose results are not stored
};

/// Builds an index of the host program: 0 if a key whose score is masked may be skipped
/// (findMaskedKeys), which is if all values are finite and no product of a query and a key can
/// reach `mostBesideMask`, and `unlimited` otherwise. The expressions that find this out read each
/// tensor once; they are added to `created`, in program order.
Value buildKeyLimit(RewriterBase &rewriter, Location loc, const KeyFactors &factors,
                    int64_t unlimited, SmallVectorImpl<Operation *> &created);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_KEYLIMIT_H

//===- SoftmaxMatch.h - finds sums that a softmax weights -------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_SOFTMAXMATCH_H
#define DIALECTS_TE_TRANSFORMS_SOFTMAXMATCH_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// The expressions of a softmax over the last dim and of the sum that it weights.
struct SoftmaxSum {
  ComputeOp max, sum, weights, product;
  ReadOp weight;          ///< of the weights, in the product
  Value exponential;      ///< in the weights
  Value score;            ///< in the weights: what the maximum is subtracted from
  Value factor;           ///< in the weights: that of a whole row; null if there is none
  bool isDivisor = false; ///< whether the exponential is divided by the factor
  bool clearsNaN = false; ///< whether weights that are NaN count as 0
  Value clearsRow;        ///< in the weights: whether all of a row count as 0; null if none do
  /// The other factor of the product.
  ReadOp value;
  /// The product that the scores are, and, over the dims of the weights, an expression that is not
  /// negative where a score is masked (findMaskedKeys), at most `mostMasked`. It grows with the
  /// key, and falls with the row. Null if there is none.
  ComputeOp scores;
  AffineExpr masked;
  int64_t mostMasked = 0;
};

/// Matches a softmax of f32 or f64 over the last dim, whose dims before it are `numRows` rows, and
/// the last expression of `group`, which sums what the softmax weights. Nothing else reads what the
/// group computes for them.
std::optional<SoftmaxSum> matchSoftmaxSum(ArrayRef<Operation *> group, unsigned numRows);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_SOFTMAXMATCH_H

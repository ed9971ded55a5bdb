//===- SoftmaxMatch.h - sums that are weighted by a softmax -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_SOFTMAXMATCH_H
#define DIALECTS_TE_ANALYSIS_SOFTMAXMATCH_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// The expressions of a softmax over the last dim and of the sum that it weights.
struct SoftmaxSum {
  ComputeOp max, sum, weights, product;
  ReadOp weight;                ///< of the weights, in the product
  Value exponential;            ///< in the weights
  Value score;                  ///< in the weights: what the maximum is subtracted from
  Value factor;                 ///< in the weights: that of a whole row; null if there is none
  Operation *scaling = nullptr; ///< in the weights: multiplies or divides by the factor
  bool clearsNaN = false;       ///< whether weights that are NaN count as 0
  Value clearsRow;              ///< in the weights: whether a row counts as 0; null if none does
  ReadOp value;                 ///< the other factor of the product

  /// Returns the length of the equal blocks in which the keys are taken, of at most `mostKeys`
  /// each; 0 if they are one block.
  int64_t findKeyBlock(int64_t mostKeys);
};

/// Matches a softmax of f32 or f64 over its keys and the sum that it weights, the last expression
/// of `group`, in program order. The first `numRows` dims of all are rows. Unless the program
/// `isMerged`, also matches one in several expressions, all of which only the group reads.
std::optional<SoftmaxSum> matchSoftmaxSum(ArrayRef<Operation *> group, unsigned numRows,
                                          bool isMerged);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_SOFTMAXMATCH_H

//===- SoftmaxSum.h - sums that are weighted by a softmax -------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The last sum of attention, over the keys j of a row, with a = the scores:
///
///     o = sum_j exp(a_j - max a) / (sum_j exp(a_j - max a)) * v_j
///
/// 1. The factor that all keys of a row share is taken out of the sum. Weights may count as 0 where
///    they are NaN, which is where their row has no greatest score.
/// 2. Many keys are taken in blocks: each block has a maximum of its own, and sums relative to it.
///    At the end, these are scaled to the greatest of all and added (M. Milakov and N. Gimelshein,
///    "Online normalizer calculation for softmax", 2018; T. Dao et al., "FlashAttention", 2022).
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_SOFTMAXSUM_H
#define DIALECTS_TE_TRANSFORMS_SOFTMAXSUM_H

#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::tssa::te {

/// If the last expression of `group`, in program order, sums what a softmax of f32 or f64 over its
/// keys weights, rewrites it and the softmax, all of which only the group reads, as the file comment
/// says: in blocks of at most `mostKeys` keys if there are more, and blocks of equal length. The
/// first `numRows` dims of all are rows. Blocks of keys that a mask leaves no weight are skipped;
/// `others` gets the expressions that find out whether they may be. Returns whether it did. `group`
/// is then what takes their place, in program order.
bool rewriteSoftmaxSum(RewriterBase &rewriter, SmallVectorImpl<Operation *> &group,
                       unsigned numRows, int64_t mostKeys, SmallVectorImpl<Operation *> &others);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_SOFTMAXSUM_H

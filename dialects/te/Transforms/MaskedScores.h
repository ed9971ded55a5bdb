//===- MaskedScores.h - the scores that a mask leaves no weight --------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_MASKEDSCORES_H
#define DIALECTS_TE_TRANSFORMS_MASKEDSCORES_H

#include "dialects/te/Analysis/SoftmaxMatch.h"

namespace mlir::tssa::te {

/// The scores of a softmax, of which a mask leaves some no weight.
struct MaskedScores {
  ReadOp query, key; ///< the factors of the scores
  ReadOp value;      ///< what the weights are multiplied by
  double terms = 0;  ///< that the product of a score adds
  /// Over the dims of the weights: not negative where a score is masked (findMaskedKeys), and at
  /// most `most`. It grows with the key, and falls with the row.
  AffineExpr masked;
  int64_t most = 0;
};

/// Finds the masked scores of `softmax`, which `group` computes, if the scores are a product of
/// what is stored, or computed from such tensors element by element.
std::optional<MaskedScores> findMaskedScores(SoftmaxSum &softmax, ArrayRef<Operation *> group);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_MASKEDSCORES_H

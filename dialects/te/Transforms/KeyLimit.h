//===- KeyLimit.h - whether masked keys may be skipped ----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_KEYLIMIT_H
#define DIALECTS_TE_TRANSFORMS_KEYLIMIT_H

#include "dialects/te/Transforms/MaskedScores.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::tssa::te {

/// Builds an index of the host program: 0 if a key whose score is masked may be skipped, which is
/// if all values are finite and no product of a query and a key can reach `mostBesideMask`
/// (MaskedKeys.h), and more than `scores.most` otherwise. The expressions that find this out read
/// each tensor once; they are added to `created`, in program order. What `group` computes is not
/// stored.
Value buildKeyLimit(RewriterBase &rewriter, Location loc, MaskedScores scores,
                    ArrayRef<Operation *> group, SmallVectorImpl<Operation *> &created);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_KEYLIMIT_H

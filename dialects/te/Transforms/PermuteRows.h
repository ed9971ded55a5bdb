//===- PermuteRows.h - expressions with their rows in another order -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_PERMUTEROWS_H
#define DIALECTS_TE_TRANSFORMS_PERMUTEROWS_H

#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::tssa::te {

/// Brings the row dims of all expressions of `group` but the last one into the order of the last
/// one, so that dim i is what was dim `order[i]`. Replaces the expressions in `group`.
void permuteRows(RewriterBase &rewriter, MutableArrayRef<Operation *> group,
                 ArrayRef<unsigned> order);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_PERMUTEROWS_H

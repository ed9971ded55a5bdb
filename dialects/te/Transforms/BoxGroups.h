//===- BoxGroups.h - products that run with what they read -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Attention multiplies queries by keys, normalises the rows of these scores, and multiplies them
/// by values. As one kernel, the scores of a block of rows stay in the cache and are never stored
/// as a whole (Souffle, section 5.4: an expression and those it reads whole share a launch).
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_BOXGROUPS_H
#define DIALECTS_TE_TRANSFORMS_BOXGROUPS_H

#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::tssa::te {

/// Returns the expressions that can be computed together with `root`, a product, for some rows at a
/// time, in program order. The last expression is `root`. The others are what `root` sums over:
/// they lead to a product whose rows have more elements than it reads for them, and each is read
/// only inside the group, at the index of the row. Returns only `root` if there is no such product,
/// or if the estimated cost is against it, unless `isForced`. A remark gives the cost. `order` has,
/// for each row dim of the root, that of the others.
SmallVector<Operation *> findBoxGroup(ComputeOp root, bool isForced,
                                      SmallVectorImpl<unsigned> &order);

/// Brings the row dims of all expressions of `group` but the last one into the order of the last
/// one, so that dim i is what was dim `order[i]`. Replaces the expressions in `group`.
void orderRows(RewriterBase &rewriter, MutableArrayRef<Operation *> group,
               ArrayRef<unsigned> order);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_BOXGROUPS_H

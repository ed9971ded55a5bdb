//===- RowGroups.h - expressions that run row by row together -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Softmax is a maximum, a sum and an element-wise expression over the rows of one tensor; layer
/// normalisation is a mean, a variance and an element-wise expression. As one kernel, all of them
/// run on a row while it is in the cache.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_ROWGROUPS_H
#define DIALECTS_TE_TRANSFORMS_ROWGROUPS_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// Returns the expressions that can be computed together row by row, in program order. The last
/// expression is `root`. Each of the others reduces rows of tensors that `root` also reads, and its
/// result is read only inside the group, at the index of the row. Returns only `root` if there are
/// no others. If `root` has pieces, they must be selected (SelectPieces) before the group becomes a
/// kernel. Remarks say why a reduction is not in the group, if it `explains`.
SmallVector<Operation *> findRowGroup(ComputeOp root, bool explains = true);

/// Returns whether an expression that reads `reduction` computes it row by row in its own launch.
bool isComputedByRows(ComputeOp reduction);

/// Rewrites the reads within the group to index by the leading dims of the reader. This includes
/// dims of size 1 whose index was the constant 0.
void nameRowDims(ArrayRef<Operation *> group);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_ROWGROUPS_H

//===- RowGroups.h - expressions that run row by row together -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Softmax is a maximum, a sum and a map over the rows of one tensor; layer
/// normalisation a mean, a variance and a map. As one kernel, all of them run on a
/// row while it is in the cache.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_ROWGROUPS_H
#define DIALECTS_TE_TRANSFORMS_ROWGROUPS_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// The expressions that can be computed at the rows of `root`, which is the last
/// one: reductions of a row of what the root reads, read at the row's index by the
/// group and nobody else. Only the root if there are none.
SmallVector<Operation *> findRowGroup(ComputeOp root);

/// Makes reads within the group name the leading dims of the reader one by one,
/// those of size 1 too.
void nameRowDims(ArrayRef<Operation *> group);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_ROWGROUPS_H

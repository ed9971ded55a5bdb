//===- BoxCost.h - what computing in boxes costs -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_PARTITION_BOXCOST_H
#define DIALECTS_TE_PARTITION_BOXCOST_H

#include "dialects/te/Partition/BoxGroup.h"
#include "dialects/te/Partition/Group.h"

namespace mlir::tssa::te {

/// Returns the group of one launch that computes `boxes`, and has the expressions before its root
/// at the place `Box`. Its cost is made of the same terms as those of other groups. Each expression
/// is computed once, what one expression writes and another reads does not move, and what several
/// rows read is read again for every box, from the cache that holds it. Of the other producers,
/// those for which `isComputed` holds are computed where they are read.
Group traceBoxes(const BoxGroup &boxes, const CostModel &model,
                 function_ref<bool(ComputeOp)> isComputed);

/// Returns whether a box of `group` is small enough to be formed.
bool fitsBoxes(const Group &group, const CostModel &model);

/// Returns whether `group` takes so much less time in boxes than as launches that it is worth it.
bool savesTime(const Group &group, const CostModel &model);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_PARTITION_BOXCOST_H

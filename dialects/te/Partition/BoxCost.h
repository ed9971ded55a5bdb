//===- BoxCost.h - what computing in boxes costs -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_PARTITION_BOXCOST_H
#define DIALECTS_TE_PARTITION_BOXCOST_H

#include "dialects/te/Partition/CostModel.h"

namespace mlir::tssa::te {

/// The cycles of two products, and of what lies between them, as launches and as one kernel that
/// computes some rows of all of them at a time.
struct BoxCost {
  double asLaunches = 0, inBoxes = 0;
  double boxBytes = 0; ///< of what the kernel keeps of its members
  double boxes = 0;    ///< that threads share
};

/// Returns the cost of `group`, whose last expression is the root. The first `numRows` dims of each
/// are its rows, in any order, at which the others read it. `keyShare` is the part of a row that is
/// computed at a time. A kernel in boxes reads what several rows share again for every box: from
/// the cache that holds it.
BoxCost getBoxCost(ArrayRef<Operation *> group, unsigned numRows, double keyShare,
                   const CostModel &model);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_PARTITION_BOXCOST_H

//===- IndexCost.h - what the indexes of a merged read cost -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_PARTITION_INDEXCOST_H
#define DIALECTS_TE_PARTITION_INDEXCOST_H

#include "dialects/te/Analysis/PointDomain.h"

namespace mlir::tssa::te {

/// Returns why the rearrangement that piece `piece` of `producer` is should not be computed at
/// `read`, or an empty string: the indexes would become too large, or would need a division in the
/// body of a reduction, where each iteration repeats it. In a reduction only the address counts:
/// for a reshape, the address may need no division even if the indexes do. An index that the run
/// checks is computed as it is. `domain` is that of the read.
StringRef findIndexObstacle(ReadOp read, ComputeOp producer, unsigned piece, PointDomain &domain);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_PARTITION_INDEXCOST_H

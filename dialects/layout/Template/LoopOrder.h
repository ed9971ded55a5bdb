//===- LoopOrder.h - orders of loops, and loops that can be fused -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TEMPLATE_LOOPORDER_H
#define DIALECTS_LAYOUT_TEMPLATE_LOOPORDER_H

#include "dialects/layout/Analysis/Access.h"

namespace mlir::tssa::layout {

/// Returns how many of the dims directly before `dim`, but not before `first`, can be fused with
/// `dim` such that each access keeps a constant stride, and long lines of points are not divided.
unsigned countFusable(te::ComputeOp op, ArrayRef<Access> accesses, unsigned dim, unsigned first);

/// Returns the order of the outer loops of parallel dims: that of the dims, but the vector dim
/// comes before the first dim along which the rows share its loads.
SmallVector<unsigned> getOuterOrder(te::ComputeOp op, ArrayRef<Access> accesses,
                                    std::optional<unsigned> vectorDim);

/// Returns the reduction dims in descending order of the strides of their reads. What is stored in
/// the order of the loops does not count.
SmallVector<unsigned> getReductionOrder(te::ComputeOp op, ArrayRef<Access> accesses);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TEMPLATE_LOOPORDER_H

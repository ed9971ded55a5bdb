//===- TileModel.h - chooses the register tile of an expression -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TEMPLATE_TILEMODEL_H
#define DIALECTS_LAYOUT_TEMPLATE_TILEMODEL_H

#include "dialects/layout/Analysis/Access.h"
#include "dialects/layout/IR/MachineModel.h"
#include "dialects/layout/Template/Point.h"

namespace mlir::tssa::layout {

/// Returns how many of the dims directly before `dim`, but not before `first`, can be fused with
/// `dim` such that each access keeps a constant stride.
unsigned countFusable(te::ComputeOp op, ArrayRef<Access> accesses, unsigned dim, unsigned first);

/// Returns the order of the outer loops of parallel dims: that of the dims, but the vector dim comes
/// before the first dim along which the rows share its loads.
SmallVector<unsigned> getOuterOrder(te::ComputeOp op, ArrayRef<Access> accesses,
                                    std::optional<unsigned> vectorDim);

/// Chooses the vector dim by the cost of reads and writes per element. Then chooses the register
/// tile by the loads and multiply-adds of a reduction step; the shorter tiles at the ends count
/// too. The first `rowDims` dims are neither split nor fused. Without a reduction, dims are fused
/// with the vector dim if each access keeps a constant stride; with a reduction, they are fused
/// with the dims of the tile's rows. Reduction loops have the longest strides outermost.
Point chooseTile(te::ComputeOp op, ArrayRef<Access> accesses, const MachineModel &machine,
                 unsigned rowDims);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TEMPLATE_TILEMODEL_H

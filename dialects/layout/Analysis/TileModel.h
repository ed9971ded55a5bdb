//===- TileModel.h - chooses the register tile of an expression -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_ANALYSIS_TILEMODEL_H
#define DIALECTS_LAYOUT_ANALYSIS_TILEMODEL_H

#include "dialects/layout/Analysis/Access.h"
#include "dialects/layout/IR/MachineModel.h"

namespace mlir::tssa::layout {

/// The rows of a tile: iterations of a parallel dim that share loads.
struct TileRows {
  unsigned dim = 0;
  int64_t extent = 1; ///< number of rows of the tile
  unsigned fused = 0; ///< number of dims before `dim` that are fused with it
};

/// The tile that was chosen for one expression.
struct TileChoice {
  std::optional<unsigned> vectorDim; ///< nothing for scalar code
  int64_t lanes = 1;
  int64_t vectors = 1;        ///< vector registers along the vector dim
  SmallVector<TileRows> rows; ///< other tiled dims
};

/// Returns how many of the dims directly before `dim`, but not before `first`, can be fused with
/// `dim` such that each access keeps a constant stride.
unsigned countFusable(te::ComputeOp op, ArrayRef<Access> accesses, unsigned dim, unsigned first);

/// Chooses the vector dim by the cost of reads and writes per element. Then chooses the register
/// tile by the loads and multiply-adds of a reduction step; the shorter tiles at the ends count
/// too.
TileChoice chooseTile(te::ComputeOp op, ArrayRef<Access> accesses, const MachineModel &machine);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_ANALYSIS_TILEMODEL_H

//===- TileModel.h - which tile of an expression to keep in registers -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_ANALYSIS_TILEMODEL_H
#define DIALECTS_LAYOUT_ANALYSIS_TILEMODEL_H

#include "dialects/layout/Analysis/Access.h"
#include "dialects/layout/Analysis/MachineModel.h"

namespace mlir::tssa::layout {

/// Rows of a tile: iterations of a parallel dim that share what is loaded for one.
struct TileRows {
  unsigned dim = 0;
  int64_t extent = 1; ///< of the tile
  unsigned fused = 0; ///< dims before `dim` that are one loop with it
};

/// The decision for one expression, a plain value.
struct TileChoice {
  std::optional<unsigned> vectorDim; ///< none: scalar code
  int64_t lanes = 1;
  int64_t vectors = 1;        ///< vector registers along the vector dim
  SmallVector<TileRows> rows; ///< other tiled dims
};

/// How many dims before `dim` all accesses walk as one with it, none of them before `first`.
unsigned countFusable(te::ComputeOp op, ArrayRef<Access> accesses, unsigned dim, unsigned first);

/// Picks the vector dim by what reads and writes cost per element, then the
/// register tile by the loads and multiply-adds that a step of the reduction
/// takes, with the shorter tiles at the ends counted.
TileChoice chooseTile(te::ComputeOp op, ArrayRef<Access> accesses, const MachineModel &machine);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_ANALYSIS_TILEMODEL_H

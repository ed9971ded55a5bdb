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

/// The decision for one expression, a plain value.
struct TileChoice {
  std::optional<unsigned> vectorDim; ///< none: scalar code
  int64_t lanes = 1;
  int64_t vectors = 1;                            ///< vector registers along the vector dim
  SmallVector<std::pair<unsigned, int64_t>> rows; ///< other tiled dims and extents
};

/// Picks the vector dim by what reads and writes cost per element, then the
/// register tile by the loads and multiply-adds that a step of the reduction
/// takes, with the shorter tiles at the ends counted.
TileChoice chooseTile(te::ComputeOp op, ArrayRef<Access> accesses, const MachineModel &machine);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_ANALYSIS_TILEMODEL_H

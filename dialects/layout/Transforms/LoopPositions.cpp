//===- LoopPositions.cpp - where a schedule runs the dims of an expression -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/LoopPositions.h"
#include "dialects/layout/Analysis/Schedule.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// Adds `loop`, which runs (a part of) a dim at `position`, to the loops of this dim.
static void addLoop(DimLoops &dim, bool isFirst, unsigned position, const ScheduledLoop &loop) {
  dim.vector |= loop.kind == LoopKind::Vector;
  if (isFirst)
    dim.outer = position;
  bool isInner = loop.kind == LoopKind::Vector || loop.kind == LoopKind::Tile;
  if (!isInner || !loop.limit || loop.dims.size() != 1)
    return;
  if (dim.block == 1)
    dim.inner = position;
  dim.block *= cast<AffineConstantExpr>(loop.extent).getValue();
}

std::optional<SmallVector<DimLoops>> layout::getLoopPositions(te::ComputeOp compute) {
  std::optional<Schedule> schedule = findSchedule(compute);
  if (!schedule)
    return std::nullopt;
  SmallVector<DimLoops> dims(compute.getNumDims());
  SmallVector<bool> found(compute.getNumDims(), false);
  for (auto [position, id] : llvm::enumerate(schedule->order)) {
    const ScheduledLoop &loop = schedule->loops[id];
    for (unsigned dim : loop.dims) {
      addLoop(dims[dim], !found[dim], position, loop);
      found[dim] = true;
    }
  }
  if (!schedule->dot)
    return dims;
  // Instructions that add steps together read blocks of one vector, whatever the tile: CPUs with
  // different tiles share constants in one artifact.
  const TileGroup *vector = schedule->getVector();
  for (unsigned dim : schedule->loops[vector->inner.back()].dims) {
    dims[dim].block = vector->factors.back();
    dims[dim].inner = llvm::find(schedule->order, vector->inner.back()) - schedule->order.begin();
  }
  for (unsigned dim : schedule->loops[schedule->dot->loop].dims) {
    dims[dim].dotSteps = schedule->dot->instruction->getWordSteps();
    dims[dim].innermost = schedule->order.size();
  }
  return dims;
}

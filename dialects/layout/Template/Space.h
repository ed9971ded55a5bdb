//===- Space.h - the points of the template -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TEMPLATE_SPACE_H
#define DIALECTS_LAYOUT_TEMPLATE_SPACE_H

#include "dialects/layout/Template/Draft.h"

namespace mlir::tssa::layout {

/// The most multiply-adds of an unrolled body, where a function counts as those that take as much
/// code. Longer code takes long to compile and leaves the instruction cache.
constexpr int64_t maxBody = 420;

/// The fewest lanes of the vectors of a reduction that are worth it: those of a quarter of the
/// longest registers.
constexpr int64_t leastLanes = 4;

/// The most window dims that are unrolled together.
constexpr size_t mostTaps = 3;

/// The leading dims of an expression that run over rows of its kernel. Their loops are outermost,
/// and are not fused.
struct RowLoops {
  unsigned count = 0;
  /// The one that may have tiles; nothing if rows are computed one by one.
  std::optional<unsigned> tiled;
  /// Whether a box may have several tiles: of the root of a kernel in boxes.
  bool hasBox = false;
};

/// A point with the time that the draft predicts.
struct RankedPoint {
  Point point;
  double cycles = 0;
};

/// Returns why the loops of `point` cannot be written for `op`, or an empty string. The text begins
/// with the name of the knob: vector, rows, box, unroll, outer or reduce.
std::string findObstacle(te::ComputeOp op, const Roles &roles, const Point &point,
                         const MachineModel &machine);

/// Returns the number of lanes of a vector register for the widest float type in `op`.
int64_t getLanes(te::ComputeOp op, const MachineModel &machine);

/// Returns the first dim that may be fused with rows of `dim`: those before it are part of the tile
/// of `point`, which has a vector dim and the rows before `dim`, or are the first `rowDims`.
unsigned getFirstFusable(const Point &point, unsigned dim, unsigned rowDims);

/// Returns the points that the draft has scored, at most 300, those with the shortest times first.
/// The first `rowDims` dims are neither split nor fused;
/// with `tilesRows`, reductions have tiles of them. The order is the same in each run. There
/// is at least one point, which is scalar code if no vector can be written.
std::vector<RankedPoint> rankPoints(te::ComputeOp op, ArrayRef<Access> accesses,
                                    const MachineModel &machine, unsigned rowDims = 0,
                                    bool tilesRows = false);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TEMPLATE_SPACE_H

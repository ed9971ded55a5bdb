//===- LoopNestTiles.cpp - the points of a tile, and their results -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NestBuilder.h"
#include "dialects/layout/Analysis/CodeRules.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tssa::conversion {

using Values = NestBuilder::Values;

bool NestBuilder::hasReduction() const {
  return llvm::any_of(schedule.loops, [](const ScheduledLoop &loop) { return loop.reduction; });
}

void NestBuilder::buildTile() {
  if (schedule.atom)
    return buildAtomTile();
  if (schedule.usesMatrices())
    return buildMatrixTile();
  bool mayMiss = false;
  for (unsigned i = 0; i < schedule.tiles.size(); ++i)
    mayMiss |= hasBarriers && !schedule.tiles[i].reduction && points.getSurplus(i);
  SmallVector<TileRow> rows = points.getRows(/*masked=*/mayMiss);
  Values accumulators;
  if (hasReduction())
    accumulators = reduceTile(rows);
  finishTile(rows, accumulators, mayMiss);
}

void NestBuilder::finishTile(ArrayRef<TileRow> rows, ValueRange accumulators, bool mayMiss) {
  if (!hasBarriers) {
    auto finish = [&] {
      emitter.beginTile(getRowPoints(rows));
      for (auto [i, row] : llvm::enumerate(rows))
        finishRow(points.getPoint(row), combineRow(accumulators, i));
      emitter.endTile();
    };
    // Elements of many rows may be loaded together where no guard stands in the way.
    Value interior;
    if (!hasReduction() && !threads && !isTail() &&
        mlir::tssa::layout::transposesRows(rows.size(), /*isStored=*/false))
      interior = emitter.getInterior(getRowPoints(rows));
    if (!interior)
      return finish();
    auto finishInside = [&] {
      emitter.assumeInterior(true);
      finish();
      emitter.assumeInterior(false);
    };
    buildIf(interior, finishInside, finish);
    return;
  }
  SmallVector<Values> combined;
  for (unsigned i = 0; i < rows.size(); ++i)
    combined.push_back(combineRow(accumulators, i));
  Value mine = active;
  if (schedule.getReductionThreads() > 1)
    mine = buildConjunction(index, mine, isFirstOfGroup());
  auto finish = [&] { finishExistingRows(combined, mayMiss); };
  if (mine)
    buildIf(mine, finish, nullptr);
  else
    finish();
}

void NestBuilder::finishExistingRows(ArrayRef<Values> combined, bool mayMiss) {
  auto finishRows = [&](bool withMasks) {
    SmallVector<TileRow> rows = points.getRows(withMasks);
    for (auto [row, values] : llvm::zip_equal(rows, combined))
      finishRow(points.getPoint(row), values);
  };
  if (!mayMiss)
    return finishRows(false);
  Value full;
  for (unsigned i = 0; i < schedule.tiles.size(); ++i)
    if (AffineExpr surplus = schedule.tiles[i].reduction ? AffineExpr() : points.getSurplus(i))
      full = buildConjunction(index, full, index.materializeCondition(surplus, false));
  buildIf(full, [&] { finishRows(false); }, [&] { finishRows(true); });
}

void NestBuilder::finishRow(TilePoint point, ValueRange accumulators) {
  auto finish = [&] {
    if (!accumulators.empty())
      return emitter.finish(point, accumulators);
    emitter.beginScope();
    emitter.compute(point);
  };
  Value exists = std::exchange(point.exists, Value());
  exists = buildConjunction(index, exists, std::exchange(point.stored, Value()));
  if (exists)
    buildIf(exists, finish, nullptr);
  else
    finish();
}

} // namespace tssa::conversion

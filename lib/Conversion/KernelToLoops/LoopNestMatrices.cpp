//===- LoopNestMatrices.cpp - tiles of products of matrices of a CPU -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of a tile are all combinations of its tiled loops over parallel dims but the vector one.
// Those of the last such loop with more than one iteration are divided into parts of at most as
// many rows as a register has; each part has a register of sums for each vector. At the end of a
// loop of rows, the last part has fewer rows. So no row is computed that does not exist.
//
// Sums are in registers that are no values, so the loops of the reduction carry nothing. At the end
// they are stored to memory, and a loop over the rows runs the epilogue on one vector after the
// other.
//
//===----------------------------------------------------------------------===//

#include "NestBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa::conversion {

using Values = NestBuilder::Values;

std::optional<unsigned> NestBuilder::findDividedRows() const {
  std::optional<unsigned> last;
  for (auto [i, group] : llvm::enumerate(schedule.tiles))
    if (!group.reduction && !group.vector && points.states[i]->count > 1)
      last = i;
  return last;
}

MatrixTile NestBuilder::getMatrixTile() const {
  int64_t most = schedule.dot->instruction->rows, count = 1, combinations = 1;
  MatrixTile tile;
  if (std::optional<unsigned> divided = findDividedRows()) {
    count = points.states[*divided]->count;
    tile.left = points.states[*divided]->left;
    for (auto [i, group] : llvm::enumerate(schedule.tiles))
      if (!group.reduction && !group.vector && i != *divided)
        combinations *= std::max<int64_t>(points.states[i]->count, 1);
  }
  for (int64_t combination = 0; combination < combinations; ++combination)
    for (int64_t row = 0; row < count; row += most)
      tile.heights.push_back(std::min(count - row, most));
  for (auto [i, group] : llvm::enumerate(schedule.tiles))
    if (group.vector)
      tile.vectors = std::max<int64_t>(llvm::divideCeil(points.states[i]->count, lanes), 1);
  return tile;
}

void NestBuilder::buildMatrixTail(unsigned i, AffineExpr left, function_ref<void()> next) {
  const TileGroup &group = schedule.tiles[i];
  bool isOnly = llvm::none_of(schedule.tiles, [&](const TileGroup &other) {
    return &other != &group && !other.reduction && !other.vector && other.size > 1;
  });
  if (group.vector || !isOnly)
    return forEachDynamic(i, left, next);
  int64_t most = schedule.dot->instruction->rows;
  AffineExpr rows = index.getSymbolUpTo(index.materialize(left), group.size - 1);
  // As many parts as there are rows for.
  auto build = [&](int64_t count) {
    points.states[i] = TileState{count, {}, {}, false, rows, {}};
    next();
  };
  function_ref<void(int64_t)> buildFrom;
  auto buildParts = [&](int64_t count) {
    if (count <= most)
      return build(count);
    Value isHigh = index.materializeCondition(rows - (count - most) - 1, /*equality=*/false);
    buildIf(isHigh, [&] { build(count); }, [&] { buildFrom(count - most); });
  };
  buildFrom = buildParts;
  buildParts(llvm::alignTo(group.size, most));
}

void NestBuilder::forEachRow(unsigned i, Value number, function_ref<void(Value)> body) {
  while (i < schedule.tiles.size() &&
         (schedule.tiles[i].reduction || schedule.tiles[i].vector || points.states[i]->count <= 1))
    ++i;
  if (i == schedule.tiles.size())
    return body(number);
  TileState state = *points.states[i];
  AffineExpr count =
      state.left ? state.left : getAffineConstantExpr(state.count, index.getContext());
  Value rows = index.materialize(count);
  Value first = builder.createOrFold<arith::MulIOp>(loc(), number, rows);
  buildFor(index.constant(0), rows, {}, [&](Value iv, ValueRange) -> Values {
    AffineExpr row = index.getSymbolUpTo(iv, state.count - 1);
    points.states[i] = TileState{0, row, {}, false, {}, {}};
    forEachRow(i + 1, builder.createOrFold<arith::AddIOp>(loc(), first, iv), body);
    return {};
  });
  points.states[i] = state;
}

void NestBuilder::buildMatrixTile() {
  bool isZero = emitter.addsZeros();
  if (!isZero) {
    emitter.beginMatrices(getMatrixTile());
    buildWholeReduction(points.getRows(/*masked=*/false), {});
    emitter.endMatrices();
  }
  if (failed(result))
    return;
  forEachRow(0, index.constant(0), [&](Value number) {
    SmallVector<TileRow> rows = points.getRows(/*masked=*/false);
    emitter.beginTile(getRowPoints(rows));
    for (auto [vector, row] : llvm::enumerate(rows))
      finishRow(points.getPoint(row), isZero ? emitter.getIdentity(/*vector=*/true)
                                             : Values{emitter.loadSums(number, vector)});
    emitter.endTile();
  });
}

MatrixStep NestBuilder::getMatrixStep(ArrayRef<TileRow> rows, ArrayRef<TileRow> steps) {
  MatrixTile tile = getMatrixTile();
  auto getBlock = [](const TileRow &row) {
    unsigned block = 0;
    for (const TileElement &element : row)
      block = std::max(block, element.block);
    return block;
  };
  MatrixStep step;
  step.columns.resize(tile.vectors);
  SmallVector<const TileRow *> ofFirst;
  for (const TileRow &row : rows) {
    unsigned block = getBlock(row);
    if (block == 0)
      ofFirst.push_back(&row);
    SmallVector<TilePoint> &column = step.columns[block];
    if (column.empty())
      for (const TileRow &element : steps)
        column.push_back(points.getPoint(row, element));
  }
  for (const TileRow *row : ofFirst)
    step.rows.push_back(points.getPoint(*row, steps.front()));
  int64_t first = 0;
  for (int64_t height : tile.heights) {
    step.parts.push_back(step.rows[first]);
    first += height;
  }
  SmallVector<unsigned> kept;
  step.stepLoop = schedule.dot->loop;
  kept.push_back(step.stepLoop);
  for (auto [i, group] : llvm::enumerate(schedule.tiles))
    if (!group.reduction && !points.states[i]->offset)
      llvm::append_range(kept, ArrayRef(group.inner).drop_back(group.vector));
  step.any = points.getPoint(rows.front(), steps.front(), kept);
  if (std::optional<unsigned> divided = findDividedRows()) {
    const TileGroup &group = schedule.tiles[*divided];
    int64_t scale = group.size;
    for (auto [loop, factor] : llvm::zip_equal(group.inner, group.factors))
      step.rowLoops.push_back({loop, scale /= factor});
  }
  step.forEachRow = [this, steps](auto visit) {
    forEachRow(0, index.constant(0), [&](Value number) {
      SmallVector<TilePoint> group;
      SmallVector<TileRow> ofRow = points.getRows(/*masked=*/false);
      for (const TileRow &element : steps)
        group.push_back(points.getPoint(ofRow.front(), element));
      visit(number, group);
    });
    emitter.beginScope();
  };
  return step;
}

/// Adds a tile by products of matrices.
void NestBuilder::accumulateMatrices(ArrayRef<TileRow> rows) {
  SmallVector<TileRow> steps = points.getReductionRows();
  size_t run = std::max<int64_t>(points.states.back()->count, 1); // of one iteration of others
  size_t width = schedule.dot->instruction->steps;
  for (size_t begin = 0; begin < steps.size(); begin += run)
    for (size_t at = 0; at < run && succeeded(result); at += width) {
      emitter.beginScope();
      ArrayRef<TileRow> group = ArrayRef(steps).slice(begin + at, std::min(width, run - at));
      std::string obstacle;
      if (!emitter.accumulateMatrices(getMatrixStep(rows, group), obstacle))
        result = layout::AtomOp(schedule.dot->op).emitError("expected ") << obstacle;
    }
}

} // namespace tssa::conversion

//===- LoopNestReduction.cpp - reduction loops, their accumulators and caches -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheTile.h"
#include "NestBuilder.h"
#include "ThreadCombine.h"
#include "dialects/layout/Analysis/CodeRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa::conversion {

using Values = NestBuilder::Values;

Values NestBuilder::reduceTile(ArrayRef<TileRow> rows) {
  const TileGroup *vectorGroup = schedule.getVector();
  bool lanesReduced = vectorGroup && vectorGroup->reduction;
  blocks = lanesReduced ? vectorGroup->size / lanes : 1;
  Values accumulators;
  for (const TileRow &row : rows)
    for (unsigned block = 0; block < blocks; ++block) {
      Values identity = emitter.getIdentity(lanes != 0 && !isScalar(row));
      numAccumulators = identity.size();
      accumulators.append(identity);
    }
  if (emitter.addsZeros())
    return accumulators;
  neutral = accumulators;
  auto reduce = [&](Values inner) { return buildWholeReduction(rows, inner); };
  if (hasBarriers && schedule.caches.empty())
    accumulators = accumulateWhere(active, accumulators, reduce);
  else
    accumulators = reduce(accumulators);
  emitter.beginScope();
  return accumulators;
}

Values NestBuilder::combineRow(ValueRange accumulators, unsigned i) {
  if (accumulators.empty())
    return {};
  Values row = getSlot(accumulators, i * blocks);
  for (unsigned block = 1; block < blocks; ++block)
    row = emitter.combine(row, getSlot(accumulators, i * blocks + block));
  const TileGroup *vectorGroup = schedule.getVector();
  if (vectorGroup && vectorGroup->reduction)
    row = emitter.combineLanes(row);
  if (threads && schedule.getReductionThreads() > 1)
    row = combineThreads(index, *threads, emitter, row, schedule.getReductionThreads());
  return row;
}

Value NestBuilder::isFirstOfGroup() {
  Value number = threads->buildNumber(index);
  Value position = arith::RemUIOp::create(builder, loc(), number,
                                          index.constant(schedule.getReductionThreads()));
  return arith::CmpIOp::create(builder, loc(), arith::CmpIPredicate::eq, position,
                               index.constant(0));
}

Values NestBuilder::getSlot(ValueRange accumulators, unsigned slot) {
  return Values(accumulators.slice(slot * numAccumulators, numAccumulators));
}

Values NestBuilder::buildReduction(unsigned level, ArrayRef<TileRow> rows, Values accumulators) {
  if (level == schedule.reduction.size())
    return accumulateWhere(getReductionThreadsLimit(), accumulators,
                           [&](Values inner) { return accumulateTile(rows, inner); });
  if (level + 1 < schedule.reduction.size() || !schedule.caches.empty())
    return buildReductionLoop(level, rows, accumulators);
  return accumulateWhereNeeded(rows, accumulators, [&](Values inner) {
    // Guards that do not change in the innermost loop are decided once, before it.
    if (isTail())
      return buildReductionLoop(level, rows, inner);
    TileEmitter::Guards guards = emitter.getKnownGuards(getRowPoints(rows));
    return buildVersions(buildConjunction(index, guards), inner, [&](bool hold) {
      emitter.assumeGuards(guards, hold);
      Values combined = buildReductionLoop(level, rows, inner);
      emitter.assumeGuards(guards, false);
      return combined;
    });
  });
}

Values NestBuilder::accumulateWhereNeeded(ArrayRef<TileRow> rows, Values accumulators,
                                          function_ref<Values(Values)> body) {
  if (threads)
    return body(accumulators);
  TileEmitter::Guards needed = emitter.getNeededGuards(getRowPoints(rows));
  return accumulateWhere(buildConjunction(index, needed), accumulators, [&](Values inner) {
    emitter.assumeGuards(needed, true);
    Values combined = body(inner);
    emitter.assumeGuards(needed, false);
    return combined;
  });
}

bool NestBuilder::isTail() const {
  return llvm::any_of(points.states, [](const auto &state) {
    return state && (state->left || !state->clamped.empty());
  });
}

Values NestBuilder::buildWholeReduction(ArrayRef<TileRow> rows, Values accumulators) {
  Value interior;
  // This is not done for the threads of a block: if they branched differently, the block would run
  // both versions.
  if (!threads && !isTail())
    interior = emitter.getInterior(getRowPoints(rows));
  return buildVersions(interior, accumulators, [&](bool holds) {
    emitter.assumeInterior(holds);
    Values combined = buildReduction(0, rows, accumulators);
    emitter.assumeInterior(false);
    return combined;
  });
}

SmallVector<TilePoint> NestBuilder::getRowPoints(ArrayRef<TileRow> rows) {
  SmallVector<TilePoint> rowPoints;
  for (const TileRow &row : rows)
    rowPoints.push_back(points.getPoint(row));
  return rowPoints;
}

Values NestBuilder::buildVersions(Value condition, Values accumulators,
                                  function_ref<Values(bool)> body) {
  if (!condition)
    return body(false);
  if (accumulators.empty()) {
    buildIf(condition, [&] { body(true); }, [&] { body(false); });
    return {};
  }
  auto branch = scf::IfOp::create(builder, loc(), ValueRange(accumulators).getTypes(), condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard insertion(builder);
  for (bool holds : {true, false}) {
    builder.setInsertionPointToEnd(holds ? branch.thenBlock() : branch.elseBlock());
    emitter.beginScope();
    Values combined = body(holds);
    scf::YieldOp::create(builder, loc(), combined);
  }
  emitter.beginScope();
  return Values(branch.getResults());
}

Values NestBuilder::buildReductionLoop(unsigned level, ArrayRef<TileRow> rows,
                                       Values accumulators) {
  unsigned loop = schedule.reduction[level];
  if (isPeeled(level, rows))
    return buildPeeled(level, accumulators,
                       [&](Values inner) { return buildReduction(level + 1, rows, inner); });
  checkUniformCache(level);
  auto run = [&](Value iv, ValueRange inner) {
    index.setLoop(loop, iv);
    visitLoop(loop);
    bool last = fillCaches(level);
    // What could not be computed at this loop has no buffer to read from.
    auto rest = [&](Values values) {
      return failed(result) ? values : buildReduction(level + 1, rows, values);
    };
    Values combined = last ? accumulateWhere(active, Values(inner), rest) : rest(Values(inner));
    index.dropLoop(loop);
    return combined;
  };
  const TileGroup *group = schedule.getTile(loop);
  if (!group)
    return buildSum(level, getTripCount(loop), accumulators, run);
  unsigned i = group - schedule.tiles.data();
  Value full = index.materialize(index.simplify(group->extent.floorDiv(group->size)));
  auto extent = dyn_cast<AffineConstantExpr>(group->extent);
  if (!extent || extent.getValue() >= group->size) {
    points.states[i] = TileState{group->size, {}, {}, false, {}, {}};
    accumulators = buildSum(level, full, accumulators, run);
  }
  accumulators = buildReductionTail(i, full, accumulators, run);
  points.states[i].reset();
  return accumulators;
}

bool NestBuilder::isPeeled(unsigned level, ArrayRef<TileRow> rows) {
  unsigned loop = schedule.reduction[level];
  auto extent = dyn_cast<AffineConstantExpr>(schedule.loops[loop].extent);
  bool hasInnerLoop = false;
  for (unsigned inner = level + 1; inner < schedule.reduction.size(); ++inner)
    hasInnerLoop |= getStaticSteps(inner) != 1;
  if (threads || isTail() || schedule.usesMatrices() || !hasInnerLoop || !extent ||
      schedule.getTile(loop) || schedule.loops[loop].limit ||
      extent.getValue() > layout::mostPeeled)
    return false;
  int64_t outside = 0;
  for (int64_t number = 0; number < extent.getValue(); ++number) {
    points.peeled.push_back({loop, number});
    outside += llvm::count_if(getRowPoints(rows),
                              [&](const TilePoint &point) { return emitter.addsNothing(point); });
    points.peeled.pop_back();
  }
  return layout::peelsWindow(outside, extent.getValue() * rows.size());
}

Values NestBuilder::buildPeeled(unsigned level, Values accumulators,
                                function_ref<Values(Values)> body) {
  unsigned loop = schedule.reduction[level];
  bool inBlocks = emitter.addsFloats() && !getBlocks(level).spans.empty();
  for (int64_t number = 0; number < getConstant(schedule.loops[loop].extent); ++number) {
    index.setLoop(loop, index.constant(number));
    points.peeled.push_back({loop, number});
    emitter.beginScope();
    visitLoop(loop);
    if (succeeded(result))
      accumulators = inBlocks ? combineAll(accumulators, body(neutral)) : body(accumulators);
    points.peeled.pop_back();
    index.dropLoop(loop);
  }
  emitter.beginScope();
  return accumulators;
}

Value NestBuilder::getReductionThreadsLimit() {
  Value condition;
  for (unsigned id : schedule.threads)
    if (schedule.loops[id].reduction)
      condition = buildConjunction(index, condition, getLimitCondition(id));
  return condition;
}

void NestBuilder::checkUniformCache(unsigned level) {
  unsigned loop = schedule.reduction[level];
  for (const CachedOperand &cache : schedule.caches) {
    if (llvm::is_contained(ArrayRef(schedule.reduction).drop_front(level), cache.loop))
      checkUniform(loop);
    if (cache.loop == loop && schedule.getTile(loop))
      result = cache.op->emitError("expected the loop of a cache to have no register tile");
  }
}

bool NestBuilder::fillCaches(unsigned level) {
  unsigned loop = schedule.reduction[level];
  bool found = false, further = false;
  for (const CachedOperand &cache : schedule.caches) {
    further |= llvm::is_contained(ArrayRef(schedule.reduction).drop_front(level + 1), cache.loop);
    if (cache.loop != loop)
      continue;
    if (!std::exchange(found, true))
      threads->buildBarrier(index); // all threads have read the previous contents
    std::optional<CacheTile> tile =
        getCacheTile(index, schedule, emitter.getDimsOfOperand(cache.operand), cache);
    if (!tile || failed(emitter.fillCache(*tile)))
      result = failure();
  }
  if (found)
    threads->buildBarrier(index);
  return found && !further;
}

Values NestBuilder::buildReductionTail(unsigned i, Value full, Values accumulators,
                                       LoopBodyFn run) {
  const TileGroup &group = schedule.tiles[i];
  if (auto extent = dyn_cast<AffineConstantExpr>(group.extent)) {
    int64_t rest = extent.getValue() % group.size;
    if (rest == 0)
      return accumulators;
    points.states[i] = TileState{rest, {}, {}, false, {}, {}};
    emitter.beginScope();
    return run(full, accumulators);
  }
  if (group.size == 1 && !group.vector)
    return accumulators;
  AffineExpr left = index.simplify(group.extent % group.size);
  Value count = index.materialize(group.vector ? left.ceilDiv(lanes) : left);
  return buildFor(index.constant(0), count, accumulators, [&](Value iv, ValueRange inner) {
    points.states[i] = getDynamicState(iv, left, group.vector);
    return run(full, inner);
  });
}

void NestBuilder::prefetchNextRows(ArrayRef<TileRow> rows, ArrayRef<TileElement> reduction) {
  if (threads || !lanes || isTail())
    return;
  unsigned loop = schedule.reduction.back();
  auto extent = dyn_cast<AffineConstantExpr>(schedule.loops[loop].extent);
  SmallVector<TilePoint> rowPoints;
  for (const TileRow &row : rows)
    if (llvm::all_of(row, [](const TileElement &element) { return element.block == 0; }))
      rowPoints.push_back(points.getPoint(row, reduction));
  if (extent && rowPoints.size() > 1)
    emitter.prefetchNextRows(rowPoints, getAffineDimExpr(loop, index.getContext()),
                             extent.getValue());
}

void NestBuilder::orderSteps(ArrayRef<TileRow> rows, SmallVectorImpl<TileStep> &steps) {
  if (!lanes || threads || rows.size() < 2 || steps.size() == rows.size())
    return;
  SmallVector<TilePoint> points = llvm::map_to_vector(steps, [](auto &step) { return step.point; });
  SmallVector<int64_t> distances = emitter.getLoadDistances(points, rows.size());
  if (distances.empty())
    return;
  // The vectors of a row stay together, so that they share what is the same for all lanes.
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, steps.size()));
  unsigned leader = 0;
  for (unsigned i : order) {
    leader = steps[i].isFirstOfRow ? i : leader;
    distances[i] = distances[leader];
  }
  llvm::stable_sort(order, [&](unsigned a, unsigned b) { return distances[a] < distances[b]; });
  // Each sum is added up as before.
  SmallVector<unsigned> last(rows.size() * blocks, 0);
  for (unsigned i : order) {
    if (i < last[steps[i].slot])
      return;
    last[steps[i].slot] = i;
  }
  SmallVector<TileStep> sorted = llvm::map_to_vector(order, [&](unsigned i) { return steps[i]; });
  steps.assign(std::make_move_iterator(sorted.begin()), std::make_move_iterator(sorted.end()));
}

/// Adds the products of `steps` to the sums of each row: by a dot product if it can, or else one by
/// one. At the end of a domain it need not be able to.
Values NestBuilder::accumulateDot(ArrayRef<TileRow> rows, ArrayRef<TileRow> steps,
                                  Values accumulators) {
  for (auto [i, row] : llvm::enumerate(rows)) {
    SmallVector<TilePoint> group =
        llvm::map_to_vector(steps, [&](auto &step) { return points.getPoint(row, step); });
    if (llvm::all_of(group, [&](auto &point) { return emitter.addsNothing(point); }))
      continue;
    Values sums = getSlot(accumulators, i), added;
    std::string obstacle;
    added = emitter.accumulateDot(group, sums, obstacle);
    bool isWhole = steps.size() == static_cast<size_t>(schedule.dot->instruction->steps);
    if (!obstacle.empty() && isWhole && !isTail())
      result = layout::AtomOp(schedule.dot->op).emitError("expected ") << obstacle;
    if (failed(result))
      return accumulators;
    for (const TilePoint &point : added.empty() ? ArrayRef(group) : ArrayRef<TilePoint>())
      sums = emitter.accumulate(point, sums);
    if (!added.empty())
      sums = added;
    llvm::copy(sums, accumulators.begin() + i * numAccumulators);
  }
  return accumulators;
}

/// Adds a tile by dot products. The steps that they add together follow each other.
Values NestBuilder::accumulateDots(ArrayRef<TileRow> rows, Values accumulators) {
  SmallVector<TileRow> steps = points.getReductionRows();
  size_t width = schedule.dot->instruction->steps;
  size_t run = std::max<int64_t>(points.states.back()->count, 1); // of one iteration of others
  emitter.beginScope();
  prefetchNextRows(rows, steps.front());
  for (size_t begin = 0; begin < steps.size(); begin += run)
    for (size_t first = 0; first < run; first += width)
      accumulators = accumulateDot(
          rows, ArrayRef(steps).slice(begin + first, std::min(width, run - first)), accumulators);
  return accumulators;
}

Values NestBuilder::accumulateTile(ArrayRef<TileRow> rows, Values accumulators) {
  if (schedule.usesMatrices()) {
    accumulateMatrices(rows);
    return {};
  }
  if (schedule.dot)
    return accumulateDots(rows, accumulators);
  const TileGroup *vectorGroup = schedule.getVector();
  bool lanesReduced = vectorGroup && vectorGroup->reduction;
  auto getBlock = [](const TileRow &row) {
    unsigned block = 0;
    for (const TileElement &element : row)
      block = std::max(block, element.block);
    return block;
  };
  SmallVector<TileRow> reductionRows = points.getReductionRows();
  emitter.beginScope();
  prefetchNextRows(rows, reductionRows.front());
  SmallVector<TileStep> steps;
  for (const TileRow &point : reductionRows) {
    unsigned block = lanesReduced ? getBlock(point) : 0;
    for (auto [i, row] : llvm::enumerate(rows)) {
      TileStep &step = steps.emplace_back();
      step.point = points.getPoint(row, point);
      step.point.vector = lanes != 0 && !isScalar(row);
      step.point.reducesLanes = lanesReduced;
      step.slot = i * blocks + block;
      step.isFirstOfRow = getBlock(row) == 0;
    }
  }
  if (!lanesReduced)
    orderSteps(rows, steps);
  for (const TileStep &step : steps) {
    if (emitter.addsNothing(step.point))
      continue;
    Values combined = emitter.accumulate(step.point, getSlot(accumulators, step.slot));
    llvm::copy(combined, accumulators.begin() + step.slot * numAccumulators);
  }
  return accumulators;
}

} // namespace tssa::conversion

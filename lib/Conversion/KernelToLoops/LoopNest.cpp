//===- LoopNest.cpp - loops and tiles of a scheduled expression -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The nest is built in two steps:
// 1. Serial loops of parallel dims, outermost first. Once the outer loops of a tile group are
//    entered, the group is resolved into cases: a full tile and a tail. If the size is static, the
//    tail is a shorter tile. If the size is dynamic, there are two kinds of tails. A vector group,
//    and any group without a reduction inside, has a loop over masked vectors or single rows. Any
//    other group has one tile with at least as many rows as remain. In this tile, each surplus row
//    computes the last row again and does not store it. The code contains such tiles of several
//    heights, and a run takes the lowest sufficient one.
// 2. In the innermost loop: without a reduction, the points of the tile. With a reduction, the
//    accumulators, then the reduction loops (with full and tail tiles of their own) around the
//    accumulation of each point, then the epilogue.
// All threads of a block run this code. If no thread synchronises with another (`hasBarriers` is
// false), a thread branches around the rest as soon as it is known to have no iteration. Otherwise
// all threads run all loops: conditions are collected in `active`, tiles are always full, and only
// code that accesses memory or accumulators is conditional.
//
//===----------------------------------------------------------------------===//

#include "tssa/Conversion/LoopNest.h"
#include "NestBuilder.h"
#include "dialects/layout/Analysis/CodeRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa::conversion {

using Values = NestBuilder::Values;

LogicalResult NestBuilder::build() {
  if (lanes)
    index.setLane(laneDim, lanes);
  if (!threads) {
    buildSerial(0);
    return result;
  }
  Value number = threads->buildNumber(index);
  enterThreads(number);
  int64_t needed = schedule.getNumThreads();
  if (needed < threads->count)
    isNeeded = arith::CmpIOp::create(builder, loc(), arith::CmpIPredicate::ult, number,
                                     index.constant(needed));
  where(isNeeded, [&] { buildSerial(0); });
  for (unsigned loop : llvm::reverse(schedule.threads))
    index.dropLoop(loop);
  return result;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

bool NestBuilder::computesAtSerialLoop() const {
  return llvm::any_of(schedule.computeAt, [&](const auto &at) {
    return llvm::is_contained(schedule.serial, at.second.loop);
  });
}

void NestBuilder::enterThreads(Value number) {
  SmallVector<Value> ivs(schedule.threads.size());
  if (schedule.atom) // these are loops over warps
    number =
        arith::DivUIOp::create(builder, loc(), number, index.constant(layout::DeviceModel::warp));
  for (unsigned i = ivs.size(); i-- > 0;) {
    if (i == 0) {
      ivs[0] = number;
      break;
    }
    AffineExpr extent = schedule.loops[schedule.threads[i]].extent;
    Value count = index.constant(std::max<int64_t>(getConstant(extent), 1));
    ivs[i] = arith::RemUIOp::create(builder, loc(), number, count);
    number = arith::DivUIOp::create(builder, loc(), number, count);
  }
  for (auto [loop, iv] : llvm::zip_equal(schedule.threads, ivs))
    index.setLoop(loop, iv);
}

void NestBuilder::where(Value condition, function_ref<void()> next) {
  if (!condition)
    return next();
  if (!hasBarriers)
    return buildIf(condition, next, nullptr);
  Value before = active;
  active = buildConjunction(index, active, condition);
  next();
  active = before;
}

Values NestBuilder::accumulateWhere(Value condition, Values accumulators,
                                    function_ref<Values(Values)> body) {
  if (!condition)
    return body(accumulators);
  if (accumulators.empty()) {
    buildIf(condition, [&] { body({}); }, nullptr);
    return {};
  }
  auto branch = scf::IfOp::create(builder, loc(), ValueRange(accumulators).getTypes(), condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  emitter.beginScope();
  Values combined = body(accumulators);
  scf::YieldOp::create(builder, loc(), combined);
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, loc(), accumulators);
  emitter.beginScope();
  return Values(branch.getResults());
}

Value NestBuilder::getLimitCondition(unsigned id) {
  const ScheduledLoop &loop = schedule.loops[id];
  if (!loop.limit)
    return {};
  AffineExpr own = getAffineDimExpr(id, index.getContext());
  AffineExpr left = index.simplify(loop.limit - loop.origin - own * loop.step - 1);
  return index.isNonNegative(left) ? Value() : index.materializeCondition(left, false);
}

SmallVector<unsigned> NestBuilder::findReadyThreadLoops() {
  SmallVector<unsigned> ready;
  for (unsigned id : schedule.threads) {
    const ScheduledLoop &loop = schedule.loops[id];
    if (!loop.reduction && !entered[id] && (!loop.limit || index.isKnown(loop.origin)))
      ready.push_back(id);
  }
  return ready;
}

void NestBuilder::buildThreadLoops(ArrayRef<unsigned> loops, function_ref<void()> next) {
  Value condition;
  for (unsigned id : loops) {
    entered[id] = true;
    condition = buildConjunction(index, condition, getLimitCondition(id));
  }
  where(condition, [&] {
    for (unsigned id : loops)
      if (hasBarriers && active)
        buildIf(active, [&] { visitLoop(id); }, nullptr);
      else
        visitLoop(id);
    if (succeeded(result))
      next();
  });
  for (unsigned id : loops)
    entered[id] = false;
}

void NestBuilder::visitLoop(unsigned loop) {
  // Several versions of a loop may be built, but an error is reported once.
  if (failed(result) || failed(atLoop(loop)))
    result = failure();
}

//===----------------------------------------------------------------------===//
// Loops of parallel dims
//===----------------------------------------------------------------------===//

std::optional<unsigned> NestBuilder::findReadyGroup() {
  for (auto [i, group] : llvm::enumerate(schedule.tiles))
    if (!group.reduction && !points.states[i] && index.isKnown(group.outer))
      return i;
  return std::nullopt;
}

void NestBuilder::buildSerial(unsigned level) {
  if (SmallVector<unsigned> ready = findReadyThreadLoops(); !ready.empty())
    return buildThreadLoops(ready, [&] { buildSerial(level); });
  if (std::optional<unsigned> group = findReadyGroup()) {
    resolveGroup(*group, [&] { buildSerial(level); });
    points.states[*group].reset();
    return;
  }
  if (level == schedule.serial.size()) {
    buildTile();
    return;
  }
  unsigned loop = schedule.serial[level];
  checkUniform(loop);
  buildFor(index.constant(0), getTripCount(loop), {}, [&](Value iv, ValueRange) -> Values {
    index.setLoop(loop, iv);
    visitLoop(loop);
    if (succeeded(result))
      buildSerial(level + 1);
    index.dropLoop(loop);
    return {};
  });
}

void NestBuilder::checkUniform(unsigned id) {
  const ScheduledLoop &loop = schedule.loops[id];
  if (!hasBarriers || !loop.limit)
    return;
  for (unsigned thread : schedule.threads)
    if (loop.origin.isFunctionOfDim(thread))
      result = emitError(loc(), "expected the same number of iterations for all lanes, since lanes "
                                "synchronise in the loop (a cache, or results that are combined)");
}

Value NestBuilder::getTripCount(unsigned id) {
  const ScheduledLoop &loop = schedule.loops[id];
  Value extent = index.materialize(loop.extent);
  if (!loop.limit)
    return extent;
  AffineExpr left = index.simplify((loop.limit - loop.origin).ceilDiv(loop.step));
  if (threads && index.isNonNegative(index.simplify(left - loop.extent)))
    return extent;
  return arith::MinSIOp::create(builder, loc(), extent, index.materialize(left));
}

Values NestBuilder::buildFor(Value lower, Value upper, ValueRange inits, LoopBodyFn body) {
  auto loop = scf::ForOp::create(builder, loc(), lower, upper, index.constant(1), inits);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = loop.getBody();
  if (inits.empty())
    builder.setInsertionPoint(block->getTerminator());
  else
    builder.setInsertionPointToEnd(block);
  emitter.beginScope();
  Values yielded = body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!inits.empty())
    scf::YieldOp::create(builder, loc(), yielded);
  emitter.beginScope();
  return Values(loop.getResults());
}

void NestBuilder::buildIf(Value condition, function_ref<void()> thenBody,
                          function_ref<void()> elseBody) {
  auto branch = scf::IfOp::create(builder, loc(), condition, /*withElseRegion=*/!!elseBody);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitter.beginScope();
  thenBody();
  emitter.beginScope();
  if (!elseBody)
    return;
  builder.setInsertionPointToStart(branch.elseBlock());
  elseBody();
  emitter.beginScope();
}

void NestBuilder::resolveGroup(unsigned i, function_ref<void()> next) {
  const TileGroup &group = schedule.tiles[i];
  auto withCount = [&](int64_t count) {
    points.states[i] = TileState{count, {}, {}, false, {}, {}};
    next();
  };
  if (hasBarriers) // rows that do not exist are skipped where memory is accessed
    return withCount(group.size);
  AffineExpr outer = index.simplify(group.outer);
  if (auto extent = dyn_cast<AffineConstantExpr>(group.extent)) {
    int64_t full = extent.getValue() / group.size, rest = extent.getValue() % group.size;
    if (rest == 0)
      return withCount(group.size);
    if (full == 0)
      return withCount(rest);
    Value isFull = index.materializeCondition(index.simplify(-outer + full - 1), false);
    buildIf(isFull, [&] { withCount(group.size); }, [&] { withCount(rest); });
    return;
  }
  if (group.size == 1 && !group.vector)
    return withCount(1);
  AffineExpr left = index.simplify(group.extent - outer * group.size);
  Value isFull = index.materializeCondition(left - group.size, false);
  auto buildFull = [&] { index.assuming(left - group.size, [&] { withCount(group.size); }); };
  buildIf(isFull, buildFull, [&] { buildTail(i, left, next); });
}

void NestBuilder::buildTail(unsigned i, AffineExpr left, function_ref<void()> next) {
  const TileGroup &group = schedule.tiles[i];
  if (schedule.usesMatrices())
    return buildMatrixTail(i, left, next);
  if (group.vector || !hasReduction())
    return forEachDynamic(i, left, next);
  buildRowTail(i, left, getTailHeights(group), next);
}

SmallVector<int64_t> NestBuilder::getTailHeights(const TileGroup &group) {
  int64_t perRow = 1;
  for (const TileGroup &other : schedule.tiles)
    if (!other.reduction && &other != &group)
      perRow *= other.vector ? other.size / lanes : other.size;
  return layout::getTailHeights(group.size, perRow);
}

void NestBuilder::buildRowTail(unsigned i, AffineExpr left, ArrayRef<int64_t> heights,
                               function_ref<void()> next) {
  auto build = [&] {
    int64_t certain = heights.size() > 1 ? heights[1] + 1 : 1;
    points.states[i] = getClampedState(left, heights.front(), certain);
    next();
  };
  if (heights.size() == 1)
    return build();
  Value isHigh = index.materializeCondition(left - heights[1] - 1, false);
  buildIf(isHigh, build, [&] { buildRowTail(i, left, heights.drop_front(), next); });
}

TileState NestBuilder::getClampedState(AffineExpr left, int64_t count, int64_t certain) {
  TileState state{count, {}, {}, false, {}, {}};
  AffineExpr last = index.getSymbol(index.materialize(left - 1));
  for (int64_t row = certain; row < count; ++row) {
    Value clamped =
        arith::MinSIOp::create(builder, loc(), index.constant(row), index.materialize(last));
    Value exists = index.materializeCondition(last - row, false);
    state.clamped.push_back({index.getSymbol(clamped), last, exists});
  }
  return state;
}

void NestBuilder::forEachDynamic(unsigned i, AffineExpr left, function_ref<void()> next) {
  bool vector = schedule.tiles[i].vector && masksVectors;
  Value count = index.materialize(vector ? left.ceilDiv(lanes) : left);
  buildFor(index.constant(0), count, {}, [&](Value iv, ValueRange) -> Values {
    points.states[i] = getDynamicState(iv, left, vector);
    points.states[i]->scalar = schedule.tiles[i].vector && !vector;
    next();
    return {};
  });
}

TileState NestBuilder::getDynamicState(Value iv, AffineExpr left, bool vector) {
  AffineExpr row = index.getSymbol(iv);
  if (!vector)
    return {0, row, {}, false, {}, {}};
  return {0, row * lanes, left - row * lanes, false, {}, {}};
}

LogicalResult buildLoopNest(IndexBuilder &index, const Schedule &schedule,
                            const KernelTarget &target, BlockThreads *threads, TileEmitter &emitter,
                            unsigned laneDim, AtLoopFn atLoop) {
  return NestBuilder(index, schedule, target, threads, emitter, laneDim, atLoop).build();
}

} // namespace tssa::conversion

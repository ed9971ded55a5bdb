//===- LoopNest.cpp - loops and tiles of a scheduled expression -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps:
// 1. Serial loops of parallel dims, outermost first. As soon as the outer loops of
//    a tile group are known, the group is resolved: a full tile, a shorter last
//    tile of known size, or, when sizes are dynamic, single rows or single masked
//    vectors.
// 2. At the innermost place: points of the tile without a reduction, or
//    accumulators, reduction loops (with their own full and tail tiles) around the
//    accumulation of each point, and the epilogue.
//
// The threads of a block all run this code. Where no thread waits for another
// (`meets` is false), a thread without an iteration branches around the rest as soon
// as that is known. Else all threads go through all loops: conditions are gathered
// in `active`, tiles are always full, and only the code that touches memory or
// accumulators is under a condition.
//
//===----------------------------------------------------------------------===//

#include "tssa/Conversion/LoopNest.h"
#include "CacheTile.h"
#include "ThreadJoin.h"
#include "TilePoints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ::tssa::conversion;

namespace {
using Values = TileEmitter::Values;

class NestBuilder {
public:
  NestBuilder(IndexBuilder &index, const Schedule &schedule, const KernelTarget &target,
              BlockThreads *threads, TileEmitter &emitter, unsigned laneDim, AtLoopFn atLoop)
      : index(index), schedule(schedule), threads(threads),
        masksVectors(target.masksVectors()), emitter(emitter), laneDim(laneDim), atLoop(atLoop),
        builder(index.getBuilder()), points(index, schedule, laneDim, masksVectors),
        entered(schedule.loops.size(), false) {
    if (const TileGroup *group = schedule.getVector())
      lanes = group->factors.back();
    meets = threads && (schedule.getReductionThreads() > 1 || !schedule.caches.empty() ||
                        computesAtSerialLoop());
  }

  LogicalResult build() {
    if (lanes)
      index.setLane(laneDim, lanes);
    if (!threads) {
      buildSerial(0);
      return result;
    }
    Value number = threads->buildNumber(index);
    enterThreads(number);
    int64_t needed = schedule.getNumThreads();
    Value mine;
    if (needed < threads->count)
      mine = arith::CmpIOp::create(builder, loc(), arith::CmpIPredicate::ult, number,
                                   index.constant(needed));
    where(mine, [&] { buildSerial(0); });
    for (unsigned loop : llvm::reverse(schedule.threads))
      index.dropLoop(loop);
    return result;
  }

private:
  Location loc() const { return index.getLoc(); }

  //===--------------------------------------------------------------------===//
  // Threads
  //===--------------------------------------------------------------------===//

  bool computesAtSerialLoop() const {
    return llvm::any_of(schedule.computeAt, [&](const auto &at) {
      return llvm::is_contained(schedule.serial, at.second);
    });
  }

  /// The thread's iteration of each thread loop; the innermost changes first.
  void enterThreads(Value number) {
    SmallVector<Value> ivs(schedule.threads.size());
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

  static int64_t getConstant(AffineExpr expr) { return cast<AffineConstantExpr>(expr).getValue(); }

  /// Runs `next` for the threads where `condition` (null: everywhere) holds.
  void where(Value condition, function_ref<void()> next) {
    if (!condition)
      return next();
    if (!meets)
      return buildIf(condition, next, nullptr);
    Value before = active;
    active = buildConjunction(index, active, condition);
    next();
    active = before;
  }

  /// Joins accumulators by `body` where `condition` (null: everywhere) holds.
  Values joinWhere(Value condition, Values accumulators, function_ref<Values(Values)> body) {
    if (!condition)
      return body(accumulators);
    auto branch = scf::IfOp::create(builder, loc(), ValueRange(accumulators).getTypes(), condition,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard insertion(builder);
    builder.setInsertionPointToEnd(branch.thenBlock());
    emitter.beginScope();
    Values joined = body(accumulators);
    scf::YieldOp::create(builder, loc(), joined);
    builder.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(builder, loc(), accumulators);
    emitter.beginScope();
    return Values(branch.getResults());
  }

  /// Whether a thread loop that is part of a split has an iteration for this thread;
  /// null when each has.
  Value getLimitCondition(unsigned id) {
    const ScheduledLoop &loop = schedule.loops[id];
    if (!loop.limit)
      return {};
    AffineExpr own = getAffineDimExpr(id, index.getContext());
    AffineExpr left = index.simplify(loop.limit - loop.origin - own * loop.step - 1);
    return index.isNonNegative(left) ? Value() : index.materializeCondition(left, false);
  }

  /// Thread loops over parallel dims whose iteration is known here for the first time.
  SmallVector<unsigned> findReadyThreadLoops() {
    SmallVector<unsigned> ready;
    for (unsigned id : schedule.threads) {
      const ScheduledLoop &loop = schedule.loops[id];
      if (!loop.reduction && !entered[id] && (!loop.limit || index.isKnown(loop.origin)))
        ready.push_back(id);
    }
    return ready;
  }

  void buildThreadLoops(ArrayRef<unsigned> loops, function_ref<void()> next) {
    Value condition;
    for (unsigned id : loops) {
      entered[id] = true;
      condition = buildConjunction(index, condition, getLimitCondition(id));
    }
    where(condition, [&] {
      for (unsigned id : loops)
        if (meets && active)
          buildIf(active, [&] { visitLoop(id); }, nullptr);
        else
          visitLoop(id);
      if (succeeded(result))
        next();
    });
    for (unsigned id : loops)
      entered[id] = false;
  }

  void visitLoop(unsigned loop) {
    if (failed(atLoop(loop)))
      result = failure();
  }

  //===--------------------------------------------------------------------===//
  // Loops of parallel dims
  //===--------------------------------------------------------------------===//

  std::optional<unsigned> findReadyGroup() {
    for (auto [i, group] : llvm::enumerate(schedule.tiles))
      if (!group.reduction && !points.states[i] && index.isKnown(group.outer))
        return i;
    return std::nullopt;
  }

  void buildSerial(unsigned step) {
    if (SmallVector<unsigned> ready = findReadyThreadLoops(); !ready.empty())
      return buildThreadLoops(ready, [&] { buildSerial(step); });
    if (std::optional<unsigned> group = findReadyGroup()) {
      resolveGroup(*group, [&] { buildSerial(step); });
      points.states[*group].reset();
      return;
    }
    if (step == schedule.serial.size()) {
      buildTile();
      return;
    }
    unsigned loop = schedule.serial[step];
    checkUniform(loop);
    buildFor(index.constant(0), getTripCount(loop), {}, [&](Value iv, ValueRange) -> Values {
      index.setLoop(loop, iv);
      visitLoop(loop);
      if (succeeded(result))
        buildSerial(step + 1);
      index.dropLoop(loop);
      return {};
    });
  }

  /// Threads that wait for each other in a loop have equally many iterations of it.
  void checkUniform(unsigned id) {
    const ScheduledLoop &loop = schedule.loops[id];
    if (!meets || !loop.limit)
      return;
    for (unsigned thread : schedule.threads)
      if (loop.origin.isFunctionOfDim(thread))
        result = emitError(loc(), "expected loops around lanes that join results, or around a "
                                  "cache, to have as many iterations for all lanes");
  }

  /// Iterations of a loop; fewer at the end of a split that does not divide.
  Value getTripCount(unsigned id) {
    const ScheduledLoop &loop = schedule.loops[id];
    Value extent = index.materialize(loop.extent);
    if (!loop.limit)
      return extent;
    AffineExpr left = index.simplify((loop.limit - loop.origin).ceilDiv(loop.step));
    if (threads && index.isNonNegative(index.simplify(left - loop.extent)))
      return extent;
    return arith::MinSIOp::create(builder, loc(), extent, index.materialize(left));
  }

  Values buildFor(Value lower, Value upper, ValueRange inits,
                  function_ref<Values(Value, ValueRange)> body) {
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

  void buildIf(Value condition, function_ref<void()> thenBody, function_ref<void()> elseBody) {
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

  /// Calls `next` with the state of group `i` set, once for each case of it.
  void resolveGroup(unsigned i, function_ref<void()> next) {
    const TileGroup &group = schedule.tiles[i];
    auto withCount = [&](int64_t count) {
      points.states[i] = TileState{count, {}, {}, false};
      next();
    };
    if (meets) // what does not exist is left out where memory is touched
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
    buildIf(isFull, [&] { withCount(group.size); },
            [&] { forEachDynamic(i, left, [&] { next(); }); });
  }

  /// Runs `next` in a loop over the single rows or vectors that are left.
  void forEachDynamic(unsigned i, AffineExpr left, function_ref<void()> next) {
    bool vector = schedule.tiles[i].vector && masksVectors;
    Value count = index.materialize(vector ? left.ceilDiv(lanes) : left);
    buildFor(index.constant(0), count, {}, [&](Value iv, ValueRange) -> Values {
      points.states[i] = getDynamicState(iv, left, vector);
      points.states[i]->scalar = schedule.tiles[i].vector && !vector;
      next();
      return {};
    });
  }

  TileState getDynamicState(Value iv, AffineExpr left, bool vector) {
    AffineExpr row = index.getSymbol(iv);
    if (!vector)
      return {0, row, {}, false};
    return {0, row * lanes, left - row * lanes, false};
  }

  //===--------------------------------------------------------------------===//
  // Tiles
  //===--------------------------------------------------------------------===//

  bool hasReduction() const {
    return llvm::any_of(schedule.loops, [](const ScheduledLoop &loop) { return loop.reduction; });
  }

  void buildTile() {
    bool mayMiss = false;
    for (unsigned i = 0; i < schedule.tiles.size(); ++i)
      mayMiss |= meets && !schedule.tiles[i].reduction && points.getSurplus(i);
    SmallVector<TileRow> rows = points.getRows(/*masked=*/mayMiss);
    Values accumulators;
    if (hasReduction())
      accumulators = reduceTile(rows);
    finishTile(rows, accumulators, mayMiss);
  }

  /// The accumulators of all rows, `blocks` of them for each.
  Values reduceTile(ArrayRef<TileRow> rows) {
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
    auto reduce = [&](Values inner) { return buildReduction(0, rows, inner); };
    if (meets && schedule.caches.empty())
      accumulators = joinWhere(active, accumulators, reduce);
    else
      accumulators = reduce(accumulators);
    emitter.beginScope();
    return accumulators;
  }

  /// The result of row `i`, joined from its blocks, lanes and threads; nothing without
  /// a reduction.
  Values joinRow(ValueRange accumulators, unsigned i) {
    if (accumulators.empty())
      return {};
    Values row = getSlot(accumulators, i * blocks);
    for (unsigned block = 1; block < blocks; ++block)
      row = emitter.combine(row, getSlot(accumulators, i * blocks + block));
    const TileGroup *vectorGroup = schedule.getVector();
    if (vectorGroup && vectorGroup->reduction)
      row = emitter.combineLanes(row);
    if (threads && schedule.getReductionThreads() > 1)
      row = joinThreads(index, *threads, emitter, row, schedule.getReductionThreads());
    return row;
  }

  /// Stores the results of a tile.
  void finishTile(ArrayRef<TileRow> rows, ValueRange accumulators, bool mayMiss) {
    if (!meets) {
      for (auto [i, row] : llvm::enumerate(rows))
        finishRow(points.getPoint(row), joinRow(accumulators, i));
      return;
    }
    SmallVector<Values> joined;
    for (unsigned i = 0; i < rows.size(); ++i)
      joined.push_back(joinRow(accumulators, i));
    Value mine = active;
    if (schedule.getReductionThreads() > 1)
      mine = buildConjunction(index, mine, isFirstOfJoined());
    auto finish = [&] { finishExistingRows(joined, mayMiss); };
    if (mine)
      buildIf(mine, finish, nullptr);
    else
      finish();
  }

  /// Stores the rows of a full tile, which may not all exist.
  void finishExistingRows(ArrayRef<Values> joined, bool mayMiss) {
    auto finishRows = [&](bool withMasks) {
      SmallVector<TileRow> rows = points.getRows(withMasks);
      for (auto [row, values] : llvm::zip_equal(rows, joined))
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

  void finishRow(TilePoint point, ValueRange accumulators) {
    auto finish = [&] {
      if (!accumulators.empty())
        return emitter.finish(point, accumulators);
      emitter.beginScope();
      emitter.compute(point);
    };
    Value exists = std::exchange(point.exists, Value());
    if (exists)
      buildIf(exists, finish, nullptr);
    else
      finish();
  }

  /// Of the threads that have joined their results, the one that stores them.
  Value isFirstOfJoined() {
    Value number = threads->buildNumber(index);
    Value place = arith::RemUIOp::create(builder, loc(), number,
                                         index.constant(schedule.getReductionThreads()));
    return arith::CmpIOp::create(builder, loc(), arith::CmpIPredicate::eq, place,
                                 index.constant(0));
  }

  Values getSlot(ValueRange accumulators, unsigned slot) {
    return Values(accumulators.slice(slot * numAccumulators, numAccumulators));
  }

  Values buildReduction(unsigned step, ArrayRef<TileRow> rows, Values accumulators) {
    if (step == schedule.reduction.size())
      return joinWhere(getReductionThreadsLimit(), accumulators,
                       [&](Values inner) { return accumulateTile(rows, inner); });
    if (step + 1 < schedule.reduction.size() || !schedule.caches.empty())
      return buildReductionLoop(step, rows, accumulators);
    // Guards that the innermost loop does not change are decided once before it.
    SmallVector<TilePoint> rowPoints;
    for (const TileRow &row : rows)
      rowPoints.push_back(points.getPoint(row));
    Value guards = emitter.getKnownGuards(rowPoints);
    if (!guards)
      return buildReductionLoop(step, rows, accumulators);
    auto branch = scf::IfOp::create(builder, loc(), ValueRange(accumulators).getTypes(), guards,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard insertion(builder);
    for (bool assume : {true, false}) {
      builder.setInsertionPointToEnd(assume ? branch.thenBlock() : branch.elseBlock());
      emitter.assumeGuards(assume);
      emitter.beginScope();
      Values joined = buildReductionLoop(step, rows, accumulators);
      scf::YieldOp::create(builder, loc(), joined);
    }
    emitter.beginScope();
    return Values(branch.getResults());
  }

  Values buildReductionLoop(unsigned step, ArrayRef<TileRow> rows,
                            Values accumulators) {
    unsigned loop = schedule.reduction[step];
    checkUniformCache(step);
    auto run = [&](Value iv, ValueRange inner) {
      index.setLoop(loop, iv);
      bool last = fillCaches(step);
      auto rest = [&](Values values) { return buildReduction(step + 1, rows, values); };
      Values joined = last ? joinWhere(active, Values(inner), rest) : rest(Values(inner));
      index.dropLoop(loop);
      return joined;
    };
    const TileGroup *group = schedule.getTile(loop);
    if (!group)
      return buildFor(index.constant(0), getTripCount(loop), accumulators, run);
    unsigned i = group - schedule.tiles.data();
    Value full = index.materialize(index.simplify(group->extent.floorDiv(group->size)));
    auto extent = dyn_cast<AffineConstantExpr>(group->extent);
    if (!extent || extent.getValue() >= group->size) {
      points.states[i] = TileState{group->size, {}, {}, false};
      accumulators = buildFor(index.constant(0), full, accumulators, run);
    }
    accumulators = buildReductionTail(i, full, accumulators, run);
    points.states[i].reset();
    return accumulators;
  }

  /// Whether the loops over a reduction that are bound to lanes have an iteration for
  /// this thread.
  Value getReductionThreadsLimit() {
    Value condition;
    for (unsigned id : schedule.threads)
      if (schedule.loops[id].reduction)
        condition = buildConjunction(index, condition, getLimitCondition(id));
    return condition;
  }

  //===--------------------------------------------------------------------===//
  // Caches
  //===--------------------------------------------------------------------===//

  void checkUniformCache(unsigned step) {
    unsigned loop = schedule.reduction[step];
    for (const CachedOperand &cache : schedule.caches) {
      if (llvm::is_contained(ArrayRef(schedule.reduction).drop_front(step), cache.loop))
        checkUniform(loop);
      if (cache.loop == loop && schedule.getTile(loop))
        result = cache.op->emitError("expected a loop without a register tile");
    }
  }

  /// Fills the caches of a reduction loop, whose iteration has just begun. Returns
  /// whether these are the innermost ones.
  bool fillCaches(unsigned step) {
    unsigned loop = schedule.reduction[step];
    bool found = false, further = false;
    for (const CachedOperand &cache : schedule.caches) {
      further |= llvm::is_contained(ArrayRef(schedule.reduction).drop_front(step + 1), cache.loop);
      if (cache.loop != loop)
        continue;
      if (!std::exchange(found, true))
        threads->buildBarrier(index); // all have read what was there before
      std::optional<CacheTile> tile =
          getCacheTile(index, schedule, emitter.getDimsOfOperand(cache.operand), cache);
      if (!tile || failed(emitter.fillCache(*tile)))
        result = failure();
    }
    if (found)
      threads->buildBarrier(index);
    return found && !further;
  }

  /// What the full tiles of a reduction loop leave over.
  Values buildReductionTail(unsigned i, Value full, Values accumulators,
                            function_ref<Values(Value, ValueRange)> run) {
    const TileGroup &group = schedule.tiles[i];
    if (auto extent = dyn_cast<AffineConstantExpr>(group.extent)) {
      int64_t rest = extent.getValue() % group.size;
      if (rest == 0)
        return accumulators;
      points.states[i] = TileState{rest, {}, {}, false};
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

  Values accumulateTile(ArrayRef<TileRow> rows, Values accumulators) {
    const TileGroup *vectorGroup = schedule.getVector();
    bool lanesReduced = vectorGroup && vectorGroup->reduction;
    SmallVector<TileRow> reductionRows = points.getReductionRows();
    emitter.beginScope();
    for (const TileRow &point : reductionRows) {
      unsigned block = 0;
      if (lanesReduced)
        for (const TileElement &element : point)
          block = std::max(block, element.block);
      for (auto [i, row] : llvm::enumerate(rows)) {
        unsigned slot = i * blocks + block;
        TilePoint tilePoint = points.getPoint(row, point);
        tilePoint.vector = lanes != 0 && !isScalar(row);
        tilePoint.reducesLanes = lanesReduced;
        Values joined = emitter.accumulate(tilePoint, getSlot(accumulators, slot));
        llvm::copy(joined, accumulators.begin() + slot * numAccumulators);
      }
    }
    return accumulators;
  }

  IndexBuilder &index;
  const Schedule &schedule;
  BlockThreads *threads;
  bool masksVectors;
  TileEmitter &emitter;
  unsigned laneDim;
  AtLoopFn atLoop;
  OpBuilder &builder;
  TilePoints points;
  int64_t lanes = 0;
  unsigned blocks = 1, numAccumulators = 1;
  SmallVector<bool> entered; ///< thread loops whose limit was looked at
  bool meets = false;        ///< threads wait for each other
  Value active;              ///< when they meet: whether this thread has an iteration
  LogicalResult result = success();
};
} // namespace

namespace tssa::conversion {

LogicalResult buildLoopNest(IndexBuilder &index, const Schedule &schedule,
                            const KernelTarget &target, BlockThreads *threads,
                            TileEmitter &emitter, unsigned laneDim, AtLoopFn atLoop) {
  return NestBuilder(index, schedule, target, threads, emitter, laneDim, atLoop).build();
}

} // namespace tssa::conversion

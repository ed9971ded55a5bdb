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
//===----------------------------------------------------------------------===//

#include "tssa/Conversion/LoopNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace ::tssa::conversion;

namespace {
using Values = TileEmitter::Values;

/// What of a tile group is computed at one place of the code.
struct TileState {
  int64_t count = 0;  ///< consecutive iterations; 0 for a dynamic one
  AffineExpr offset;  ///< dynamic: the row, or the first element of the vector
  AffineExpr bound;   ///< dynamic vector: how many elements are left at `offset`
};

/// Iterations of one group at one point: values of its inner loops, and a mask.
struct Element {
  SmallVector<std::pair<unsigned, AffineExpr>> loops;
  Value mask;
  unsigned block = 0; ///< number of the vector in its tile
};

class NestBuilder {
public:
  NestBuilder(IndexBuilder &index, const Schedule &schedule, TileEmitter &emitter,
              unsigned laneDim, AtLoopFn atLoop)
      : index(index), schedule(schedule), emitter(emitter), laneDim(laneDim), atLoop(atLoop),
        builder(index.getBuilder()), states(schedule.tiles.size()) {
    if (const TileGroup *group = schedule.getVector())
      lanes = group->factors.back();
  }

  LogicalResult build() {
    if (lanes)
      index.setLane(laneDim, lanes);
    buildSerial(0);
    return result;
  }

private:
  Location loc() const { return index.getLoc(); }
  AffineExpr constantExpr(int64_t value) {
    return getAffineConstantExpr(value, index.getContext());
  }

  //===--------------------------------------------------------------------===//
  // Loops of parallel dims
  //===--------------------------------------------------------------------===//

  std::optional<unsigned> findReadyGroup() {
    for (auto [i, group] : llvm::enumerate(schedule.tiles))
      if (!group.reduction && !states[i] && index.isKnown(group.outer))
        return i;
    return std::nullopt;
  }

  void buildSerial(unsigned step) {
    if (std::optional<unsigned> group = findReadyGroup()) {
      resolveGroup(*group, [&] { buildSerial(step); });
      states[*group].reset();
      return;
    }
    if (step == schedule.serial.size()) {
      buildTile();
      return;
    }
    unsigned loop = schedule.serial[step];
    buildFor(index.constant(0), getTripCount(loop), {}, [&](Value iv, ValueRange) -> Values {
      index.setLoop(loop, iv);
      if (failed(atLoop(loop)))
        result = failure();
      buildSerial(step + 1);
      index.dropLoop(loop);
      return {};
    });
  }

  /// Iterations of a loop; fewer at the end of a split that does not divide.
  Value getTripCount(unsigned id) {
    const ScheduledLoop &loop = schedule.loops[id];
    Value extent = index.materialize(loop.extent);
    if (!loop.limit)
      return extent;
    AffineExpr left = index.simplify((loop.limit - loop.origin).ceilDiv(loop.step));
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
    auto branch = scf::IfOp::create(builder, loc(), condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    emitter.beginScope();
    thenBody();
    builder.setInsertionPointToStart(branch.elseBlock());
    emitter.beginScope();
    elseBody();
    emitter.beginScope();
  }

  /// Calls `next` with the state of group `i` set, once for each case of it.
  void resolveGroup(unsigned i, function_ref<void()> next) {
    const TileGroup &group = schedule.tiles[i];
    auto withCount = [&](int64_t count) {
      states[i] = TileState{count, {}, {}};
      next();
    };
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
    bool vector = schedule.tiles[i].vector;
    Value count = index.materialize(vector ? left.ceilDiv(lanes) : left);
    buildFor(index.constant(0), count, {}, [&](Value iv, ValueRange) -> Values {
      states[i] = getDynamicState(iv, left, vector);
      next();
      return {};
    });
  }

  TileState getDynamicState(Value iv, AffineExpr left, bool vector) {
    AffineExpr row = index.getSymbol(iv);
    if (!vector)
      return {0, row, {}};
    return {0, row * lanes, left - row * lanes};
  }

  //===--------------------------------------------------------------------===//
  // Points of a tile
  //===--------------------------------------------------------------------===//

  Value getStaticMask(int64_t count) {
    auto type = VectorType::get(lanes, builder.getI1Type());
    return vector::CreateMaskOp::create(builder, loc(), type, ValueRange{index.constant(count)});
  }

  /// The iterations of group `i` in its present state.
  SmallVector<Element> getElements(unsigned i) {
    const TileGroup &group = schedule.tiles[i];
    const TileState &state = *states[i];
    SmallVector<Element> elements;
    if (state.offset) {
      Element &element = elements.emplace_back();
      for (unsigned loop : ArrayRef(group.inner).drop_back())
        element.loops.push_back({loop, constantExpr(0)});
      AffineExpr last = state.offset;
      if (group.vector) {
        last = last + getAffineDimExpr(laneDim, index.getContext());
        auto type = VectorType::get(lanes, builder.getI1Type());
        element.mask = vector::CreateMaskOp::create(builder, loc(), type,
                                                    ValueRange{index.materialize(state.bound)});
      }
      element.loops.push_back({group.inner.back(), last});
      return elements;
    }
    int64_t step = group.vector ? lanes : 1;
    for (int64_t first = 0; first < state.count; first += step) {
      Element &element = elements.emplace_back();
      element.block = group.vector ? first / step : 0;
      int64_t rest = first, scale = group.size;
      for (auto [loop, factor] : llvm::zip_equal(group.inner, group.factors)) {
        scale /= factor;
        element.loops.push_back({loop, constantExpr(rest / scale)});
        rest %= scale;
      }
      if (!group.vector)
        continue;
      element.loops.back().second = getAffineDimExpr(laneDim, index.getContext());
      if (first + lanes > state.count)
        element.mask = getStaticMask(state.count - first);
    }
    return elements;
  }

  /// All combinations of the elements of groups of parallel dims, or of reduction
  /// dims.
  SmallVector<SmallVector<Element>> getCombinations(bool reduction) {
    SmallVector<SmallVector<Element>> combinations(1);
    for (auto [i, group] : llvm::enumerate(schedule.tiles)) {
      if (group.reduction != reduction)
        continue;
      SmallVector<Element> elements = getElements(i);
      SmallVector<SmallVector<Element>> extended;
      for (const SmallVector<Element> &combination : combinations)
        for (const Element &element : elements) {
          extended.push_back(combination);
          extended.back().push_back(element);
        }
      combinations = std::move(extended);
    }
    return combinations;
  }

  TilePoint getPoint(ArrayRef<Element> rows, ArrayRef<Element> reduction = {}) {
    TilePoint point;
    auto add = [&](const Element &element) {
      for (auto [loop, expr] : element.loops)
        point.place[getAffineDimExpr(loop, index.getContext())] = expr;
      if (element.mask)
        point.mask = element.mask;
    };
    llvm::for_each(rows, add);
    llvm::for_each(reduction, add);
    for (auto [loop, expr] : schedule.splits)
      point.place[getAffineDimExpr(loop, index.getContext())] = expr.replace(point.place);
    point.dims = schedule.dims;
    const TileGroup *vectorGroup = schedule.getVector();
    point.vector = vectorGroup && (!vectorGroup->reduction || !reduction.empty());
    return point;
  }

  //===--------------------------------------------------------------------===//
  // Tiles
  //===--------------------------------------------------------------------===//

  bool hasReduction() const {
    return llvm::any_of(schedule.loops, [](const ScheduledLoop &loop) { return loop.reduction; });
  }

  void buildTile() {
    SmallVector<SmallVector<Element>> rows = getCombinations(/*reduction=*/false);
    if (!hasReduction()) {
      for (const SmallVector<Element> &row : rows) {
        emitter.beginScope();
        emitter.compute(getPoint(row));
      }
      return;
    }
    const TileGroup *vectorGroup = schedule.getVector();
    bool lanesReduced = vectorGroup && vectorGroup->reduction;
    blocks = lanesReduced ? vectorGroup->size / lanes : 1;
    Values accumulators;
    for (unsigned slot = 0; slot < rows.size() * blocks; ++slot) {
      Values identity = emitter.getIdentity(lanes != 0);
      numAccumulators = identity.size();
      accumulators.append(identity);
    }
    accumulators = buildReduction(0, rows, accumulators);
    emitter.beginScope();
    for (auto [i, row] : llvm::enumerate(rows)) {
      Values slot = getSlot(accumulators, i * blocks);
      for (unsigned block = 1; block < blocks; ++block)
        slot = emitter.combine(slot, getSlot(accumulators, i * blocks + block));
      if (lanesReduced)
        slot = emitter.combineLanes(slot);
      emitter.finish(getPoint(row), slot);
    }
  }

  Values getSlot(ValueRange accumulators, unsigned slot) {
    return Values(accumulators.slice(slot * numAccumulators, numAccumulators));
  }

  Values buildReduction(unsigned step, ArrayRef<SmallVector<Element>> rows, Values accumulators) {
    if (step == schedule.reduction.size())
      return accumulateTile(rows, accumulators);
    if (step + 1 < schedule.reduction.size())
      return buildReductionLoop(step, rows, accumulators);
    // Guards that the innermost loop does not change are decided once before it.
    SmallVector<TilePoint> points;
    for (const SmallVector<Element> &row : rows)
      points.push_back(getPoint(row));
    Value guards = emitter.getKnownGuards(points);
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

  Values buildReductionLoop(unsigned step, ArrayRef<SmallVector<Element>> rows,
                            Values accumulators) {
    unsigned loop = schedule.reduction[step];
    auto run = [&](Value iv, ValueRange inner) {
      index.setLoop(loop, iv);
      Values joined = buildReduction(step + 1, rows, Values(inner));
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
      states[i] = TileState{group->size, {}, {}};
      accumulators = buildFor(index.constant(0), full, accumulators, run);
    }
    accumulators = buildReductionTail(i, full, accumulators, run);
    states[i].reset();
    return accumulators;
  }

  /// What the full tiles of a reduction loop leave over.
  Values buildReductionTail(unsigned i, Value full, Values accumulators,
                            function_ref<Values(Value, ValueRange)> run) {
    const TileGroup &group = schedule.tiles[i];
    if (auto extent = dyn_cast<AffineConstantExpr>(group.extent)) {
      int64_t rest = extent.getValue() % group.size;
      if (rest == 0)
        return accumulators;
      states[i] = TileState{rest, {}, {}};
      emitter.beginScope();
      return run(full, accumulators);
    }
    if (group.size == 1 && !group.vector)
      return accumulators;
    AffineExpr left = index.simplify(group.extent % group.size);
    Value count = index.materialize(group.vector ? left.ceilDiv(lanes) : left);
    return buildFor(index.constant(0), count, accumulators, [&](Value iv, ValueRange inner) {
      states[i] = getDynamicState(iv, left, group.vector);
      return run(full, inner);
    });
  }

  Values accumulateTile(ArrayRef<SmallVector<Element>> rows, Values accumulators) {
    const TileGroup *vectorGroup = schedule.getVector();
    bool lanesReduced = vectorGroup && vectorGroup->reduction;
    SmallVector<SmallVector<Element>> points = getCombinations(/*reduction=*/true);
    emitter.beginScope();
    for (const SmallVector<Element> &point : points) {
      unsigned block = 0;
      if (lanesReduced)
        for (const Element &element : point)
          block = std::max(block, element.block);
      for (auto [i, row] : llvm::enumerate(rows)) {
        unsigned slot = i * blocks + block;
        TilePoint tilePoint = getPoint(row, point);
        tilePoint.vector = lanes != 0;
        tilePoint.reducesLanes = lanesReduced;
        Values joined = emitter.accumulate(tilePoint, getSlot(accumulators, slot));
        llvm::copy(joined, accumulators.begin() + slot * numAccumulators);
      }
    }
    return accumulators;
  }

  IndexBuilder &index;
  const Schedule &schedule;
  TileEmitter &emitter;
  unsigned laneDim;
  AtLoopFn atLoop;
  OpBuilder &builder;
  SmallVector<std::optional<TileState>> states;
  int64_t lanes = 0;
  unsigned blocks = 1, numAccumulators = 1;
  LogicalResult result = success();
};
} // namespace

namespace tssa::conversion {

LogicalResult buildLoopNest(IndexBuilder &index, const Schedule &schedule,
                                              TileEmitter &emitter, unsigned laneDim,
                                              AtLoopFn atLoop) {
  return NestBuilder(index, schedule, emitter, laneDim, atLoop).build();
}

} // namespace tssa::conversion

//===- ScheduleReader.cpp - reads the ops of a schedule region ------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AtomRules.h"
#include "dialects/layout/Analysis/Schedule.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// The largest number of threads of a block on any device.
static constexpr int64_t maxThreads = 1024;
static constexpr int64_t warpSize = DeviceModel::warp;

namespace {
/// An error that may have no text: a failure in any case.
class Report {
public:
  explicit Report(InFlightDiagnostic diagnostic) : diagnostic(std::move(diagnostic)) {}

  template <typename Part> Report &operator<<(Part &&part) {
    diagnostic << std::forward<Part>(part);
    return *this;
  }
  operator LogicalResult() const { return failure(); }

private:
  InFlightDiagnostic diagnostic;
};

/// Reads the ops of a schedule region and follows the handles of loops through them.
class ScheduleReader {
public:
  /// Reports errors only if `reports`.
  ScheduleReader(StringRef label, ArrayRef<AffineExpr> extents, unsigned numParallel,
                 Operation *expression, bool reports)
      : label(label), expression(expression), reports(reports), context(expression->getContext()) {
    for (auto [dim, extent] : llvm::enumerate(extents)) {
      addLoop(extent, dim >= numParallel, dim);
      schedule.dims.push_back(getAffineDimExpr(dim, context));
      order.push_back(dim);
    }
  }

  LogicalResult read(Region &region) {
    if (region.empty())
      return success();
    for (Operation &op : region.front())
      if (failed(readOp(op)))
        return failure();
    return success();
  }

  FailureOr<Schedule> finish() {
    if (failed(collectTiles()) || failed(sortLoops()) || failed(checkThreads()) ||
        failed(checkCaches()) || failed(checkAtom()) || failed(checkComputedAt()))
      return failure();
    schedule.order = std::move(order);
    return std::move(schedule);
  }

  /// Returns whether the region names the loops of the expression.
  bool isNamed() const { return !handles.empty(); }

private:
  struct Split {
    Operation *op;
    AffineExpr extent, outer;
    SmallVector<unsigned> results;
    SmallVector<int64_t> factors;
  };

  Report report(Operation *op) const {
    return Report(reports ? op->emitError() : InFlightDiagnostic());
  }

  LogicalResult readOp(Operation &op) {
    if (auto loops = dyn_cast<LoopsOp>(op))
      return readLoops(loops);
    if (auto at = dyn_cast<ComputeAtOp>(op))
      return readComputedAt(at, schedule.computeAt);
    if (auto after = dyn_cast<ComputeAfterOp>(op))
      return readComputedAt(after, schedule.computeAfter);
    // Ops on loops of other expressions do not affect this expression.
    if (op.getNumOperands() == 0 || !handles.contains(op.getOperand(0)))
      return success();
    for (Value loop : op.getOperands()) {
      if (!handles.contains(loop))
        return report(&op) << "expected loops of one expression";
      if (!schedule.loops[handles.lookup(loop)].live)
        return report(&op) << "this loop was split or fused before";
    }
    if (auto split = dyn_cast<SplitOp>(op))
      return readSplit(split);
    if (auto fuse = dyn_cast<FuseOp>(op))
      return readFuse(fuse);
    if (auto reorder = dyn_cast<ReorderOp>(op))
      return readReorder(reorder);
    if (auto bind = dyn_cast<BindOp>(op))
      return readBind(bind);
    if (auto atom = dyn_cast<AtomOp>(op))
      return readAtom(atom);
    if (auto pipeline = dyn_cast<PipelineOp>(op)) {
      schedule.pipeline = Pipeline{handles.lookup(pipeline.getLoop()),
                                   static_cast<int64_t>(pipeline.getDepth()), pipeline};
      return success();
    }
    if (auto cache = dyn_cast<CacheOp>(op)) {
      schedule.caches.push_back(
          {static_cast<unsigned>(cache.getOperand()), handles.lookup(cache.getLoop()), cache});
      return success();
    }
    if (isa<RegisterTileOp>(op))
      return setKind(op, LoopKind::Tile);
    if (isa<VectorizeOp>(op))
      return setKind(op, LoopKind::Vector);
    return report(&op) << "expected an op of a schedule";
  }

  LogicalResult readBind(BindOp op) {
    bool isWarp = op.getLevel() == Level::Warp;
    if (!isWarp && op.getLevel() != Level::Lane)
      return setKind(*op, LoopKind::Parallel);
    (isWarp ? warps : lanes) = op;
    return setKind(*op, LoopKind::Thread);
  }

  LogicalResult readAtom(AtomOp op) {
    if (schedule.atom || schedule.dot)
      return report(op) << "expected one atom in the schedule of '" << label << "'";
    auto getLoop = [&](unsigned number) { return handles.lookup(op.getLoops()[number]); };
    const Atom *atom = findAtom(op.getInstruction());
    if (atom->hasOneLoop())
      schedule.dot = DotTile{atom, getLoop(0), op};
    else
      schedule.atom = AtomTile{atom, getLoop(0), getLoop(1), getLoop(2), op};
    return setKind(*op, atom->hasOneLoop() ? LoopKind::Tile : LoopKind::Atom);
  }

  LogicalResult readLoops(LoopsOp op) {
    if (op.getLabel() != label)
      return success();
    if (op.getNumResults() != schedule.dims.size())
      return report(op) << "expected one loop for each of " << schedule.dims.size() << " dims of '"
                        << label << "', got " << op.getNumResults();
    for (auto [dim, loop] : llvm::enumerate(op.getLoops()))
      setHandle(loop, dim);
    return success();
  }

  void setHandle(Value handle, unsigned loop) {
    handles[handle] = loop;
    schedule.loops[loop].handle = handle;
  }

  template <typename OpTy>
  LogicalResult readComputedAt(OpTy op, llvm::StringMap<ComputedAt> &places) {
    if (!handles.contains(op.getLoop()))
      return success();
    ComputedAt at{handles.lookup(op.getLoop()), op};
    if (!places.insert({op.getLabel(), at}).second)
      return report(op) << "expected one loop at which '" << op.getLabel() << "' is computed";
    return success();
  }

  unsigned addLoop(AffineExpr extent, bool reduction, ArrayRef<unsigned> dims) {
    ScheduledLoop &loop = schedule.loops.emplace_back();
    loop.dims.assign(dims.begin(), dims.end());
    loop.extent = extent;
    loop.reduction = reduction;
    return schedule.loops.size() - 1;
  }

  /// Replaces `loop` by `expr` in all expressions over live loops. If the loop was fused, replaces
  /// it in `dims` too.
  void replaceLoop(unsigned loop, AffineExpr expr, bool fused) {
    AffineExpr old = getAffineDimExpr(loop, context);
    if (fused)
      for (AffineExpr &dim : schedule.dims)
        dim = dim.replace(old, expr);
    for (auto &[id, splitExpr] : schedule.splits)
      splitExpr = splitExpr.replace(old, expr);
    for (ScheduledLoop &other : schedule.loops)
      if (other.origin)
        other.origin = other.origin.replace(old, expr);
    for (Split &split : splits)
      split.outer = split.outer.replace(old, expr);
    schedule.loops[loop].live = false;
  }

  LogicalResult readSplit(SplitOp op) {
    unsigned loop = handles.lookup(op.getLoop());
    ScheduledLoop old = schedule.loops[loop];
    if (old.limit)
      return report(op) << "cannot split an inner loop of a split again";
    int64_t size = 1;
    for (int64_t factor : op.getFactors())
      if (llvm::MulOverflow(size, factor, size))
        return report(op) << "split factors overflow";
    Split split{op, old.extent, {}, {}, llvm::to_vector(op.getFactors())};
    split.results.push_back(addLoop(old.extent.ceilDiv(size), old.reduction, old.dims));
    split.outer = getAffineDimExpr(split.results[0], context);
    AffineExpr expr = getAffineDimExpr(split.results[0], context) * size;
    int64_t step = size;
    for (int64_t factor : split.factors) {
      step /= factor;
      unsigned inner = addLoop(getAffineConstantExpr(factor, context), old.reduction, old.dims);
      schedule.loops[inner].limit = old.extent;
      schedule.loops[inner].origin = expr;
      schedule.loops[inner].step = step;
      expr = expr + getAffineDimExpr(inner, context) * step;
      split.results.push_back(inner);
    }
    for (auto [result, id] : llvm::zip_equal(op.getLoops(), split.results))
      setHandle(result, id);
    auto *position = llvm::find(order, loop);
    position = order.erase(position);
    order.insert(position, split.results.begin(), split.results.end());
    replaceLoop(loop, expr, /*fused=*/false);
    schedule.splits.push_back({loop, expr});
    splits.push_back(std::move(split));
    return success();
  }

  LogicalResult readFuse(FuseOp op) {
    unsigned outer = handles.lookup(op.getOuter()), inner = handles.lookup(op.getInner());
    ScheduledLoop &first = schedule.loops[outer], &second = schedule.loops[inner];
    if (outer == inner || first.reduction != second.reduction || first.limit || second.limit)
      return report(op) << "expected two whole loops, both parallel or both of a reduction";
    AffineExpr innerExtent = second.extent;
    SmallVector<unsigned, 2> dims = first.dims;
    dims.append(second.dims);
    unsigned fused = addLoop(first.extent * second.extent, first.reduction, dims);
    AffineExpr expr = getAffineDimExpr(fused, context);
    setHandle(op.getResult(), fused);
    *llvm::find(order, outer) = fused;
    order.erase(llvm::find(order, inner));
    replaceLoop(outer, expr.floorDiv(innerExtent), /*fused=*/true);
    replaceLoop(inner, expr % innerExtent, /*fused=*/true);
    return success();
  }

  LogicalResult readReorder(ReorderOp op) {
    SmallVector<unsigned> given;
    for (Value loop : op.getLoops())
      given.push_back(handles.lookup(loop));
    SmallVector<unsigned> sortedGiven(given), sortedOrder(order);
    llvm::sort(sortedGiven);
    llvm::sort(sortedOrder);
    if (sortedGiven != sortedOrder)
      return report(op) << "expected each of the " << order.size() << " loops of '" << label
                        << "' once";
    order = given;
    return success();
  }

  LogicalResult setKind(Operation &op, LoopKind kind) {
    for (Value handle : op.getOperands()) {
      ScheduledLoop &loop = schedule.loops[handles.lookup(handle)];
      if (loop.kind != LoopKind::Serial)
        return report(&op) << "this loop is already bound, tiled or vectorized";
      if (kind == LoopKind::Parallel && (loop.reduction || loop.limit))
        return report(&op) << "expected an outer loop over a parallel dim";
      if (kind != LoopKind::Parallel && !isa<AffineConstantExpr>(loop.extent))
        return report(&op) << "expected a loop of constant extent";
      loop.kind = kind;
    }
    return success();
  }

  static bool isTile(const ScheduledLoop &loop) {
    return loop.kind == LoopKind::Tile || loop.kind == LoopKind::Vector;
  }

  /// Collects the tile groups. The tile loops of a group are the inner loops of a split, or a
  /// single loop that was not split. Such a loop gets an outer loop of one iteration.
  LogicalResult collectTiles() {
    for (Split &split : splits) {
      auto inner = ArrayRef(split.results).drop_front();
      if (llvm::none_of(inner, [&](unsigned id) { return isTile(schedule.loops[id]); }))
        continue;
      if (!llvm::all_of(inner, [&](unsigned id) { return isTile(schedule.loops[id]); }))
        return report(split.op) << "expected all inner loops of a split to be tiled, or none";
      addTile(split.outer, inner, split.factors, split.extent);
    }
    for (unsigned id = 0, end = schedule.loops.size(); id < end; ++id) {
      ScheduledLoop loop = schedule.loops[id];
      if (!loop.live || !isTile(loop) || loop.limit)
        continue;
      int64_t extent = cast<AffineConstantExpr>(loop.extent).getValue();
      unsigned outer = addLoop(getAffineConstantExpr(extent == 0 ? 0 : 1, context), loop.reduction,
                               /*dims=*/{});
      // Insert the outer loop before the tile loop. If it is not a reduction loop, it must also
      // come before all reduction loops.
      order.insert(llvm::find_if(order,
                                 [&](unsigned other) {
                                   return other == id ||
                                          (!loop.reduction && schedule.loops[other].reduction);
                                 }),
                   outer);
      addTile(getAffineDimExpr(outer, context), id, std::max<int64_t>(extent, 1), loop.extent);
    }
    if (schedule.dot) // its steps follow each other
      std::stable_partition(schedule.tiles.begin(), schedule.tiles.end(),
                            [&](const TileGroup &group) {
                              return !llvm::is_contained(group.inner, schedule.dot->loop);
                            });
    for (const TileGroup &group : schedule.tiles)
      for (unsigned id : ArrayRef(group.inner).drop_back(group.vector))
        if (schedule.loops[id].kind == LoopKind::Vector)
          return report(expression) << "expected the vector loop of '" << label
                                    << "' to be the innermost of its split";
    if (llvm::count_if(schedule.tiles, [](const TileGroup &g) { return g.vector; }) > 1)
      return report(expression) << "expected at most one vector loop in the schedule of '" << label
                                << "'";
    return success();
  }

  void addTile(AffineExpr outer, ArrayRef<unsigned> inner, ArrayRef<int64_t> factors,
               AffineExpr extent) {
    TileGroup group;
    group.outer = outer;
    group.inner.append(inner.begin(), inner.end());
    group.factors.append(factors.begin(), factors.end());
    group.extent = extent;
    group.reduction = schedule.loops[inner.front()].reduction;
    group.vector = schedule.loops[inner.back()].kind == LoopKind::Vector;
    for (int64_t factor : factors)
      group.size *= factor;
    schedule.tiles.push_back(std::move(group));
  }

  /// Sorts the loops into parallel loops, serial loops of parallel dims, and reduction loops.
  LogicalResult sortLoops() {
    for (unsigned id : order) {
      const ScheduledLoop &loop = schedule.loops[id];
      if (isTile(loop) || loop.kind == LoopKind::Atom)
        continue;
      if (loop.kind == LoopKind::Parallel) {
        if (!schedule.serial.empty() || !schedule.reduction.empty())
          return report(expression)
                 << "expected the bound loops of '" << label << "' to be outermost";
        schedule.parallel.push_back(id);
      } else if (loop.kind == LoopKind::Thread) {
        schedule.threads.push_back(id);
      } else if (loop.reduction) {
        schedule.reduction.push_back(id);
      } else if (!schedule.reduction.empty()) {
        return report(expression) << "expected loops of '" << label
                                  << "' inside of a reduction loop to be tiled";
      } else {
        schedule.serial.push_back(id);
      }
    }
    return success();
  }

  /// Checks the number of threads. The lanes that combine partial results must be neighbours. Their
  /// number must be a multiple of the warp size, or a power of two below it.
  LogicalResult checkThreads() {
    if (schedule.getNumThreads() > maxThreads)
      return report(expression) << "expected at most " << maxThreads << " lanes for '" << label
                                << "', got " << schedule.getNumThreads();
    bool reduces = false;
    for (unsigned id : schedule.threads) {
      if (reduces && !schedule.loops[id].reduction)
        return report(expression)
               << "expected the lanes of '" << label
               << "' over reduction dims to be inside of its lanes over parallel dims";
      reduces |= schedule.loops[id].reduction;
    }
    int64_t combined = schedule.getReductionThreads();
    if (combined % warpSize != 0 && (combined > warpSize || !llvm::isPowerOf2_64(combined)))
      return report(expression) << "expected the number of lanes of '" << label
                                << "' over reduction dims to be a power of two or a multiple of "
                                << warpSize << ", got " << combined;
    return success();
  }

  LogicalResult checkCaches() {
    for (const CachedOperand &cache : schedule.caches)
      if (!llvm::is_contained(schedule.reduction, cache.loop))
        return report(cache.op) << "expected a serial loop of a reduction";
    return success();
  }

  /// Checks the loops of an atom, what is around them, and that nothing needs an atom that is not
  /// there.
  LogicalResult checkAtom() {
    if (!schedule.atom && warps)
      return report(warps) << "expected a layout.atom, which the lanes of a warp compute together; "
                              "other loops are bound to lanes";
    if (schedule.atom && lanes)
      return report(lanes) << "expected warps, not lanes: those of a warp compute an atom together";
    std::optional<ScheduleFault> fault = findAtomFault(schedule, order, label);
    return fault ? report(fault->op) << fault->text : success();
  }

  /// Checks that expressions are computed at loops that the nest enters before its accumulators, or
  /// after a whole iteration of the bound loops.
  LogicalResult checkComputedAt() {
    for (const auto &entry : schedule.computeAfter)
      if (schedule.parallel.empty() || schedule.parallel.back() != entry.getValue().loop ||
          !schedule.threads.empty())
        return report(entry.getValue().op) << "expected '" << entry.getKey()
                                           << "' to be computed after the innermost bound loop of '"
                                           << label << "', which has no lanes";
    for (const auto &entry : schedule.computeAt) {
      const ComputedAt &at = entry.getValue();
      const ScheduledLoop &loop = schedule.loops[at.loop];
      const char *kind = !loop.live     ? "a loop that was split or fused"
                         : isTile(loop) ? "a tiled or vectorized loop"
                                        : nullptr;
      if (kind)
        return report(at.op) << "expected '" << entry.getKey()
                             << "' to be computed at a parallel, lane or serial loop of '" << label
                             << "', got " << kind;
    }
    return success();
  }

  StringRef label;
  Operation *expression;
  bool reports;
  MLIRContext *context;
  Schedule schedule;
  SmallVector<unsigned> order;
  SmallVector<Split> splits;
  DenseMap<Value, unsigned> handles;
  BindOp warps, lanes; ///< the last that binds loops to them; null if there is none
};
} // namespace

FailureOr<Schedule> layout::readSchedule(Region &region, StringRef label,
                                         ArrayRef<AffineExpr> extents, unsigned numParallel,
                                         Operation *expression) {
  ScheduleReader reader(label, extents, numParallel, expression, /*reports=*/true);
  if (failed(reader.read(region)))
    return failure();
  return reader.finish();
}

/// Returns the sizes of the dims of `compute`, with a symbol for each that only a run knows.
static SmallVector<AffineExpr> getExtents(te::ComputeOp compute) {
  SmallVector<AffineExpr> extents;
  for (auto [dim, size] : llvm::enumerate(compute.getStaticSizes()))
    extents.push_back(ShapedType::isDynamic(size)
                          ? getAffineSymbolExpr(dim, compute.getContext())
                          : getAffineConstantExpr(size, compute.getContext()));
  return extents;
}

FailureOr<Schedule> layout::readSchedule(te::ComputeOp compute) {
  auto kernel = compute->getParentOfType<te::KernelOp>();
  return readSchedule(kernel.getSchedule(), compute.getLabel().value_or(""), getExtents(compute),
                      compute.getNumParallel(), compute);
}

std::optional<Schedule> layout::findSchedule(te::ComputeOp compute) {
  auto kernel = compute->getParentOfType<te::KernelOp>();
  ScheduleReader reader(compute.getLabel().value_or(""), getExtents(compute),
                        compute.getNumParallel(), compute, /*reports=*/false);
  if (failed(reader.read(kernel.getSchedule())) || !reader.isNamed())
    return std::nullopt;
  FailureOr<Schedule> schedule = reader.finish();
  return failed(schedule) ? std::nullopt : std::optional(std::move(*schedule));
}

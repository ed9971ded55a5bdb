//===- BoxLowering.cpp - loops over a box without a schedule of its own -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoxLowering.h"
#include "PieceSchedule.h"
#include "dialects/layout/IR/LayoutOps.h"
#include "tssa/Conversion/LoopNest.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa::conversion;

/// Number of lanes of a vector, and of threads of a block, for the points of a box.
static constexpr int64_t vectorLanes = 16, boxThreads = 256;

namespace {
/// Writes the schedule of a box into a region that it owns, then reads the schedule from the
/// region.
class BoxScheduler {
public:
  BoxScheduler(const PointBox &box, KernelTarget &target, Operation *op)
      : box(box), target(target), op(op), loc(op->getLoc()), builder(op->getContext()),
        loopType(layout::LoopType::get(op->getContext())) {
    builder.setInsertionPointToEnd(&region.emplaceBlock());
  }

  FailureOr<Schedule> write() {
    SmallVector<Type> types(box.extents.size(), loopType);
    auto named = layout::LoopsOp::create(builder, loc, types, "box");
    loops.assign(named.getLoops().begin(), named.getLoops().end());
    if (!loops.empty()) {
      if (target.getThreads())
        spreadOverThreads();
      else
        vectorize();
    }
    return layout::readSchedule(region, "box", box.extents, box.extents.size(), op);
  }

private:
  std::pair<Value, Value> split(Value loop, int64_t factor) {
    SmallVector<Type> types(2, loopType);
    auto op = layout::SplitOp::create(builder, loc, types, loop, ArrayRef<int64_t>{factor});
    return {op.getLoops()[0], op.getLoops()[1]};
  }

  void spreadOverThreads() {
    Value fused = loops.front();
    for (Value loop : ArrayRef(loops).drop_front())
      fused = layout::FuseOp::create(builder, loc, loopType, fused, loop);
    auto [block, thread] = split(fused, boxThreads);
    layout::BindOp::create(builder, loc, block, target.getLevels()[0]);
    layout::BindOp::create(builder, loc, thread, target.getLevels()[1]);
  }

  void vectorize() {
    SmallVector<Value> spread(loops);
    if (box.vectorDim) {
      auto [outer, vector] = split(loops[*box.vectorDim], vectorLanes);
      spread.erase(std::next(spread.begin(), *box.vectorDim));
      SmallVector<Value> order(spread);
      order.append({outer, vector});
      layout::ReorderOp::create(builder, loc, order);
      layout::VectorizeOp::create(builder, loc, vector);
      auto isOne = [](AffineExpr extent) { return extent == 1; };
      SmallVector<AffineExpr> others(box.extents);
      others.erase(std::next(others.begin(), *box.vectorDim));
      if (llvm::all_of(others, isOne)) // there are no other points, so threads share the vectors
        spread.push_back(outer);
    }
    if (box.spread)
      layout::BindOp::create(builder, loc, spread, target.getLevels()[0]);
  }

  const PointBox &box;
  KernelTarget &target;
  Operation *op;
  Location loc;
  OpBuilder builder;
  Type loopType;
  Region region;
  SmallVector<Value> loops;
};

class BoxEmitter : public TileEmitter {
public:
  BoxEmitter(IndexBuilder &index, KernelContext &kernel, const Schedule &schedule,
             function_ref<void(BodyEvaluator &, const TilePoint &)> build)
      : index(index), kernel(kernel), laneDim(schedule.loops.size()), build(build) {
    if (const TileGroup *vector = schedule.getVector())
      lanes = vector->factors.back();
  }

  void compute(const TilePoint &point) override {
    BodyEvaluator body(index, kernel, point, laneDim, lanes, loads);
    build(body, point);
  }
  void beginScope() override { loads.clear(); }

private:
  IndexBuilder &index;
  KernelContext &kernel;
  unsigned laneDim;
  int64_t lanes = 0;
  function_ref<void(BodyEvaluator &, const TilePoint &)> build;
  std::map<SmallVector<const void *>, Value> loads;
};
} // namespace

namespace tssa::conversion {

FailureOr<Schedule> scheduleBox(const PointBox &box, KernelTarget &target, Operation *op) {
  if (BlockThreads *threads = target.getThreads())
    threads->count = boxThreads;
  return BoxScheduler(box, target, op).write();
}

LogicalResult buildBox(IndexBuilder &index, KernelContext &kernel, const Schedule &schedule,
                       Value number, function_ref<void(BodyEvaluator &, const TilePoint &)> build) {
  auto atLoop = [](unsigned) { return success(); };
  if (failed(enterParallelLoops(index, schedule, number, atLoop)))
    return failure();
  BoxEmitter emitter(index, kernel, schedule, build);
  LogicalResult result = buildLoopNest(index, schedule, *kernel.target, kernel.target->getThreads(),
                                       emitter, schedule.loops.size(), atLoop);
  leaveParallelLoops(index, schedule);
  return result;
}

} // namespace tssa::conversion

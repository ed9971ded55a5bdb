//===- ScheduleDefault.cpp - schedules from a model of the machine -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each labelled expression, takes the point that the draft ranks first among those of the
// template (dialects/layout/Template), and writes its loops.
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Analysis/CodeRules.h"
#include "dialects/layout/Template/Space.h"
#include "dialects/layout/Transforms/ConstantOperands.h"
#include "dialects/layout/Transforms/KernelSchedule.h"
#include "dialects/layout/Transforms/Labels.h"
#include "dialects/layout/Transforms/Passes.h"
#include "dialects/te/IR/ElementBytes.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::tssa::layout {
#define GEN_PASS_DEF_SCHEDULEDEFAULT
#include "dialects/layout/Transforms/Passes.h.inc"
} // namespace mlir::tssa::layout

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

static remark::RemarkOpts getRemarkOptions() {
  return remark::RemarkOpts::name("schedule").category("layout-schedule-default");
}

namespace {
/// Writes the schedules of kernels.
class Scheduler {
public:
  Scheduler(ModuleOp module, const MachineModel &machine, unsigned rank)
      : machine(machine), rank(rank), constants(module) {}

  /// Writes the schedule of a kernel, each expression at the point of this rank.
  void schedule(te::KernelOp kernel) {
    SmallVector<KernelExpression> expressions = getKernelExpressions(kernel);
    if (expressions.empty()) {
      kernel.getSchedule().emplaceBlock();
      remark::missed(kernel.getLoc(), getRemarkOptions())
          << remark::reason("te.update and te.scan have no schedule");
      return;
    }
    SmallVector<Point, 0> points;
    const KernelExpression &last = expressions.back();
    Point root = choose(
        last, [&](const Point &point) { return !last.isInBoxes || fitsBoxes(expressions, point); });
    for (const KernelExpression &expression : ArrayRef(expressions).drop_back())
      points.push_back(expression.isInBoxes ? chooseInBox(expression, root) : choose(expression));
    points.push_back(std::move(root));
    writeSchedule(kernel, expressions, points);
  }

private:
  /// Returns whether the others can be computed in boxes of the rows of a tile of the root: loops
  /// of rows stay apart, and the boxes fit.
  static bool fitsBoxes(ArrayRef<KernelExpression> expressions, const Point &root) {
    double bytes = 0;
    for (const KernelExpression &expression : expressions.drop_back()) {
      te::ComputeOp op = expression.op;
      double elements = 1;
      for (unsigned dim = 0; dim < op.getNumParallel(); ++dim)
        elements *= dim < expression.rowDims ? root.getTileExtent(dim) : op.getStaticSizes()[dim];
      for (Type type : op.getResultTypes())
        bytes += elements * te::getElementBytes(cast<ShapedType>(type).getElementType());
    }
    return bytes <= scratchBytes && llvm::none_of(llvm::seq(expressions.back().rowDims),
                                                  [&](unsigned dim) { return root.isFused(dim); });
  }

  /// Returns the best point, of this rank, of those for which `fits` holds.
  Point choose(
      const KernelExpression &expression,
      function_ref<bool(const Point &)> fits = [](const Point &) { return true; }) {
    std::vector<RankedPoint> ranked =
        rankPoints(expression.op, constants.getAccesses(expression.op), machine, expression.rowDims,
                   expression.isInBoxes);
    llvm::erase_if(ranked, [&](const RankedPoint &candidate) { return !fits(candidate.point); });
    const RankedPoint &choice = ranked[rank % ranked.size()];
    explain(expression.op, choice, ranked.size());
    return choice.point;
  }

  /// Returns the point for an expression of which one iteration of a root at the point `root`
  /// computes a box: as many rows as a tile of the root has.
  Point chooseInBox(const KernelExpression &expression, const Point &root) {
    OpBuilder builder(expression.op);
    auto box = cast<te::ComputeOp>(builder.clone(*expression.op));
    SmallVector<int64_t> sizes(box.getStaticSizes());
    for (unsigned dim = 0; dim < expression.rowDims; ++dim)
      sizes[dim] = root.getTileExtent(dim);
    box.setStaticSizes(sizes);
    for (OpResult result : box.getResults())
      result.setType(cast<RankedTensorType>(result.getType())
                         .clone(ArrayRef(sizes).take_front(box.getNumParallel())));
    Point point = choose({box, expression.rowDims, expression.isInBoxes});
    box.erase();
    return point;
  }

  static void explain(te::ComputeOp op, const RankedPoint &choice, size_t numPoints) {
    std::string text;
    llvm::raw_string_ostream(text) << choice.point;
    remark::passed(op.getLoc(), getRemarkOptions())
        << remark::metric("Expression", *op.getLabel()) << remark::metric("Point", text)
        << remark::metric("Cycles", static_cast<int64_t>(choice.cycles))
        << remark::metric("Points", static_cast<int64_t>(numPoints));
  }

  const MachineModel &machine;
  unsigned rank; ///< of the points to take, modulo their number
  ConstantOperands constants;
};

struct ScheduleDefault : layout::impl::ScheduleDefaultBase<ScheduleDefault> {
  using ScheduleDefaultBase::ScheduleDefaultBase;

  void runOnOperation() final {
    MachineModel machine = getMachineModel(getOperation());
    Scheduler scheduler(getOperation(), machine, point);
    WalkResult result = getOperation().walk([&](te::KernelOp kernel) {
      if (!kernel.getSchedule().empty())
        return WalkResult(checkScheduledLabels(kernel));
      if (failed(checkLabels(kernel)))
        return WalkResult::interrupt();
      ++numScheduled;
      scheduler.schedule(kernel);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

void layout::buildChooseStores(OpPassManager &manager, const MachineModel &machine) {
  manager.addPass(createSetMachine(machine));
  manager.addPass(createChooseStores());
}

void layout::buildApplyStores(OpPassManager &manager, const StoresObserver &observer) {
  manager.addPass(createMaterializeStores(observer));
  manager.addPass(createDropCopies());
  manager.addPass(createKeepRows());
}

void layout::buildPacking(OpPassManager &manager, const StoresObserver &observer) {
  manager.addPass(createChoosePacking());
  manager.addPass(createMaterializeStores(observer));
}

void layout::buildSchedules(OpPassManager &manager, unsigned point,
                            const StoresObserver &observer) {
  manager.addPass(createPlaceJoins());
  manager.addPass(createScheduleDefault({point}));
  buildPacking(manager, observer);
}

void layout::buildLayoutStage(OpPassManager &manager, const MachineModel &machine, unsigned point,
                              const StoresObserver &observer) {
  buildChooseStores(manager, machine);
  buildApplyStores(manager, observer);
  buildSchedules(manager, point, observer);
}

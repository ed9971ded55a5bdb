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
    Point root = last.isInBoxes ? chooseForBoxes(expressions) : choose(last);
    SmallVector<SmallVector<int64_t>> sizes;
    if (last.isInBoxes) {
      enlargeBoxes(expressions, root);
      sizes = getBoxSizes(expressions, root);
    }
    for (auto [number, expression] : llvm::enumerate(ArrayRef(expressions).drop_back()))
      points.push_back(expression.isInBoxes ? chooseInBox(expression, sizes[number])
                                            : choose(expression));
    points.push_back(std::move(root));
    writeSchedule(kernel, expressions, points);
  }

private:
  /// Returns the best point of the root whose boxes stay in the cache of a core. If even those of
  /// the fewest rows do not, returns the best of all that have memory.
  Point chooseForBoxes(ArrayRef<KernelExpression> expressions) {
    std::vector<RankedPoint> ranked = rankPoints(expressions.back());
    int64_t limit = scratchBytes;
    auto fits = [&](const Point &point) { return fitsBoxes(expressions, point, limit); };
    if (llvm::none_of(ranked, [&](const RankedPoint &ranked) { return fits(ranked.point); }))
      limit = threadScratchBytes;
    return choose(expressions.back(), std::move(ranked), fits);
  }

  /// Returns whether the others can be computed in boxes of the rows of a tile of the root: loops
  /// of rows stay apart, only those that share what they read are tiled, and the boxes have at most
  /// `limit` bytes.
  static bool fitsBoxes(ArrayRef<KernelExpression> expressions, const Point &root, int64_t limit) {
    unsigned boxDim = findBoxDim(expressions);
    return llvm::none_of(llvm::seq(expressions.back().rowDims),
                         [&](unsigned dim) {
                           return root.isFused(dim) ||
                                  (dim != boxDim && root.getTileExtent(dim) > 1);
                         }) &&
           countBoxBytes(expressions, root) <= limit;
  }

  /// Gives the root boxes of several tiles of rows: what these share is then read less often.
  static void enlargeBoxes(ArrayRef<KernelExpression> expressions, Point &root) {
    const KernelExpression &last = expressions.back();
    te::ComputeOp op = last.op;
    unsigned dim = findBoxDim(expressions);
    int64_t size = op.getStaticSizes()[dim], tile = root.getTileExtent(dim);
    double boxes = 1; // of one row
    for (int64_t rows : op.getStaticSizes().take_front(last.rowDims))
      boxes *= static_cast<double>(rows);
    for (int64_t rows = std::min(rowsOfBox, size) / tile * tile; rows > tile; rows -= tile) {
      root.boxes.assign(1, {dim, rows});
      if (boxes / static_cast<double>(rows) >= leastBoxes &&
          countBoxBytes(expressions, root) <= scratchBytes)
        return;
    }
    root.boxes.clear();
  }

  std::vector<RankedPoint> rankPoints(const KernelExpression &expression) {
    return layout::rankPoints(expression.op, constants.getAccesses(expression.op), machine,
                              expression.rowDims, expression.isInBoxes);
  }

  Point choose(const KernelExpression &expression) {
    return choose(expression, rankPoints(expression), [](const Point &) { return true; });
  }

  /// Returns the best point, of this rank, of those for which `fits` holds.
  Point choose(const KernelExpression &expression, std::vector<RankedPoint> ranked,
               function_ref<bool(const Point &)> fits) {
    llvm::erase_if(ranked, [&](const RankedPoint &candidate) { return !fits(candidate.point); });
    const RankedPoint &choice = ranked[rank % ranked.size()];
    explain(expression.op, choice, ranked.size());
    return choice.point;
  }

  /// Returns the point for an expression of which a box of `sizes` indexes is computed at a time.
  Point chooseInBox(const KernelExpression &expression, ArrayRef<int64_t> sizes) {
    OpBuilder builder(expression.op);
    auto box = cast<te::ComputeOp>(builder.clone(*expression.op));
    SmallVector<int64_t> entered(sizes);
    if (expression.blockDim)
      entered[*expression.blockDim] = 1;
    box.setStaticSizes(entered);
    for (OpResult result : box.getResults())
      result.setType(cast<RankedTensorType>(result.getType())
                         .clone(ArrayRef(entered).take_front(box.getNumParallel())));
    KernelExpression own = expression;
    own.op = box;
    Point point = choose(own);
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

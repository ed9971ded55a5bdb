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

#include "dialects/layout/Transforms/DefaultPoints.h"
#include "dialects/layout/Transforms/Labels.h"
#include "dialects/layout/Transforms/Passes.h"
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
    writeSchedule(kernel, expressions,
                  chooseDefaultPoints(expressions, constants, machine, rank, explain));
  }

private:
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

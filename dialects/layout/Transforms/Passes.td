//===- Passes.td - passes of the layout dialect               -*- tablegen -* -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_PASSES
#define DIALECTS_LAYOUT_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def ScheduleDefault : Pass<"layout-schedule-default", "::mlir::ModuleOp"> {
  let summary = "fill the schedule of every kernel that has none";
  let description = [{
    An analytical model picks the vector dim (the one along which reads and writes
    are contiguous or invariant), a register tile that reuses what it loads, and the
    loops to spread over threads.

    Needs: kernels with labelled expressions (end of stage te).
    Keeps: schedules that are there already.
    Gives up: on kernels of te.update and te.scan, which have no schedule.

    Example: test/dialects/layout/schedule-default.mlir
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", "16", "f32 lanes of a vector register">,
    Option<"registers", "registers", "int64_t", "32", "vector registers">];
  let statistics = [Statistic<"numScheduled", "scheduled", "schedules made">];
  let dependentDialects = ["::mlir::tssa::layout::LayoutDialect"];
}

#endif // DIALECTS_LAYOUT_TRANSFORMS_PASSES

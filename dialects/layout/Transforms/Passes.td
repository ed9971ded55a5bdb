//===- Passes.td - passes of the layout dialect               -*- tablegen -* -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_PASSES
#define DIALECTS_LAYOUT_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def ChooseOrders : Pass<"layout-choose-orders", "::mlir::ModuleOp"> {
  let summary = "choose the order of dims in which results of kernels are stored";
  let description = [{
    Contractions with a constant operand store their output channels last, so that
    a vector holds neighbouring channels; kernels after them follow. Kernels are
    copied where launches want different orders. A transposing copy goes where its
    operand is now stored as the copy would be.

    Needs: launches of kernels (end of stage te).
    Keeps: tensors that are arguments, results, or used by anything but a launch.
    Gives up: on results of te.update and te.scan.

    Example: test/dialects/layout/choose-orders.mlir
  }];
  let statistics = [
    Statistic<"numReordered", "reordered", "tensors stored in another order">,
    Statistic<"numDropped", "dropped", "copies that were no longer needed">];
}

def PackConstants : Pass<"layout-pack-constants", "::mlir::ModuleOp"> {
  let summary = "store constants in the order in which kernels read them";
  let description = [{
    A constant that a factor of a sum of products is computed from, such as weights
    or what they are unpacked from, and that is read along the vector dim is stored with
    the other dims in the order of the reduction loops and blocks of the register
    tile's width innermost, so that a kernel walks it from front to back. The new
    constant is made at compile time; its last block is filled up with zeros.

    Needs: launches of kernels whose weights are te.constant.
    Keeps: constants that are small or read in more than one way by a kernel.
    Gives up: on element types that are not whole bytes.

    Example: test/dialects/layout/pack-constants.mlir
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", "16", "f32 lanes of a vector register">,
    Option<"registers", "registers", "int64_t", "32", "vector registers">];
  let statistics = [Statistic<"numPacked", "packed", "constants packed">];
}

def KeepRows : Pass<"layout-keep-rows", "::mlir::ModuleOp"> {
  let summary = "compute once what two expressions of a row compute";
  let description = [{
    In a kernel whose expressions run row by row, such as softmax, a value that a
    reduction and the root compute at the same points becomes an expression of its own
    that both read: the exponentials of a row are kept until they are divided by their
    sum. Only what costs more than to store and read it, and only where a row has a known
    size and no more than `elements`; longer rows are computed again.

    Needs: kernels with labelled expressions (end of stage te).
    Keeps: kernels that have a schedule.
    Gives up: nothing.

    Example: test/dialects/layout/keep-rows.mlir
  }];
  let options = [
    Option<"elements", "elements", "int64_t", "4096",
           "of a row that is kept: what targets allow at a loop">];
  let statistics = [Statistic<"numKept", "kept", "values kept for a row">];
}

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

def ScheduleSIMT : Pass<"layout-schedule-simt", "::mlir::ModuleOp"> {
  let summary = "fill the schedule of every kernel that has none, for blocks of threads";
  let description = [{
    Large products are tiled: a block has a square of results and keeps steps of both
    operands in shared memory. Long reductions are done by the lanes of a warp or a
    block, other results by one lane each, and a lane does four elements at once
    where they lie side by side. In a kernel of several expressions a block has a row.

    Needs: kernels with labelled expressions (end of stage te).
    Keeps: schedules that are there already.
    Gives up: on kernels of te.update and te.scan, which have no schedule.

    Example: test/dialects/layout/schedule-simt.mlir
  }];
  let statistics = [Statistic<"numScheduled", "scheduled", "schedules made">];
  let dependentDialects = ["::mlir::tssa::layout::LayoutDialect"];
}

#endif // DIALECTS_LAYOUT_TRANSFORMS_PASSES

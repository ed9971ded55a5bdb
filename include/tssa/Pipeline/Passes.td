//===- Passes.td - passes of the pipeline itself -----------*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_PIPELINE_PASSES
#define TSSA_PIPELINE_PASSES

include "mlir/Pass/PassBase.td"

def FoldLaunches : Pass<"fold-launches", "::mlir::ModuleOp"> {
  let summary = "run launches of constants at compile time";
  let description = [{
    A te.launch whose operands are all constants computes the same in every run. The
    reference evaluator runs it once, at compile time, and te.constant ops take its
    place. Budgets on the bytes of the results and on the points that a launch
    computes keep both the binary and the compilation small. A kernel that is no
    longer launched is erased.

    - **Needs**: launches of kernels (the end of stage te).
    - **Keeps**: what the program computes. A launch whose evaluation fails stays, so
      that the run reports the error.
    - **Gives up**: launches beyond the budgets, of kernels with a te.update, and of
      dynamic sizes.
  }];
  let statistics = [
    Statistic<"numFolded", "folded", "launches that became constants">];
}

#endif // TSSA_PIPELINE_PASSES

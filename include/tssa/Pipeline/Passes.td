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
    A te.launch whose operands are all constants computes the same in every run. The evaluator runs
    it once, at compile time, and te.constant ops replace it. Limits on the bytes of the results
    and on the points that a launch computes keep both the binary and the compilation small. A
    kernel that is no longer launched is erased. Remarks count the bytes of all results so far and
    name the limit that a launch exceeds.

    - **Needs**: launches of kernels (the end of the te stage).
    - **Keeps**: what the program computes. A launch whose evaluation fails stays, so that the run
      reports the error.
    - **Gives up**: launches that exceed the limits, have dynamic sizes, or run a kernel with a
      te.update.

    ```mlir
    // Before
    func.func @main() -> tensor<4xf32> {
      %x = te.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
      %y = te.launch @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
    te.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = te.compute (d0: 4) {
        %v = te.read %x[d0] : tensor<4xf32>
        %n = arith.negf %v : f32
        te.yield %n : f32
      } : tensor<4xf32>
      te.return %y : tensor<4xf32>
    }

    // After
    func.func @main() -> tensor<4xf32> {
      ...
      %1 = te.constant dense_resource<folded> : tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ...
    ```
  }];
  let statistics = [
    Statistic<"numFolded", "folded", "launches that became constants">];
}

#endif // TSSA_PIPELINE_PASSES

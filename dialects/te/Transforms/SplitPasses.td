//===- SplitPasses.td - passes that split expressions -------*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_SPLITPASSES
#define DIALECTS_TE_TRANSFORMS_SPLITPASSES

include "dialects/te/Transforms/RecurrentPasses.td"

def TESplitReductions : Pass<"te-split-reductions", "::mlir::func::FuncOp"> {
  let summary = "reduce to few results in two phases";
  let description = [{
    A reduction to few results keeps few threads busy: the sum of all elements, the norm of a long
    row, a product of two long vectors. It becomes two: the first one reduces each of several parts
    of a reduction dim, and the second one combines what the parts gave, and has the epilogue. The
    parts are fixed by the sizes and never by the number of threads, so that results are the same
    for any number (Souffle, section 6.4, has the two phases for a reduction that blocks share).
    A target may ask for parts of any other reduction: on a GPU, those of a product whose tiles are
    too few for its multiprocessors, and of a product with a vector, where each lane would compute a
    long sum alone, if the draft predicts that a second launch pays. Remarks give the parts, or the
    reason why a reduction to few results stays as it is.

    - **Needs**: to run after te-merge, which gives each reduction its epilogue.
    - **Keeps**: the value of every element, up to the rounding of another order of the sum.
    - **Gives up**: reductions of pieces and those whose dims have open sizes or no divisor that
      fits; and, unless `apply=always` or a target asks for it, those of more than 64 results, with
      parts of less than 2^16 points, or whose rows the launch that reads them computes.

    ```mlir
    // Before
    func.func @f(%x: tensor<262144xf32>) -> tensor<f32> {
      %s = te.compute () reduce (d0: 262144) init (0.0 : f32) {
        %a = te.read %x[d0] : tensor<262144xf32>
        te.yield %a : f32
      } combine arith.addf then (%t: f32) {
        %r = math.sqrt %t : f32
        te.yield %r : f32
      } : tensor<f32>
      return %s : tensor<f32>
    }

    // After
    ...
    %0 = te.compute (d0: 4) reduce (d1: 65536) init (0.000000e+00 : f32) {
      %2 = te.read %arg0[d0 * 65536 + d1] : tensor<262144xf32>
      te.yield %2 : f32
    } combine arith.addf : tensor<4xf32>
    %1 = te.compute () reduce (d0: 4) init (0.000000e+00 : f32) {
      %2 = te.read %0[d0] : tensor<4xf32>
      te.yield %2 : f32
    } combine arith.addf then (%arg1: f32) {
      %2 = math.sqrt %arg1 : f32
      te.yield %2 : f32
    } : tensor<f32>
    ...
    ```
  }];
  let options = [ApplyOption<"apply", "when reductions are split">];
  let statistics = [Statistic<"numSplit", "split", "reductions that became two">];
}

def TECutConstants : Pass<"te-cut-constants", "::mlir::func::FuncOp"> {
  let summary = "give each window of constant weights a constant of its own";
  let description = [{
    The gates of a cell, and products that another framework has put into one, read windows of one
    constant. Each window becomes a constant of its own, at compile time, which can be stored in the
    order of its loops and without what nothing reads. A remark gives the number of windows.

    - **Needs**: to run after te-fuse-cells, which makes windows.
    - **Keeps**: the value of every element. No element is stored twice.
    - **Gives up**: constants that are also read elsewhere than in the bodies of reductions, as a
      whole, at other indexes than a dim and an offset, or in windows that overlap.

    ```mlir
    // Before
    func.func @f(%x: tensor<2xf32>) -> tensor<1xf32> {
      %w = te.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
      %y = te.compute (d0: 1) reduce (d1: 2) init (0.0 : f32) {
        %a = te.read %x[d1] : tensor<2xf32>
        %b = te.read %w[d0 + 1, d1] : tensor<2x2xf32>
        %m = arith.mulf %a, %b : f32
        te.yield %m : f32
      } combine arith.addf : tensor<1xf32>
      return %y : tensor<1xf32>
    }

    // After
    ...
    %0 = te.constant dense<[[3.000000e+00, 4.000000e+00]]> : tensor<1x2xf32>
    %1 = te.compute (d0: 1) reduce (d1: 2) init (0.000000e+00 : f32) {
      %2 = te.read %arg0[d1] : tensor<2xf32>
      %3 = te.read %0[d0, d1] : tensor<1x2xf32>
      %4 = arith.mulf %2, %3 : f32
      te.yield %4 : f32
    } combine arith.addf : tensor<1xf32>
    ...
    ```
  }];
  let statistics = [Statistic<"numCut", "cut", "constants that were cut into windows">];
}

#endif // DIALECTS_TE_TRANSFORMS_SPLITPASSES

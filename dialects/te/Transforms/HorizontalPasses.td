//===- HorizontalPasses.td - passes that merge expressions beside each other -*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_HORIZONTALPASSES
#define DIALECTS_TE_TRANSFORMS_HORIZONTALPASSES

include "mlir/Pass/PassBase.td"

class ApplyOption<string name, string text>
    : Option<name, name, "::tssa::Apply", "::tssa::Apply::Auto", text, "::tssa::getApplyValues()">;

def TEMergeHorizontally : Pass<"te-merge-horizontally", "::mlir::func::FuncOp"> {
  let summary = "merge expressions that do the same beside each other";
  let description = [{
    Expressions that share an operand and compute the same body, but with other constants or at
    another place of the operand, become one expression: the experts and the gates of a mixture, the
    heads of a network. Their results are stacked along a new first dim, or joined along a dim of
    them whose sizes may differ; their constants are stacked or joined too, at compile time. A
    concatenation of exactly these results becomes a rearrangement, which is computed where it is
    read. The readers of merged expressions share an operand, too, and are merged in turn. This is
    the horizontal transformation of Souffle (section 6.1), without predicates: all members run the
    same code. Remarks give the number of members, the launches that are saved, and the arithmetic
    operations of one member.

    - **Needs**: to run after te-merge, which gives each member its epilogue.
    - **Keeps**: the value of every element.
    - **Gives up**: members of more than 2^20 operations (unless `apply=always`), which gain little;
      results that other ops than expressions use; and members of a concatenation that can be
      computed in place, unless all its parts are members.

    ```mlir
    // Before
    func.func @f(%x: tensor<4x8xf32>) -> tensor<4xf32> {
      %v = te.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
      %w = te.constant dense<[8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]> : tensor<8xf32>
      %a = te.compute (d0: 4) reduce (d1: 8) init (0.0 : f32) {
        %p = te.read %x[d0, d1] : tensor<4x8xf32>
        %q = te.read %v[d1] : tensor<8xf32>
        %r = arith.mulf %p, %q : f32
        te.yield %r : f32
      } combine arith.addf : tensor<4xf32>
      %b = te.compute (d0: 4) reduce (d1: 8) init (0.0 : f32) {
        %p = te.read %x[d0, d1] : tensor<4x8xf32>
        %q = te.read %w[d1] : tensor<8xf32>
        %r = arith.mulf %p, %q : f32
        te.yield %r : f32
      } combine arith.addf : tensor<4xf32>
      %c = te.compute (d0: 4) {
        %p = te.read %a[d0] : tensor<4xf32>
        %q = te.read %b[d0] : tensor<4xf32>
        %r = arith.divf %p, %q : f32
        te.yield %r : f32
      } : tensor<4xf32>
      return %c : tensor<4xf32>
    }

    // After
    ...
    %3 = te.compute (d0: 2, d1: 4) reduce (d2: 8) init (0.000000e+00 : f32) {
      %5 = te.read %arg0[d1, d2] : tensor<4x8xf32>
      %6 = te.read %2[d0, d2] : tensor<2x8xf32>
      %7 = arith.mulf %5, %6 : f32
      te.yield %7 : f32
    } combine arith.addf : tensor<2x4xf32>
    %4 = te.compute (d0: 4) {
      %5 = te.read %3[0, d0] : tensor<2x4xf32>
      %6 = te.read %3[1, d0] : tensor<2x4xf32>
      %7 = arith.divf %5, %6 : f32
      te.yield %7 : f32
    } : tensor<4xf32>
    ...
    ```
  }];
  let options = [ApplyOption<"apply", "when expressions are merged">];
  let statistics = [Statistic<"numMerged", "merged", "expressions that became part of another">];
}

def TEFuseCells : Pass<"te-fuse-cells", "::mlir::func::FuncOp"> {
  let summary = "compute the gates of a cell and its state in one expression";
  let description = [{
    An expression that reads several disjoint windows of a reduction, and of each window one element
    for each of its own, becomes the epilogue of that reduction: the reduction then has an
    accumulator for each window and one point for each element of the reader. So the gates and the
    state of an LSTM or a GRU are one expression, and so is a gated linear unit. Windows that later
    expressions read become further results: the update gate of a GRU whose reset gate scales the
    state before the next product. te-cut-constants then gives each window weights of its own.

    - **Needs**: to run after te-merge, which merges readers of a single window, and after
      te-fold-constants.
    - **Keeps**: the value of every element; the order in which each sum is added up is open, as it
      was.
    - **Gives up**: reductions of pieces; a first reader with a reduction; readers with pieces or
      guards; windows that overlap or, of a later reader, have other sizes; more than 8
      accumulators; and, unless `apply=always`, compute-intensive reductions of
      more than 2^20 operations, whose tiles would have fewer rows.

    ```mlir
    // Before
    func.func @f(%x: tensor<64xf32>, %w: tensor<64x64xf32>) -> tensor<32xf32> {
      %p = te.compute (d0: 64) reduce (d1: 64) init (0.0 : f32) {
        %a = te.read %x[d1] : tensor<64xf32>
        %b = te.read %w[d0, d1] : tensor<64x64xf32>
        %m = arith.mulf %a, %b : f32
        te.yield %m : f32
      } combine arith.addf : tensor<64xf32>
      %y = te.compute (d0: 32) {
        %a = te.read %p[d0] : tensor<64xf32>
        %b = te.read %p[d0 + 32] : tensor<64xf32>
        %t = math.tanh %b : f32
        %m = arith.mulf %a, %t : f32
        te.yield %m : f32
      } : tensor<32xf32>
      return %y : tensor<32xf32>
    }

    // After
    ...
    %0 = te.compute (d0: 32) reduce (d1: 64) init (0.000000e+00 : f32, 0.000000e+00 : f32) {
      %1 = te.read %arg0[d1] : tensor<64xf32>
      %2 = te.read %arg1[d0, d1] : tensor<64x64xf32>
      %3 = arith.mulf %1, %2 : f32
      %4 = te.read %arg1[d0 + 32, d1] : tensor<64x64xf32>
      %5 = arith.mulf %1, %4 : f32
      te.yield %3, %5 : f32, f32
    } combine (%arg2: f32, %arg3: f32, %arg4: f32, %arg5: f32) {
      %1 = arith.addf %arg2, %arg4 : f32
      %2 = arith.addf %arg3, %arg5 : f32
      te.yield %1, %2 : f32, f32
    } then (%arg2: f32, %arg3: f32) {
      %1 = math.tanh %arg3 : f32
      %2 = arith.mulf %arg2, %1 : f32
      te.yield %2 : f32
    } : tensor<32xf32>
    ...
    ```
  }];
  let options = [ApplyOption<"apply", "when cells are fused">];
  let statistics = [Statistic<"numFused", "fused", "expressions that became an epilogue">];
}

#endif // DIALECTS_TE_TRANSFORMS_HORIZONTALPASSES

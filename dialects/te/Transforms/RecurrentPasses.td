//===- RecurrentPasses.td - passes for recurrent networks --*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_RECURRENTPASSES
#define DIALECTS_TE_TRANSFORMS_RECURRENTPASSES

include "dialects/te/Transforms/HorizontalPasses.td"

def TEFuseCells : Pass<"te-fuse-cells", "::mlir::func::FuncOp"> {
  let summary = "compute the gates of a cell and its state in one expression";
  let description = [{
    An expression that reads several disjoint windows of a reduction, and of each window one element
    for each of its own, becomes the epilogue of that reduction: the reduction then has an
    accumulator for each window and one point for each element of the reader. So the gates and the
    state of an LSTM or a GRU are one expression, and so is a gated linear unit. Windows that later
    expressions read become further results: the update gate of a GRU whose reset gate scales the
    state before the next product. Then expressions that read results of the new expression at their
    own points are computed at the end of its epilogue, as further results: the output of a cell,
    which its new state and a gate give. te-cut-constants then gives each window weights of its own.

    - **Needs**: to run after te-merge, which merges readers of a single window, and after
      te-fold-constants.
    - **Keeps**: the value of every element; the order in which each sum is added up is open, as it
      was.
    - **Gives up**: reductions of pieces; a first reader with a reduction; readers with pieces or
      guards; windows that overlap or, of a later reader, have other sizes; more than 8
      accumulators; and, unless `apply=always`, compute-intensive reductions of
      more than 2^20 operations, whose tiles would have fewer rows, and those of which several rows
      read the same weights, more than 2^14: each row would load them again.

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

def TESkewLoops : Pass<"te-skew-loops", "::mlir::func::FuncOp"> {
  let summary = "run the layers of a recurrent network beside each other";
  let description = [{
    A loop over time steps of one cell, whose outputs the loop of the next layer reads at the same
    time step, can run beside that one: in iteration s, layer i computes its time step s - i. The
    layers become one loop with a cell that computes a step of all of them in one expression: what
    they carry and their weights are stacked along a new first dim. The product that projects the
    outputs of a layer for the next one becomes part of that cell. So a network of L layers and T
    steps takes T + L - 1 launches instead of T * L (the wavefront of Souffle's LSTM, section 8).
    On a device, a launch of a cell takes far longer than its arithmetic. On a CPU it does not, and
    reading the weights of the projections once for all time steps is worth more: there, layers run
    beside each other only if it is forced.

    - **Needs**: to run after te-fuse-cells, which makes one expression of each cell.
    - **Keeps**: the value of every element, up to the rounding of another order of sums.
    - **Gives up**: layers of other sizes than the first one, or whose cells differ in more than
      constants; that run in another order; whose loops do anything else; a layer that begins with
      the last state of another one; and all of them unless `apply=always`, which is what the stage
      passes for a device.

    ```mlir
    // Before, with apply=always
    func.func @f(%x: tensor<9x2xf32>) -> tensor<9x2xf32> {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %nine = arith.constant 9 : index
      %u = te.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
      %v = te.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>
      %y = te.constant dense<0.0> : tensor<9x2xf32>
      %h = te.constant dense<0.0> : tensor<2xf32>
      %a:2 = scf.for %t = %zero to %nine step %one iter_args(%o = %y, %s = %h) -> (tensor<9x2xf32>, tensor<2xf32>) {
        %n = te.compute (d0: 2) reduce (d1: 2) init (0.0 : f32) {
          %p = te.read %s[d1] : tensor<2xf32>
          %w = te.read %u[d0, d1] : tensor<2x2xf32>
          %m = arith.mulf %p, %w : f32
          te.yield %m : f32
        } combine arith.addf then (%r: f32) {
          %i = te.read %x[s0, d0](%t) : tensor<9x2xf32>
          %q = arith.addf %r, %i : f32
          te.yield %q : f32
        } : tensor<2xf32>
        %w = te.update (d0: 2) into %o[s0, d0](%t) {
          %v0 = te.read %n[d0] : tensor<2xf32>
          te.yield %v0 : f32
        } : tensor<9x2xf32>
        scf.yield %w, %n : tensor<9x2xf32>, tensor<2xf32>
      }
      %p = te.compute (d0: 9, d1: 2) reduce (d2: 2) init (0.0 : f32) {
        %i = te.read %a#0[d0, d2] : tensor<9x2xf32>
        %w = te.read %v[d1, d2] : tensor<2x2xf32>
        %m = arith.mulf %i, %w : f32
        te.yield %m : f32
      } combine arith.addf : tensor<9x2xf32>
      %b:2 = scf.for %t = %zero to %nine step %one iter_args(%o = %y, %s = %h) -> (tensor<9x2xf32>, tensor<2xf32>) {
        %n = te.compute (d0: 2) reduce (d1: 2) init (0.0 : f32) {
          %q = te.read %s[d1] : tensor<2xf32>
          %w = te.read %v[d0, d1] : tensor<2x2xf32>
          %m = arith.mulf %q, %w : f32
          te.yield %m : f32
        } combine arith.addf then (%r: f32) {
          %i = te.read %p[s0, d0](%t) : tensor<9x2xf32>
          %q = arith.addf %r, %i : f32
          te.yield %q : f32
        } : tensor<2xf32>
        %w = te.update (d0: 2) into %o[s0, d0](%t) {
          %v0 = te.read %n[d0] : tensor<2xf32>
          te.yield %v0 : f32
        } : tensor<9x2xf32>
        scf.yield %w, %n : tensor<9x2xf32>, tensor<2xf32>
      }
      return %b#0 : tensor<9x2xf32>
    }

    // After
    ...
    %6:2 = scf.for %arg1 = %c0 to %c10 step %c1 iter_args(%arg2 = %2, %arg3 = %3) -> (tensor<2x2xf32>, tensor<10x2x2xf32>) {
      %8 = te.compute (d0: 2, d1: 2) reduce (d2: 2) init (0.000000e+00 : f32, 0.000000e+00 : f32) {
        %10 = te.read %arg2[d0, d2] : tensor<2x2xf32>
        %11 = te.read %4[d0, d1, d2] : tensor<2x2x2xf32>
        %12 = arith.mulf %10, %11 : f32
        %13 = te.read %arg2[d0 - 1, d2] : tensor<2x2xf32> where (d0 - 1 >= 0) else 0.000000e+00
        %14 = te.read %5[d0, d1, d2] : tensor<2x2x2xf32>
        %15 = arith.mulf %13, %14 : f32
        te.yield %12, %15 : f32, f32
      } combine (%arg4: f32, %arg5: f32, %arg6: f32, %arg7: f32) {
        %10 = arith.addf %arg4, %arg6 : f32
        %11 = arith.addf %arg5, %arg7 : f32
        te.yield %10, %11 : f32, f32
      } then (%arg4: f32, %arg5: f32) {
        %10 = te.read %arg0[s0, d1](%arg1) : tensor<9x2xf32> where (-d0 >= 0, -s0 + 8 >= 0) else 0.000000e+00
        %11 = te.inside (-d0 >= 0)
        %12 = arith.select %11, %10, %arg5 : f32
        %13 = arith.addf %arg4, %12 : f32
        %14 = te.inside (-d0 + s0 >= 0, d0 + -s0 + 8 >= 0)(%arg1)
        %15 = te.read %arg2[d0, d1] : tensor<2x2xf32>
        %16 = arith.select %14, %13, %15 : f32
        te.yield %16 : f32
      } : tensor<2x2xf32>
      %9 = te.update (d0: 2, d1: 2) into %arg3[s0, d0, d1](%arg1) injective {
        %10 = te.read %8[d0, d1] : tensor<2x2xf32>
        te.yield %10 : f32
      } : tensor<10x2x2xf32>
      scf.yield %8, %9 : tensor<2x2xf32>, tensor<10x2x2xf32>
    }
    %7 = te.compute (d0: 9, d1: 2) {
      %8 = te.read %6#1[d0 + 1, 1, d1] : tensor<10x2x2xf32>
      te.yield %8 : f32
    } : tensor<9x2xf32>
    ...
    ```
  }];
  let options = [ApplyOption<"apply", "when loops are skewed">];
  let statistics = [Statistic<"numSkewed", "skewed", "loops that became part of another">];
}

#endif // DIALECTS_TE_TRANSFORMS_RECURRENTPASSES

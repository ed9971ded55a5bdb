//===- HorizontalPasses.td - passes that merge expressions beside each other -*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_HORIZONTALPASSES
#define DIALECTS_TE_TRANSFORMS_HORIZONTALPASSES

include "dialects/te/Transforms/PassOptions.td"

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

def TEShareDomains : Pass<"te-share-domains", "::mlir::func::FuncOp"> {
  let summary = "compute small expressions over one domain together";
  let description = [{
    Expressions over one domain, none of which needs a result of another, become one expression with
    the results of all. Their bodies may differ; reductions get a tuple of accumulators. This saves
    launches, and reads what they share once: the heads of a network, or the keys and values that a
    decoder returns. A rounding of a tensor that others also read (`te-round-contractions`) is
    computed with the tensor, whatever its size. The rest is the
    horizontal transformation of Souffle (section 6.1) where the domains are equal. Remarks give the
    number of members, the launches that are saved, and the arithmetic operations of one member.

    - **Needs**: to run after all passes that merge expressions with their readers or with siblings.
    - **Keeps**: the value of every element.
    - **Gives up**: members of more than 2^16 operations, or 2^10 if they read no tensor together;
      more than four results or accumulators; parts of a concatenation and elements of an update,
      which may be computed in their place (all of these unless `apply=always`); expressions that
      are computed row by row with others, or consist of pieces.

    ```mlir
    // Before
    func.func @f(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %a = te.compute (d0: 4) reduce (d1: 8) init (0.0 : f32) {
        %p = te.read %x[d0, d1] : tensor<4x8xf32>
        te.yield %p : f32
      } combine arith.addf : tensor<4xf32>
      %b = te.compute (d0: 4) reduce (d1: 8) init (0xFF800000 : f32) {
        %p = te.read %x[d0, d1] : tensor<4x8xf32>
        te.yield %p : f32
      } combine arith.maximumf then (%max: f32) {
        %r = math.exp %max : f32
        te.yield %r : f32
      } : tensor<4xf32>
      return %a, %b : tensor<4xf32>, tensor<4xf32>
    }

    // After
    ...
    %0:2 = te.compute (d0: 4) reduce (d1: 8) init (0.000000e+00 : f32, 0xFF800000 : f32) {
      %1 = te.read %arg0[d0, d1] : tensor<4x8xf32>
      %2 = te.read %arg0[d0, d1] : tensor<4x8xf32>
      te.yield %1, %2 : f32, f32
    } combine (%arg1: f32, %arg2: f32, %arg3: f32, %arg4: f32) {
      %1 = arith.addf %arg1, %arg3 : f32
      %2 = arith.maximumf %arg2, %arg4 : f32
      te.yield %1, %2 : f32, f32
    } then (%arg1: f32, %arg2: f32) {
      %1 = math.exp %arg2 : f32
      te.yield %arg1, %1 : f32, f32
    } : tensor<4xf32>, tensor<4xf32>
    return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
    ```
  }];
  let options = [ApplyOption<"apply", "when expressions are computed together">];
  let statistics = [Statistic<"numShared", "shared", "expressions that became part of another">];
}

#endif // DIALECTS_TE_TRANSFORMS_HORIZONTALPASSES

//===- SplitPasses.td - passes that split expressions -------*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_SPLITPASSES
#define DIALECTS_TE_TRANSFORMS_SPLITPASSES

include "dialects/te/Transforms/HorizontalPasses.td"

def TESplitReductions : Pass<"te-split-reductions", "::mlir::func::FuncOp"> {
  let summary = "reduce to few results in two phases";
  let description = [{
    A reduction to few results keeps few threads busy: the sum of all elements, the norm of a long
    row, a product of two long vectors. It becomes two: the first one reduces each of several parts
    of a reduction dim, and the second one combines what the parts gave, and has the epilogue. The
    parts are fixed by the sizes and never by the number of threads, so that results are the same
    for any number (Souffle, section 6.4, has the two phases for a reduction that blocks share).
    Remarks give the parts, or the reason why a reduction to few results stays as it is.

    - **Needs**: to run after te-merge, which gives each reduction its epilogue.
    - **Keeps**: the value of every element, up to the rounding of another order of the sum.
    - **Gives up**: reductions of pieces and those whose dims have open sizes or no divisor that
      fits; and, unless `apply=always`, those of more than 64 results, with parts of less than 2^14
      points, or whose rows the launch that reads them computes.

    ```mlir
    // Before
    func.func @f(%x: tensor<65536xf32>) -> tensor<f32> {
      %s = te.compute () reduce (d0: 65536) init (0.0 : f32) {
        %a = te.read %x[d0] : tensor<65536xf32>
        te.yield %a : f32
      } combine arith.addf then (%t: f32) {
        %r = math.sqrt %t : f32
        te.yield %r : f32
      } : tensor<f32>
      return %s : tensor<f32>
    }

    // After
    ...
    %0 = te.compute (d0: 4) reduce (d1: 16384) init (0.000000e+00 : f32) {
      %2 = te.read %arg0[d0 * 16384 + d1] : tensor<65536xf32>
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

#endif // DIALECTS_TE_TRANSFORMS_SPLITPASSES

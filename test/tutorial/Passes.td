//===- Passes.td - a pass of the tutorial -----------------*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TEST_TUTORIAL_PASSES
#define TEST_TUTORIAL_PASSES

include "mlir/Pass/PassBase.td"

def MultiplyByReciprocals : Pass<"tutorial-multiply-by-reciprocals"> {
  let summary = "multiply by the reciprocals of constant divisors";
  let description = [{
    A division by a constant becomes a multiplication where the reciprocal of the
    constant is exact, as that of a power of two is.

    - **Needs**: nothing.
    - **Keeps**: the value of every element, rounding included.
    - **Gives up**: divisors whose reciprocal would have to be rounded.

    ```mlir
    // Before
    func.func @f(%x: f32) -> f32 {
      %four = arith.constant 4.0 : f32
      %y = arith.divf %x, %four : f32
      return %y : f32
    }

    // After
    func.func @f(%x: f32) -> f32 {
      %four = arith.constant 4.000000e+00 : f32
      %quarter = arith.constant 2.500000e-01 : f32
      %y = arith.mulf %x, %quarter : f32
      return %y : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numReplaced", "replaced", "divisions replaced">];
}

#endif // TEST_TUTORIAL_PASSES

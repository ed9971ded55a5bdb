//===- KernelPasses.td - passes that form kernels -----------*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_KERNELPASSES
#define DIALECTS_TE_TRANSFORMS_KERNELPASSES

include "dialects/te/Transforms/SplitPasses.td"

def TEFormKernels : Pass<"te-form-kernels", "::mlir::ModuleOp"> {
  let summary = "move each tensor expression of the host program into a kernel";
  let description = [{
    Each te.compute, te.update and te.scan of a function becomes the body of a new te.kernel, and a
    te.launch replaces it. Kernels are the units that schedules, tuning records and object code
    belong to. Each value that an expression captures becomes one parameter: tensors come first, then
    values of type index (including the sizes of the tensors' dynamic dims), then other scalars.
    Scalar constants move into the kernel. Expressions without a use are skipped.

    With `group-rows`, reductions over the rows of a tensor (softmax, layer normalisation) are put
    into the kernel of the expression that reads the tensor and the reductions row by row. It comes
    last; if it has pieces, all but one cheap, one body selects. Remarks count the launches that
    this saves, and say why a reduction keeps its own kernel.

    With `boxes`, a product also joins the kernel of a later product that sums over its rows, or over
    what reductions and element-wise expressions make of them, as in attention: the kernel computes
    all of them for a few rows at a time, so that scores never go through memory as a whole. The
    partition decides where that pays (`te-print-partition`); a remark gives its numbers. The
    first product must have rows of more elements than it reads for them, and all in between must be
    read by the kernel only, at the index of the row. If what lies between is a softmax of f32 or
    f64, the last sum is divided at its end. More than 1,024 keys are taken in blocks of equal length,
    each with a maximum and sums of its own, which are scaled to the greatest maximum at the end. If
    a mask leaves keys after the row no weight, blocks have at most 128 keys, and those without any
    weight in a box are skipped, if a run finds all factors finite. A remark gives the keys of a
    block, and whether masked ones are skipped.

    - **Needs**: nothing.
    - **Keeps**: the meaning; sums that a softmax weights are rounded in another order. Each launch
      has the location of its expression.
    - **Gives up**: blocks of keys whose number is open or has no divisor from 64 to 1,024.

    ```mlir
    // Before
    func.func @f(%x: tensor<4xf32>, %a: f32) -> tensor<4xf32> {
      %y = te.compute (d0: 4) {
        %v = te.read %x[d0] : tensor<4xf32>
        %p = arith.mulf %v, %a : f32
        te.yield %p : f32
      } : tensor<4xf32>
      return %y : tensor<4xf32>
    }

    // After
    func.func @f(%x: tensor<4xf32>, %a: f32) -> tensor<4xf32> {
      %0 = te.launch @k0_map(%x, %a) : (tensor<4xf32>, f32) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    te.kernel @k0_map(%arg0: tensor<4xf32>, %arg1: f32) -> tensor<4xf32> {
      %0 = te.compute @map (d0: 4) {
        %1 = te.read %arg0[d0] : tensor<4xf32>
        %2 = arith.mulf %1, %arg1 : f32
        te.yield %2 : f32
      } : tensor<4xf32>
      te.return %0 : tensor<4xf32>
    }
    ```
  }];
  let options = [Option<"groupRows", "group-rows", "bool", "false",
                        "put reductions of rows into the kernel that reads them">,
                 ApplyOption<"boxes", "when products join the kernel that sums over them">];
  let statistics = [
    Statistic<"numKernels", "kernels", "kernels formed">,
    Statistic<"numGrouped", "grouped", "reductions in the kernel of another expression">];
}

def TEDeduplicateKernels : Pass<"te-deduplicate-kernels", "::mlir::ModuleOp"> {
  let summary = "merge structurally equal kernels";
  let description = [{
    Kernels that differ only in their names and locations are merged, so that each is scheduled,
    tuned and compiled once. The first one is kept, and its name starts with its number among the
    kernels that are kept. A remark counts the kernels that were removed.

    - **Needs**: nothing; schedules are compared as well.
    - **Keeps**: every launch and its location.
    - **Gives up**: kernels whose operands are commuted: they differ in structure.

    ```mlir
    // Before
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = te.launch @k0_map(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %z = te.launch @k1_map(%y) : (tensor<4xf32>) -> tensor<4xf32>
      return %z : tensor<4xf32>
    }
    te.kernel @k0_map(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = te.compute (d0: 4) {
        %v = te.read %x[d0] : tensor<4xf32>
        te.yield %v : f32
      } : tensor<4xf32>
      te.return %y : tensor<4xf32>
    }
    te.kernel @k1_map(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = te.compute (d0: 4) {
        %v = te.read %x[d0] : tensor<4xf32>
        te.yield %v : f32
      } : tensor<4xf32>
      te.return %y : tensor<4xf32>
    }

    // After
    func.func @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
      %0 = te.launch @k0_map(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
      %1 = te.launch @k0_map(%0) : (tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    te.kernel @k0_map(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    ...
    ```
  }];
  let statistics = [Statistic<"numRemoved", "removed", "kernels that equal another kernel">];
}

def TEGeneralizeKernels : Pass<"te-generalize-kernels", "::mlir::ModuleOp"> {
  let summary = "merge kernels that differ only in constant indexes";
  let description = [{
    The iterations of an unrolled loop read row 0, row 1, and so on of a tensor. Three or more
    kernels that differ only in such constant indexes become one kernel with a parameter for each
    index that differs. The code then does not grow with the number of iterations. A remark gives
    the number of kernels that were merged.

    - **Needs**: to run after te-deduplicate-kernels, and empty schedules.
    - **Keeps**: every launch and its location.
    - **Gives up**: constants in sums, guards and pieces.

    ```mlir
    // Before
    func.func @f(%x: tensor<8xf32>) {
      %a = te.launch @k0(%x) : (tensor<8xf32>) -> tensor<f32>
      %b = te.launch @k1(%x) : (tensor<8xf32>) -> tensor<f32>
      %c = te.launch @k2(%x) : (tensor<8xf32>) -> tensor<f32>
      return
    }
    te.kernel @k0(%x: tensor<8xf32>) -> tensor<f32> {
      %y = te.compute () {
        %v = te.read %x[0] : tensor<8xf32>
        te.yield %v : f32
      } : tensor<f32>
      te.return %y : tensor<f32>
    }
    te.kernel @k1(%x: tensor<8xf32>) -> tensor<f32> {
      %y = te.compute () {
        %v = te.read %x[1] : tensor<8xf32>
        te.yield %v : f32
      } : tensor<f32>
      te.return %y : tensor<f32>
    }
    te.kernel @k2(%x: tensor<8xf32>) -> tensor<f32> {
      %y = te.compute () {
        %v = te.read %x[2] : tensor<8xf32>
        te.yield %v : f32
      } : tensor<f32>
      te.return %y : tensor<f32>
    }

    // After
    func.func @f(%arg0: tensor<8xf32>) {
      %c0 = arith.constant 0 : index
      %0 = te.launch @k0(%arg0, %c0) : (tensor<8xf32>, index) -> tensor<f32>
      %c1 = arith.constant 1 : index
      %1 = te.launch @k0(%arg0, %c1) : (tensor<8xf32>, index) -> tensor<f32>
      %c2 = arith.constant 2 : index
      %2 = te.launch @k0(%arg0, %c2) : (tensor<8xf32>, index) -> tensor<f32>
      return
    }
    te.kernel @k0(%arg0: tensor<8xf32>, %arg1: index) -> tensor<f32> {
      %0 = te.compute () {
        %1 = te.read %arg0[s0](%arg1) : tensor<8xf32>
    ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numRemoved", "removed", "kernels replaced by a general kernel">];
}

#endif // DIALECTS_TE_TRANSFORMS_KERNELPASSES

//===- AnalysisPasses.td - passes that print analyses ------*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_ANALYSISPASSES
#define DIALECTS_TE_TRANSFORMS_ANALYSISPASSES

include "dialects/te/Transforms/PassOptions.td"

def TEPrintSharing : Pass<"te-print-sharing", "::mlir::ModuleOp"> {
  let summary = "print which tensors are read more than once, and by which expressions";
  let description = [{
    For each function and each kernel this prints the tensors that more than one expression, launch
    or library call reads, in the order of their definitions. Readers that depend on no other reader
    share the tensor spatially: one kernel could load it once for all of them. A reader that depends
    on another one shares it temporally. Its depth is the number of steps from the nearest such
    reader to it. A reader in a loop that does not define the tensor reads it in each iteration.

    - **Needs**: nothing.
    - **Keeps**: everything; the module is not changed.
    - **Gives up**: nothing.

    ```mlir
    // Before
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      %m = te.compute () reduce (d0: 8) init (0xFF800000 : f32) {
        %v = te.read %x[d0] : tensor<8xf32>
        te.yield %v : f32
      } combine arith.maximumf : tensor<f32>
      %y = te.compute (d0: 8) {
        %v = te.read %x[d0] : tensor<8xf32>
        %w = te.read %m[] : tensor<f32>
        %d = arith.subf %v, %w : f32
        te.yield %d : f32
      } : tensor<8xf32>
      return %y : tensor<8xf32>
    }

    // After
    function @f
      %arg0: read by %0; temporal %1 at depth 1
    ...
    ```
  }];
}

def TEPrintDependence : Pass<"te-print-dependence", "::mlir::ModuleOp"> {
  let summary = "print which elements each element of a result relies on";
  let description = [{
    For each read of each expression this prints the relation from an element of the result to the
    elements that it relies on: one, or one for each index of the reduction dims that the read
    depends on. The relation has the ranges of these dims, the set of the piece and the guard of the
    read. `any` stands for an index that data decide. An open size has the name that the program
    gives it.

    - **Needs**: nothing.
    - **Keeps**: everything; the module is not changed.
    - **Gives up**: which element an index decided by data is.

    ```mlir
    // Before
    func.func @f(%a: tensor<8x64xf32>, %b: tensor<64xf32>) -> tensor<8xf32> {
      %y = te.compute (d0: 8) reduce (d1: 64) init (0.0 : f32) {
        %v = te.read %a[d0, d1] : tensor<8x64xf32>
        %w = te.read %b[d1] : tensor<64xf32>
        %p = arith.mulf %v, %w : f32
        te.yield %p : f32
      } combine arith.addf : tensor<8xf32>
      return %y : tensor<8xf32>
    }

    // After
    function @f
      %0 relies on many elements of %arg0: { [d0] -> [d0, d1] : 0 <= d1 < 64 }
      %0 relies on many elements of %arg1: { [d0] -> [d1] : 0 <= d1 < 64 }
    ...
    ```
  }];
}

def TEPrintCharacter : Pass<"te-print-character", "::mlir::ModuleOp"> {
  let summary = "print whether expressions compute much for each element that they move";
  let description = [{
    For each expression this prints the points of its domain, its operations on floats and how many
    of them are functions such as exp, the distinct elements that it reads and writes with their
    bytes, the ratio of operations to elements, and its reuse: how many points use an element of an
    operand, for the operand of which they use an element most often. With the rule `paper` an
    expression with a ratio of at least 3 is compute-intensive. With the rule `reuse` its reuse also
    has to be at least 8, so that an element-wise function is not. For open sizes the ratio, the
    reuse and the class are those of the size 64, and the line says so.

    - **Needs**: nothing.
    - **Keeps**: everything; the module is not changed.
    - **Gives up**: exact numbers of elements where an index is divided, a dim is in two indexes, or
      a guard holds for some of the elements: `at most` marks an upper bound.

    ```mlir
    // Before
    func.func @f(%a: tensor<8x64xf32>, %b: tensor<64x8xf32>) -> tensor<8x8xf32> {
      %y = te.compute (d0: 8, d1: 8) reduce (d2: 64) init (0.0 : f32) {
        %v = te.read %a[d0, d2] : tensor<8x64xf32>
        %w = te.read %b[d2, d1] : tensor<64x8xf32>
        %p = arith.mulf %v, %w : f32
        te.yield %p : f32
      } combine arith.addf : tensor<8x8xf32>
      return %y : tensor<8x8xf32>
    }

    // After
    function @f
      %0: 4096 points, 8192 operations, 0 of them transcendental
        reads 1024 elements, 4096 bytes
        writes 64 elements, 256 bytes
        ratio 7.53, reuse 8: compute-intensive
    ...
    ```
  }];
  let options = [Option<
      "rule", "rule", "::mlir::tssa::te::CharacterRule",
      "::mlir::tssa::te::CharacterRule::Reuse", "what makes an expression compute-intensive",
      [{::llvm::cl::values(
          clEnumValN(::mlir::tssa::te::CharacterRule::Paper, "paper", "the ratio"),
          clEnumValN(::mlir::tssa::te::CharacterRule::Reuse, "reuse", "ratio and reuse"))}]>];
}

def TEPrintPartition : Pass<"te-print-partition", "::mlir::ModuleOp"> {
  let summary = "print which expressions become one launch";
  let description = [{
    Prints the groups that te-merge and te-form-kernels make of the expressions of each function. A
    group has a root, over whose domain its launch runs, and members: expressions that are computed
    at each point that reads them, in the epilogue of a reduction, row by row, or in boxes of rows.
    For boxes, the bytes that stay in caches are printed, those that each box reads again, and the
    cycles of the launches that they take the place of. With `partition=cost` these are the groups for
    which launches, arithmetic and bytes are estimated to cost least: the search begins with every
    expression where it is read, and changes one choice after the other, from the last expression to
    the first, as long as that lowers the cost. `partition=paper` is the rule of Souffle (section
    6.2): what relies on one element is computed where it is read, whatever that repeats.

    The cycles are those of one reference machine, so that the kernels of a program are the same for
    all: a launch takes 4000, a core computes 32 operations in a cycle, and moves 32, 12 or 5 bytes
    of a tensor of up to 512 KiB, of up to 16 MiB or of a larger one. Open sizes count as 64.

    - **Needs**: small guards and maps, from te-simplify.
    - **Keeps**: everything; the module is not changed.
    - **Gives up**: reads that te-merge cannot replace, since only the rewriting finds that: windows,
      pieces by dynamic sizes, epilogues in another order of dims. Boxes across rearrangements.

    ```mlir
    // Before
    func.func @f(%x: tensor<64xf32>) -> tensor<64x64xf32> {
      %e = te.compute (d0: 64) {
        %a = te.read %x[d0] : tensor<64xf32>
        %v = math.exp %a : f32
        te.yield %v : f32
      } : tensor<64xf32>
      %y = te.compute (d0: 64, d1: 64) {
        %a = te.read %e[d0] : tensor<64xf32>
        %b = te.read %x[d1] : tensor<64xf32>
        %v = arith.mulf %a, %b : f32
        te.yield %v : f32
      } : tensor<64x64xf32>
      return %y : tensor<64x64xf32>
    }

    // After
    ...
    ```
  }];
  let options = [PartitionOption,
                 ApplyOption<"boxes", "when products run in boxes with what they sum over">,
                 Option<"graph", "graph", "bool", "false",
                                         "print the groups as a graph for Graphviz">];
}

def TEPrintLiveRanges : Pass<"te-print-live-ranges", "::mlir::ModuleOp"> {
  let summary = "print from which launch to which one each tensor is live";
  let description = [{
    For each variable of the host program, which holds one tensor or the tensors that a loop passes
    on in one place, this prints the first and the last launch while it is live, and its bytes.
    Launches are numbered in the order of the program, from 1. A variable that lives in several
    parts, in both branches of a conditional for example, has the first launch of the first part and
    the last one of the last part. The last line has the greatest sum of bytes that are live at one
    time; for open sizes it is the time at which they are most for the size 64. Arguments that are
    not written and constants are not counted. A copy between variables that te-plan-buffers elides
    ends the one and begins the other, as these lines do.

    - **Needs**: launches of kernels (the end of the te stage), before te-plan-buffers.
    - **Keeps**: everything; the module is not changed.
    - **Gives up**: sizes of which no value of the program holds them: they are `?`.

    ```mlir
    // Before
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = te.launch @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %1 = te.launch @k(%0) : (tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    te.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = te.compute @y (d0: 4) {
        %v = te.read %x[d0] : tensor<4xf32>
        %n = arith.negf %v : f32
        te.yield %n : f32
      } : tensor<4xf32>
      te.return %y : tensor<4xf32>
    }

    // After
    function @main
      %0: launches 1 to 2, 16 bytes
      %1: launch 2, 16 bytes
      result 0: no launch, 16 bytes
      peak: 32 bytes in launch 2
    ...
    ```
  }];
}

#endif // DIALECTS_TE_TRANSFORMS_ANALYSISPASSES

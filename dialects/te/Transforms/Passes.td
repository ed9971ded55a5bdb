//===- Passes.td - passes of the te dialect ---------------*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_PASSES
#define DIALECTS_TE_TRANSFORMS_PASSES
include "dialects/te/Transforms/AnalysisPasses.td"
include "dialects/te/Transforms/KernelPasses.td"
include "dialects/te/Transforms/RoundingPasses.td"

def TESimplify : Pass<"te-simplify"> {
  let summary = "simplify index expressions with the ranges of their domains";
  let description = [{
    Each map, guard and set in a body of te.compute or te.update is simplified with the ranges of
    its dims and symbols. Later te-merge composes these expressions, te-check-bounds proves bounds
    for them, and loops compute them. Guards that always hold are removed. Reads whose guard never
    holds, and reads of a splat constant, become constants, and so does a te.inside that is
    decided. Reads of positions, such as [0, 1, 2], become a te.index, and its uses as index an
    expression. Pieces without a point are removed. Symbol operands are listed once, in the order
    of use. A tensor that is an arith.constant becomes a te.constant, and the `tensor.dim` of a te
    result a size operand of the op. Equal expressions of a block are merged, unused ones erased.

    - **Needs**: nothing.
    - **Keeps**: the value of every element. Opaque indexes stay opaque unless they are proven to be
      in bounds.
    - **Gives up**: expressions whose proof takes too many steps: they stay as they are.

    ```mlir
    // Before
    func.func @f(%x: tensor<12x64xf32>) -> tensor<12x64xf32> {
      %y = te.compute (d0: 12, d1: 64) {
        %v = te.read %x[(d0 * 64 + d1) floordiv 64, d1 mod 64] : tensor<12x64xf32>
        te.yield %v : f32
      } : tensor<12x64xf32>
      return %y : tensor<12x64xf32>
    }

    // After
    func.func @f(%x: tensor<12x64xf32>) -> tensor<12x64xf32> {
      %0 = te.compute (d0: 12, d1: 64) {
        %1 = te.read %x[d0, d1] : tensor<12x64xf32>
        te.yield %1 : f32
      } : tensor<12x64xf32>
      return %0 : tensor<12x64xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tssa::te::TEDialect"];
  let statistics = [
    Statistic<"numGuards", "guards", "guards that always hold">,
    Statistic<"numReads", "reads", "reads that became constants or te.indexes">,
    Statistic<"numSets", "sets", "te.inside ops that became constants">];
}

def TEMerge : Pass<"te-merge", "::mlir::func::FuncOp"> {
  let summary = "merge tensor expressions along their reads";
  let description = [{
    An expression without a reduction is computed where it is read, instead of being stored, where
    the partition says so (`te-print-partition`): always when it only rearranges elements (reshape,
    transpose, slice, broadcast), and otherwise when that costs less. If an element-wise expression is the only reader of a
    reduction, it becomes the epilogue of the reduction, which gets its order of dims. Another
    innermost dim is accepted if the reduction has at least 8 steps, as if open sizes are 64, and no
    next reader can take the order. The pieces of a concatenation become pieces of an element-wise reader, unless its parts
    are sums that can be computed in its memory (`layout-place-joins`). A chain of updates of windows
    with constant bounds becomes an expression with pieces, if its base can be computed there, or if
    at most half of a stored base is copied. A window of a costly producer that is needed more than
    twice is computed once. Remarks say why an expression is stored.

    - **Needs**: small guards and maps, from te-simplify.
    - **Keeps**: results that ops other than te expressions use, and the value of every element. The
      last bit of a function may change where a piece is one element wide and so has no vectors.
    - **Gives up**: bodies of more than `max-ops` ops, divisions in the index of a reduction, pieces
      by dynamic sizes or more than 64, updates with strides, conditions, combiners or offsets of a
      run, and updates of a base that divides by open sizes, that a loop carries or others read.

    ```mlir
    // Before
    func.func @f(%x: tensor<6x8xf32>) -> tensor<8x6xf32> {
      %t = te.compute (d0: 8, d1: 6) {
        %v = te.read %x[d1, d0] : tensor<6x8xf32>
        te.yield %v : f32
      } : tensor<8x6xf32>
      %y = te.compute (d0: 8, d1: 6) {
        %v = te.read %t[d0, d1] : tensor<8x6xf32>
        %e = math.exp %v : f32
        te.yield %e : f32
      } : tensor<8x6xf32>
      return %y : tensor<8x6xf32>
    }

    // After
    func.func @f(%x: tensor<6x8xf32>) -> tensor<8x6xf32> {
      %0 = te.compute (d0: 8, d1: 6) {
        %1 = te.read %x[d1, d0] : tensor<6x8xf32>
        %2 = math.exp %1 : f32
        te.yield %2 : f32
      } : tensor<8x6xf32>
      return %0 : tensor<8x6xf32>
    }
    ```
  }];
  let options = [Option<"maxOps", "max-ops", "unsigned", "::mlir::tssa::te::maxBodyOps",
                        "arithmetic ops of a merged body">,
                 PartitionOption,
                 ApplyOption<"updates", "when updates of windows become pieces">,
                 ApplyOption<"windows", "when windows are stored for their readers">,
                 ApplyOption<"permutations", "when a reduction gets another innermost dim">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"numInlined", "inlined", "reads replaced by the expression that they read">,
    Statistic<"numSplit", "split", "expressions split along the pieces they read">,
    Statistic<"numExpanded", "expanded", "chains of updates that became expressions">,
    Statistic<"numAbsorbed", "absorbed", "expressions that became an epilogue">];
}

def TEFoldConstants : Pass<"te-fold-constants", "::mlir::func::FuncOp"> {
  let summary = "evaluate rearrangements of constants at compile time";
  let description = [{
    A te.compute that only rearranges constants becomes a te.constant, so that no run rearranges the
    same elements again. Its result must be small, or no larger than the constants that it reads.

    - **Needs**: to run after te-check-bounds and after te-merge, which leaves only those
      rearrangements that are stored.
    - **Keeps**: every bit.
    - **Gives up**: arithmetic (the importers fold it where that is cheap), i1, guards, and results
      that would bring the total beyond `max-elements` elements.

    ```mlir
    // Before
    func.func @f() -> tensor<3x2xi32> {
      %c = te.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
      %t = te.compute (d0: 3, d1: 2) {
        %v = te.read %c[d1, d0] : tensor<2x3xi32>
        te.yield %v : i32
      } : tensor<3x2xi32>
      return %t : tensor<3x2xi32>
    }

    // After
    func.func @f() -> tensor<3x2xi32> {
      %0 = te.constant dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
      return %0 : tensor<3x2xi32>
    }
    ```
  }];
  let options = [Option<"maxElements", "max-elements", "int64_t", "67108864",
                        "greatest total number of elements of the new constants">];
  let statistics = [Statistic<"numFolded", "folded", "expressions that became constants">];
}

def TEFoldFactors : Pass<"te-fold-factors", "::mlir::func::FuncOp"> {
  let summary = "multiply constant weights by the constant factor of their sum";
  let description = [{
    A sum of products with a constant is often scaled by another constant in its epilogue, as a
    batch normalisation scales a convolution. `(sum(x * w) + b) * f` becomes `sum(x * (w * f)) + b *
    f`. Of the normalisation, only the shift is then left to compute.

    - **Needs**: to run after te-merge, which makes the factor part of the epilogue.
    - **Keeps**: the result up to the rounding of `w * f`. The order of the terms of a sum is not
      defined anyway.
    - **Gives up**: weights that another op reads, guards, types other than f32 and f64, factors
      that differ among the uses of one element of the weights, products that are not finite, and
      weights in products with `te.tf32`, whose values would not stay those of tf32.

    ```mlir
    // Before
    func.func @f(%x: tensor<4x3xf32>) -> tensor<4x2xf32> {
      %w = te.constant dense<0.5> : tensor<2x3xf32>
      %f = arith.constant 2.0 : f32
      %y = te.compute (d0: 4, d1: 2) reduce (d2: 3) init (0.0 : f32) {
        %a = te.read %x[d0, d2] : tensor<4x3xf32>
        %b = te.read %w[d1, d2] : tensor<2x3xf32>
        %p = arith.mulf %a, %b : f32
        te.yield %p : f32
      } combine arith.addf then (%sum: f32) {
        %r = arith.mulf %sum, %f : f32
        te.yield %r : f32
      } : tensor<4x2xf32>
      return %y : tensor<4x2xf32>
    }

    // After
    ...
    %0 = te.constant dense_resource<scaled> : tensor<2x3xf32>
    %1 = te.compute (d0: 4, d1: 2) reduce (d2: 3) init (0.000000e+00 : f32) {
      ...
    } combine arith.addf : tensor<4x2xf32>
    ...
    ```
  }];
  let statistics = [Statistic<"numFolded", "folded", "sums without their factor">];
}

def TECheckBounds : Pass<"te-check-bounds"> {
  let summary = "check that indexes are in bounds and pieces cover their domain";
  let description = [{
    This pass proves three properties of each expression: the indexes of each te.read and of the
    target of a te.update are in bounds, pieces are disjoint, and pieces cover the domain. A
    proven violation is an error that names the op and the dim. The conditions of te.checks
    before an op are assumed, and so are the bounds of the loops around it. An index that is
    neither proven nor refuted becomes an opaque index (te.index), which the run checks; a
    remark counts these, and one for each says which fact is missing. Pieces must be proven to be disjoint and to cover the domain.

    - **Needs**: nothing.
    - **Keeps**: what the program computes. The run checks indexes that depend on data.
    - **Gives up**: refutations that depend on dynamic sizes.

    ```mlir
    // Before
    func.func @f(%x: tensor<?xf32>) -> tensor<4xf32> {
      %y = te.compute (d0: 4) {
        %v = te.read %x[d0] : tensor<?xf32>
        te.yield %v : f32
      } : tensor<4xf32>
      return %y : tensor<4xf32>
    }

    // After
    func.func @f(%x: tensor<?xf32>) -> tensor<4xf32> {
      %0 = te.compute (d0: 4) {
        %1 = te.index d0
        %2 = te.read %x[s0](%1) : tensor<?xf32>
        te.yield %2 : f32
      } : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let options = [Option<"showUnknown", "show-unknown", "bool", "false",
                        "emit a remark for each property that is neither proven nor refuted">];
  let statistics = [
    Statistic<"numProven", "proven", "properties that are proven">,
    Statistic<"numUnknown", "unknown", "properties that are neither proven nor refuted">];
}

def TEMarkFinite : Pass<"te-mark-finite", "::mlir::ModuleOp"> {
  let summary = "mark parameters of kernels that are always finite";
  let description = [{
    A parameter gets `te.finite` if it is multiplied by a guarded read, and each launch passes a
    te.constant without infinities and NaNs. Where the guard does not hold and the read is zero, the
    product is then zero too. A padded convolution may therefore skip it.

    - **Needs**: all launches of a kernel to exist.
    - **Keeps**: everything but this attribute.
    - **Gives up**: element types other than f16, bf16, f32 and f64, and weights that a run computes
      or receives.

    ```mlir
    // Before
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      %w = te.constant dense<[1.0, -2.0, 0.5]> : tensor<3xf32>
      %y = te.launch @k(%x, %w) : (tensor<8xf32>, tensor<3xf32>) -> tensor<8xf32>
      return %y : tensor<8xf32>
    }
    te.kernel @k(%x: tensor<8xf32>, %w: tensor<3xf32>) -> tensor<8xf32> {
      %y = te.compute (d0: 8) reduce (d1: 3) init (0.0 : f32) {
        %a = te.read %x[d0 + d1 - 2] : tensor<8xf32> where (d0 + d1 - 2 >= 0) else 0.0
        %b = te.read %w[d1] : tensor<3xf32>
        %p = arith.mulf %a, %b : f32
        te.yield %p : f32
      } combine arith.addf : tensor<8xf32>
      te.return %y : tensor<8xf32>
    }

    // After
    ...
    te.kernel @k(%arg0: tensor<8xf32>, %arg1: tensor<3xf32> {te.finite}) -> tensor<8xf32> {
    ...
    ```
  }];
  let statistics = [Statistic<"numMarked", "marked", "parameters marked">];
}

def TEPlanBuffers : Pass<"te-plan-buffers", "::mlir::ModuleOp"> {
  let summary = "assign memory to each value of the host program";
  let description = [{
    Afterwards the host program `@main` works on memrefs: its arguments and results, views of
    the weights and of the arena (two further arguments, `te.weights` and `te.arena`), and
    dynamic memory (`memref.alloc`, freed after the last use). Values whose live ranges do not
    overlap share a range of the arena. A launch writes directly into a result (`te.result`)
    where live ranges allow it. The parts of a te.join lie in its result, and rows of static
    size in the tensor that a launch copies them into.

    A te.update, a loop-carried value and the result of a branch share the buffer of their
    source if nothing reads the old value afterwards. Otherwise the value is copied, and a
    remark gives its size in bytes and the location of the source. What the other block of a
    branch reads does not count: an update in one block is in place, at any depth, if the other
    passes the old value on or updates it too. This holds also for dynamic memory, which each
    block then passes on or frees.

    In a module with the attribute `te.separate`, no two buffers overlap, and 64 unused bytes follow
    each of them, so that AddressSanitizer detects accesses outside of a buffer.

    Constants are collected in the module's `te.weights`, without duplicates. The function `@plan`
    computes the size of the arena from the symbols. A remark gives it and the number of copies.

    - **Needs**: every tensor expression of the host program to be in a kernel.
    - **Keeps**: the kernels.
    - **Gives up**: sharing among values whose sizes are not functions of the symbols, but for example
      change in a loop. They are allocated dynamically.

    ```mlir
    // Before
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %a = te.launch @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %b = te.launch @k(%a) : (tensor<4xf32>) -> tensor<4xf32>
      return %b : tensor<4xf32>
    }
    te.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = te.compute (d0: 4) {
        %v = te.read %x[d0] : tensor<4xf32>
        te.yield %v : f32
      } : tensor<4xf32>
      te.return %y : tensor<4xf32>
    }

    // After
    ...
    func.func @plan() -> index {
      %c128 = arith.constant 128 : index
      return %c128 : index
    }
    func.func @main(%arg0: memref<4xf32>, %arg1: memref<?xi8> {te.weights}, %arg2: memref<?xi8> {te.arena}) -> memref<4xf32> {
      %c0 = arith.constant 0 : index
      %0 = te.result 0() : memref<4xf32>
      %view = memref.view %arg2[%c0][] : memref<?xi8> to memref<4xf32>
      te.launch @k(%arg0) outs(%view : memref<4xf32>) : (memref<4xf32>) -> ()
      te.launch @k(%view) outs(%0 : memref<4xf32>) : (memref<4xf32>) -> ()
      return %0 : memref<4xf32>
    }
    te.kernel @k(
    ...
    ```
  }];
  let statistics = [Statistic<"numCopies", "copies", "copies that had to be made">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::tssa::te::TEDialect"];
}


#endif // DIALECTS_TE_TRANSFORMS_PASSES

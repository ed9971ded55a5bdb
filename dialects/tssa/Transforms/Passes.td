//===- Passes.td - passes of the tssa dialect -------------*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_TRANSFORMS_PASSES
#define DIALECTS_TSSA_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def TSSAResolveRefs : Pass<"tssa-resolve-refs", "::mlir::func::FuncOp"> {
  let summary = "find the storage of every ref that control flow carries";
  let description = [{
    A ref among the arguments or results of scf.if, scf.for and scf.while may refer to one storage
    or to several. If it always refers to the same storage through the same view steps, the op
    carries the integers that change instead; for example, two refs to rows that a loop swaps
    become two indexes. Otherwise the op carries the value, and the ref gets a storage of its own. If
    a write could tell the difference, the op carries a tag for the storage that the ref is at, and
    reads and writes branch over the tag. A remark says for each ref what is carried.

    - **Needs**: nothing.
    - **Keeps**: the meaning.
    - **Gives up**: refs that may refer to more than eight storages or paths, and two different views
      of one storage that a block allocates and yields, if one is written while the other is still
      used. An error names both.

    ```mlir
    // Before
    func.func @swap(%s: !tssa.ref<2x4xf32>, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %a = tssa.view %s [select(0, 0)] : !tssa.ref<2x4xf32> -> !tssa.ref<4xf32>
      %b = tssa.view %s [select(0, 1)] : !tssa.ref<2x4xf32> -> !tssa.ref<4xf32>
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (!tssa.ref<4xf32>, !tssa.ref<4xf32>) {
        %x = tssa.read %p : !tssa.ref<4xf32>
        tssa.write %x, %q : !tssa.ref<4xf32>
        scf.yield %q, %p : !tssa.ref<4xf32>, !tssa.ref<4xf32>
      }
      return
    }

    // After
    ...
    %2:2 = scf.for %arg2 = %c0 to %arg1 step %c1 iter_args(%arg3 = %c0_0, %arg4 = %c1_1) -> (index, index) {
      %5 = tssa.view %arg0 [select(0, ?)](%arg3) : !tssa.ref<2x4xf32> -> !tssa.ref<4xf32>
      %6 = tssa.view %arg0 [select(0, ?)](%arg4) : !tssa.ref<2x4xf32> -> !tssa.ref<4xf32>
      %7 = tssa.read %5 : !tssa.ref<4xf32>
      tssa.write %7, %6 : !tssa.ref<4xf32>
      scf.yield %arg4, %arg3 : index, index
    }
    ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TSSAPrintAlias : Pass<"tssa-print-alias", "::mlir::func::FuncOp"> {
  let summary = "print which refs are views of which storage";
  let description = [{
    For each storage this prints its views, its writes, and the refs to it that control flow
    carries, each with its path. Then it prints the first reason why `tssa-resolve-refs` would
    refuse the function, if there is one.

    - **Needs**: nothing.
    - **Keeps**: everything; the module is not changed.
    - **Gives up**: nothing.

    ```mlir
    // Before
    func.func @f(%s: !tssa.ref<2x4xf32>, %v: tensor<4xf32>) {
      %row = tssa.view %s [select(0, 1)] : !tssa.ref<2x4xf32> -> !tssa.ref<4xf32>
      tssa.write %v, %row : !tssa.ref<4xf32>
      return
    }

    // After
    function @f
    storage %arg0 : !tssa.ref<2x4xf32>
      view %0 [select(0, 1)]
      write %0 [select(0, 1)]
    ...
    ```
  }];
}

def TSSAFunctionalize : Pass<"tssa-functionalize", "::mlir::func::FuncOp"> {
  let summary = "replace writes by new versions of the storages";
  let description = [{
    The contents of every storage become a value. A read becomes an access of this value, and a
    write becomes an assign that yields the next value. scf.if, scf.for and scf.while carry the
    contents of the storages that are written in them. Arguments and results that are refs become
    tensors. The new contents of an argument that is written are a further result, whose port says
    `writes_back`; the port of a result that is a view of an argument says `alias_of`. All later
    passes work on values, without mutation.

    - **Needs**: to run after tssa-resolve-refs, where control flow carries refs.
    - **Keeps**: the meaning, loops and branches.
    - **Gives up**: writes through expanded views, refs in calls, and refs in regions of other ops.
      Each is an error.

    ```mlir
    // Before
    func.func @f(%b: tensor<2x4xf32>, %v: tensor<4xf32>) -> tensor<2x4xf32> {
      %s = tssa.alloc %b : !tssa.ref<2x4xf32>
      %row = tssa.view %s [select(0, 1)] : !tssa.ref<2x4xf32> -> !tssa.ref<4xf32>
      tssa.write %v, %row : !tssa.ref<4xf32>
      %r = tssa.read %s : !tssa.ref<2x4xf32>
      return %r : tensor<2x4xf32>
    }

    // After
    func.func @f(%b: tensor<2x4xf32>, %v: tensor<4xf32>) -> tensor<2x4xf32> {
      %0 = tssa.assign %v into %b [select(0, 1)] : tensor<4xf32> into tensor<2x4xf32>
      return %0 : tensor<2x4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::tssa::te::TEDialect"];
}

def TSSARewriteMutation : Pass<"tssa-rewrite-mutation", "::mlir::func::FuncOp"> {
  let summary = "replace writes by assigns and updates of all views (first part of the paper's algorithm)";
  let description = [{
    This is the first of the paper's four steps, which together do what tssa-functionalize does at
    once. Refs become tensors, and views become accesses. A write becomes assigns, from the view up
    to the storage. They are followed by a `tssa.version` (the paper's *update*) for the storage and
    one for each of its views that dominates the write. These ops mark the new versions.

    - **Needs**: to run after tssa-resolve-refs, where control flow carries refs.
    - **Keeps**: the meaning, given that an update renames the later uses.
    - **Gives up**: what tssa-functionalize gives up, with the same errors.

    ```mlir
    // Before
    func.func @f(%b: tensor<2x4xf32>, %v: tensor<4xf32>) -> tensor<2x4xf32> {
      %s = tssa.alloc %b : !tssa.ref<2x4xf32>
      %row = tssa.view %s [select(0, 1)] : !tssa.ref<2x4xf32> -> !tssa.ref<4xf32>
      tssa.write %v, %row : !tssa.ref<4xf32>
      %r = tssa.read %s : !tssa.ref<2x4xf32>
      return %r : tensor<2x4xf32>
    }

    // After
    func.func @f(%b: tensor<2x4xf32>, %v: tensor<4xf32>) -> tensor<2x4xf32> {
      %0 = tssa.access %b [] : tensor<2x4xf32> -> tensor<2x4xf32>
      %1 = tssa.access %0 [select(0, 1)] : tensor<2x4xf32> -> tensor<4xf32>
      %2 = tssa.assign %v into %0 [select(0, 1)] : tensor<4xf32> into tensor<2x4xf32>
      tssa.version %2, %0 : tensor<2x4xf32>
      %3 = tssa.access %2 [select(0, 1)] : tensor<2x4xf32> -> tensor<4xf32>
      tssa.version %3, %1 : tensor<4xf32>
      %4 = tssa.access %0 [] : tensor<2x4xf32> -> tensor<2x4xf32>
      return %4 : tensor<2x4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def TSSAPropagateBlocks : Pass<"tssa-propagate-blocks", "::mlir::func::FuncOp"> {
  let summary = "carry updated values through loops and branches (second part of the paper's algorithm)";
  let description = [{
    This is the second of the paper's steps. When a region updates a value that is defined outside
    of it, the region yields the value, and an update follows the region's op. A loop also takes the
    value as an argument, and its body begins with an update.

    - **Needs**: to run after tssa-rewrite-mutation.
    - **Keeps**: the meaning.
    - **Gives up**: nothing.

    ```mlir
    // Before
    func.func @f(%x: tensor<4xf32>, %v: tensor<f32>, %c: i1) -> tensor<4xf32> {
      %a = tssa.access %x [] : tensor<4xf32> -> tensor<4xf32>
      scf.if %c {
        %b = tssa.assign %v into %a [select(0, 0)] : tensor<f32> into tensor<4xf32>
        tssa.version %b, %a : tensor<4xf32>
      }
      return %a : tensor<4xf32>
    }

    // After
    func.func @f(%x: tensor<4xf32>, %v: tensor<f32>, %c: i1) -> tensor<4xf32> {
      %0 = tssa.access %x [] : tensor<4xf32> -> tensor<4xf32>
      %1 = scf.if %c -> (tensor<4xf32>) {
        %2 = tssa.assign %v into %0 [select(0, 0)] : tensor<f32> into tensor<4xf32>
        tssa.version %2, %0 : tensor<4xf32>
        scf.yield %0 : tensor<4xf32>
      } else {
        scf.yield %0 : tensor<4xf32>
      }
      tssa.version %1, %0 : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def TSSARename : Pass<"tssa-rename", "::mlir::func::FuncOp"> {
  let summary = "replace old versions by new ones after each update (third part of the paper's algorithm)";
  let description = [{
    This is the third of the paper's steps. Every use of a value that an update dominates becomes a
    use of the new version.

    - **Needs**: to run after tssa-propagate-blocks, so that every use sees the update that reaches
      it in its own block or in an enclosing block.
    - **Keeps**: the updates, which have no meaning any more.
    - **Gives up**: nothing.

    ```mlir
    // Before
    func.func @f(%x: tensor<4xf32>, %v: tensor<f32>) -> tensor<4xf32> {
      %a = tssa.access %x [] : tensor<4xf32> -> tensor<4xf32>
      %b = tssa.assign %v into %a [select(0, 0)] : tensor<f32> into tensor<4xf32>
      tssa.version %b, %a : tensor<4xf32>
      return %a : tensor<4xf32>
    }

    // After
    func.func @f(%x: tensor<4xf32>, %v: tensor<f32>) -> tensor<4xf32> {
      %0 = tssa.access %x [] : tensor<4xf32> -> tensor<4xf32>
      %1 = tssa.assign %v into %0 [select(0, 0)] : tensor<f32> into tensor<4xf32>
      tssa.version %1, %0 : tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ```
  }];
}

def TSSAEraseVersions : Pass<"tssa-erase-versions", "::mlir::func::FuncOp"> {
  let summary = "remove updates, and ops that only updates used";
  let description = [{
    This is the last of the paper's steps. It removes the updates, and the ops that only updates
    used.

    - **Needs**: to run after tssa-rename.
    - **Keeps**: the meaning.
    - **Gives up**: values that loops carry without a use: canonicalize removes them.

    ```mlir
    // Before
    func.func @f(%x: tensor<4xf32>, %v: tensor<f32>) -> tensor<4xf32> {
      %a = tssa.access %x [] : tensor<4xf32> -> tensor<4xf32>
      %b = tssa.assign %v into %a [select(0, 0)] : tensor<f32> into tensor<4xf32>
      tssa.version %b, %a : tensor<4xf32>
      return %b : tensor<4xf32>
    }

    // After
    func.func @f(%x: tensor<4xf32>, %v: tensor<f32>) -> tensor<4xf32> {
      %0 = tssa.access %x [] : tensor<4xf32> -> tensor<4xf32>
      %1 = tssa.assign %v into %0 [select(0, 0)] : tensor<f32> into tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ```
  }];
}

def TSSACSE : Pass<"tssa-cse", "::mlir::func::FuncOp"> {
  let summary = "eliminate common subexpressions";
  let description = [{
    An op without effects is replaced by an equal earlier op, if there is one in its own block or in
    an enclosing block. Ops without a use are erased. Upstream's `cse` does the same. But if many
    expressions differ only in their bodies, its time grows with the square of their number; here
    the time grows with the size of the program.

    - **Needs**: nothing.
    - **Keeps**: every value, and ops with effects.
    - **Gives up**: ops in the bodies of te ops (te-simplify finds those), and equal ops in sibling
      blocks of a region.

    ```mlir
    // Before
    func.func @f(%i: index, %j: index, %c: i1) -> (index, index) {
      %s = arith.addi %i, %j : index
      %r = scf.if %c -> index {
        %t = arith.addi %i, %j : index
        scf.yield %t : index
      } else {
        scf.yield %i : index
      }
      return %s, %r : index, index
    }

    // After
    func.func @f(%i: index, %j: index, %c: i1) -> (index, index) {
      %0 = arith.addi %i, %j : index
      %1 = scf.if %c -> (index) {
        scf.yield %0 : index
      } else {
        scf.yield %i : index
      }
      return %0, %1 : index, index
    }
    ```
  }];
}

def TSSAParallelizeLoops : Pass<"tssa-parallelize-loops", "::mlir::func::FuncOp"> {
  let summary = "turn loops over slices that do not overlap into expressions";
  let description = [{
    A loop over the rows of a tensor, or over the images of a batch, is one expression when its
    iterations do not depend on each other. An scf.for is rewritten if different iterations read and
    write windows of its carried tensors that do not overlap, and if its body consists of
    expressions. An iteration may write to its window in several steps and read in between what it
    has written. The expressions get a further dim, and so do tensors that an iteration makes for
    itself; each write to a carried tensor becomes one update of this tensor. The trip count may be
    known only at run time. Counters become arithmetic on the induction variable. A check of the
    induction variable becomes one check before the loop. What is the same in each iteration is
    computed once. Inner loops are rewritten before outer ones. For each loop, a remark says that it
    was rewritten or why not.

    - **Needs**: a function without refs. It is best run after canonicalize, which removes reads of
      what the same iteration has written.
    - **Keeps**: the meaning. If several checks of a loop fail, another one of them may end the run.
    - **Gives up**: an iteration that reads or writes what another one writes, or may do so, as
      with an index that is no sum of the induction variable and values outside of the loop;
      carried scalars that are no counters, and carried tensors that are computed anew; slices of
      changing size; steps that are not constants; checks other than comparisons of the induction
      variable; bodies with ops other than expressions and index arithmetic; and tensors of all
      iterations that take more than 64 MiB and more than 4 times a carried tensor.

    ```mlir
    // Before
    func.func @f(%b: tensor<8x4xf32>, %x: tensor<4xf32>, %n: index) -> tensor<8x4xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %b) -> (tensor<8x4xf32>) {
        %d = tssa.assign %x into %c [select(0, ?)](%i) : tensor<4xf32> into tensor<8x4xf32>
        scf.yield %d : tensor<8x4xf32>
      }
      return %r : tensor<8x4xf32>
    }

    // After
    func.func @f(%b: tensor<8x4xf32>, %x: tensor<4xf32>, %n: index) -> tensor<8x4xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c0_0 = arith.constant 0 : index
      %0 = arith.maxsi %n, %c0_0 : index
      %1 = te.update (d0: %0, d1: 4) into %b[d0, d1] injective {
        %2 = te.read %x[d1] : tensor<4xf32>
        te.yield %2 : f32
      } : tensor<8x4xf32>
      return %1 : tensor<8x4xf32>
    }
    ```
  }];
  let statistics = [Statistic<"numParallel", "parallel", "loops that became expressions">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::tssa::te::TEDialect"];
}

def TSSAHoistBatch : Pass<"tssa-hoist-batch", "::mlir::func::FuncOp"> {
  let summary = "compute products of all iterations of a loop at once";
  let description = [{
    A loop that is not parallel, such as that of a recurrent network, may compute a product that
    does not depend on what the loop carries. The weights of this product are then read once in each
    iteration. This pass computes the product of all iterations before the loop, as one expression
    with a further dim that reads the weights once. In the loop, the product becomes an access of
    its iteration. Here a product is a reduction, of a tensor that is the same in each iteration.
    Expressions that a product needs are computed with it. A reduction that does not depend on the
    iteration at all is moved before the loop. A product that the loop only stores, such as out[t] =
    h @ w, is computed after it: the loop stores the operand of each iteration. Inner loops go
    first, so a product may leave several loops. For each product, a remark says what was done, or
    why it stays in the loop.

    - **Needs**: a function without refs, and to run after tssa-parallelize-loops, which takes whole
      loops.
    - **Keeps**: the meaning, and each element of the product: it is the same sum.
    - **Gives up**: products in an scf.while or in a branch, after a check in the body, or with an
      index that is no sum of the induction variable; expressions that compute with the induction
      variable; results of more than 64 MB, or of more than four times the bytes that an iteration
      reads; and results of open size, unless a tensor has a dim of the loop's iterations.

    ```mlir
    // Before
    func.func @f(%x: tensor<16x8xf32>, %w: tensor<8x8xf32>, %h: tensor<8xf32>) -> tensor<8xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %r = scf.for %t = %c0 to %c16 step %c1 iter_args(%s = %h) -> (tensor<8xf32>) {
        %p = te.compute (d0: 8) reduce (d1: 8) init (0.0 : f32) {
          %a = te.read %x[s0, d1](%t) : tensor<16x8xf32>
          %b = te.read %w[d1, d0] : tensor<8x8xf32>
          %m = arith.mulf %a, %b : f32
          te.yield %m : f32
        } combine arith.addf : tensor<8xf32>
        %n = te.compute (d0: 8) {
          %a = te.read %s[d0] : tensor<8xf32>
          %b = te.read %p[d0] : tensor<8xf32>
          %m = arith.maximumf %a, %b : f32
          te.yield %m : f32
        } : tensor<8xf32>
        scf.yield %n : tensor<8xf32>
      }
      return %r : tensor<8xf32>
    }

    // After
    func.func @f(%arg0: tensor<16x8xf32>, %arg1: tensor<8x8xf32>, %arg2: tensor<8xf32>) -> tensor<8xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %c16_0 = arith.constant 16 : index
      %0 = te.compute (d0: 16, d1: 8) reduce (d2: 8) init (0.000000e+00 : f32) {
        %2 = te.read %arg0[d0, d2] : tensor<16x8xf32>
        %3 = te.read %arg1[d2, d1] : tensor<8x8xf32>
        %4 = arith.mulf %2, %3 : f32
        te.yield %4 : f32
      } combine arith.addf : tensor<16x8xf32>
      %1 = scf.for %arg3 = %c0 to %c16 step %c1 iter_args(%arg4 = %arg2) -> (tensor<8xf32>) {
        %2 = tssa.access %0 [select(0, ?)](%arg3) : tensor<16x8xf32> -> tensor<8xf32>
        %3 = te.compute (d0: 8) {
          %4 = te.read %arg4[d0] : tensor<8xf32>
          %5 = te.read %2[d0] : tensor<8xf32>
          %6 = arith.maximumf %4, %5 : f32
          te.yield %6 : f32
        } : tensor<8xf32>
        scf.yield %3 : tensor<8xf32>
      }
      return %1 : tensor<8xf32>
    }
    ```
  }];
  let options = [Option<"force", "force", "bool", "false",
                        "hoist what reuses no tensor, too, and whatever memory it takes">];
  let statistics = [Statistic<"numHoisted", "hoisted", "products computed before their loop">,
                    Statistic<"numSunk", "sunk", "products computed after their loop">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::tssa::refs::TSSADialect",
                           "::mlir::tssa::te::TEDialect"];
}

def TSSALowerToTE : Pass<"tssa-lower-to-te", "::mlir::func::FuncOp"> {
  let summary = "turn accesses into expressions and assigns into updates";
  let description = [{
    `tssa.access` becomes a te.compute that reads at the index expressions of the path, and
    `tssa.assign` becomes a te.update of the slice. From here on views are index expressions, which
    te-merge composes.

    - **Needs**: a function without refs.
    - **Keeps**: the meaning.
    - **Gives up**: nothing.

    ```mlir
    // Before
    func.func @f(%b: tensor<8x4xf32>, %i: index) -> tensor<8x4xf32> {
      %x = tssa.access %b [select(0, ?)](%i) : tensor<8x4xf32> -> tensor<4xf32>
      %r = tssa.assign %x into %b [select(0, 0)] : tensor<4xf32> into tensor<8x4xf32>
      return %r : tensor<8x4xf32>
    }

    // After
    func.func @f(%b: tensor<8x4xf32>, %i: index) -> tensor<8x4xf32> {
      %0 = te.compute (d0: 4) {
        %2 = te.read %b[s0, d0](%i) : tensor<8x4xf32>
        te.yield %2 : f32
      } : tensor<4xf32>
      %1 = te.update (d0: 4) into %b[0, d0] injective {
        %2 = te.read %0[d0] : tensor<4xf32>
        te.yield %2 : f32
      } : tensor<8x4xf32>
      return %1 : tensor<8x4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::tssa::te::TEDialect"];
}

#endif // DIALECTS_TSSA_TRANSFORMS_PASSES

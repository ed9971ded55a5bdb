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
    A ref among the arguments or results of scf.if, scf.for and scf.while is a name for
    one storage or several. Where it is always the same storage along the same steps,
    the integers that change are carried instead of it (two rows that swap their names
    carry two indexes). Else the value is carried and the name is a storage of its own.

    - Needs: nothing.
    - Keeps: the meaning.
    - Gives up, with an error that names both storages: names for several storages
      where one is written while the other is still used.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TSSAPrintAlias : Pass<"tssa-print-alias", "::mlir::func::FuncOp"> {
  let summary = "print which refs are windows on which storage";
  let description = [{
    For each storage its views and the names that control flow gives it, with their
    paths, and its writes; then the first reason for which `tssa-resolve-refs` would
    refuse the function, if there is one.

    - Needs: nothing.
    - Keeps: everything; the module is not changed.
    - Gives up: nothing.
  }];
}

def TSSAFunctionalize : Pass<"tssa-functionalize", "::mlir::func::FuncOp"> {
  let summary = "replace writes by new versions of the storages";
  let description = [{
    The contents of every storage become a value: a read is an access of it, a write
    an assign that gives the next one. Regions of scf.if, scf.for and scf.while carry
    the contents of the storages that are written in them. Arguments and results that
    are refs become tensors; the new contents of an argument that is written are a
    further result, whose port says `writes_back`; the port of a result that is a
    view of an argument says `alias_of`.

    - Needs: tssa-resolve-refs before, where control flow carries refs.
    - Keeps: the meaning; loops and branches.
    - Gives up, with an error: writes through expanded views, refs in calls and in
      regions of other ops.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::tssa::te::TEDialect"];
}

def TSSARewriteMutation : Pass<"tssa-rewrite-mutation", "::mlir::func::FuncOp"> {
  let summary = "make assigns of writes, with updates of all views (the paper's first part)";
  let description = [{
    Refs become tensors and views accesses. A write becomes the assigns from the window
    up to the storage, and for the storage and each view of it that dominates the write
    a `tssa.update` to its new version.

    - Needs: tssa-resolve-refs before, where control flow carries refs.
    - Keeps: the meaning, in which an update renames later uses.
    - Gives up, with an error: as tssa-functionalize.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def TSSAPropagateBlocks : Pass<"tssa-propagate-blocks", "::mlir::func::FuncOp"> {
  let summary = "carry what is updated through loops and branches (the paper's second part)";
  let description = [{
    An update in a region of something that is defined outside of it becomes a value
    that the region yields, and an update after the region's op; a loop also takes it
    in, and its body begins with an update.

    - Needs: tssa-rewrite-mutation before.
    - Keeps: the meaning.
    - Gives up: nothing.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def TSSARename : Pass<"tssa-rename", "::mlir::func::FuncOp"> {
  let summary = "replace old versions by new ones after each update";
  let description = [{
    - Needs: tssa-propagate-blocks before, so that every use sees the update that
      reaches it in a block around it.
    - Keeps: updates, which mean nothing any more.
    - Gives up: nothing.
  }];
}

def TSSAEraseUpdates : Pass<"tssa-erase-updates", "::mlir::func::FuncOp"> {
  let summary = "remove updates, and what was made for them only";
  let description = [{
    - Needs: tssa-rename before.
    - Keeps: the meaning.
    - Gives up: values that loops carry and nobody uses are left to canonicalize.
  }];
}

def TSSACSE : Pass<"tssa-cse", "::mlir::func::FuncOp"> {
  let summary = "compute once what is computed twice";
  let description = [{
    An op without effects that equals one before it, in its block or in a block around
    it, is replaced by that one. What is left without use is erased. As upstream's `cse`,
    but in a time that grows with the program, not with its square, where many
    expressions differ in their bodies only.

    - Needs: nothing.
    - Keeps: every value; ops with effects.
    - Gives up: ops in the bodies of te ops (te-simplify joins those), equal ops in
      different blocks of a region.
  }];
}

def TSSAParallelizeLoops : Pass<"tssa-parallelize-loops", "::mlir::func::FuncOp"> {
  let summary = "make one expression of a loop over windows that do not overlap";
  let description = [{
    An scf.for whose carried tensors are written and read in windows of which those of
    different iterations have nothing in common, and whose body is expressions, becomes
    these expressions with a dim more, and updates of what was carried. Trip counts may
    be known only when the program runs. Counters become arithmetic. Each loop gets a
    remark that says what became of it.

    - Needs: a function without refs; canonicalize before, so that reads of what the
      same iteration has written are gone.
    - Keeps: the meaning.
    - Gives up: windows whose sizes change, steps that are no constants, bodies with
      anything else than expressions and index arithmetic.
  }];
  let statistics = [Statistic<"numParallel", "parallel", "loops that became expressions">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::tssa::te::TEDialect"];
}

def TSSALowerToTE : Pass<"tssa-lower-to-te", "::mlir::func::FuncOp"> {
  let summary = "make expressions of accesses and updates of assigns";
  let description = [{
    `tssa.access` becomes a te.compute that reads at the index expressions of the
    path, `tssa.assign` a te.update of the window.

    - Needs: a function without refs.
    - Keeps: the meaning.
    - Gives up: nothing.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::tssa::te::TEDialect"];
}

#endif // DIALECTS_TSSA_TRANSFORMS_PASSES

//===- Passes.td - passes of the te dialect ---------------*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_PASSES
#define DIALECTS_TE_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def TESimplify : Pass<"te-simplify"> {
  let summary = "simplify index expressions with the ranges of their domains";
  let description = [{
    Every map, guard and set in a body of te.compute or te.update is simplified
    under what is known of its dims and symbols. Guards that always hold go, reads
    that never hold or read a splat constant become constants, decided te.inside
    become constants, pieces without a point go. Symbol operands stand once, in
    order of first use. Tensors that are arith.constant become te.constant. The
    `tensor.dim` of a te result is the size it was made
    with. Equal expressions of a block are joined, unused ones erased.

    - Needs: nothing.
    - Keeps: the value of every element; opaque indexes stay opaque unless they
      are known to be in bounds.
    - Gives up: a proof that takes too many steps counts as not found.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tssa::te::TEDialect"];
  let statistics = [
    Statistic<"numGuards", "guards", "guards that always hold">,
    Statistic<"numReads", "reads", "reads that are constants">,
    Statistic<"numSets", "sets", "te.inside that are constants">];
}

def TEMerge : Pass<"te-merge", "::mlir::func::FuncOp"> {
  let summary = "merge tensor expressions along their reads";
  let description = [{
    An expression without reduction is computed where it is read, instead of being
    stored: always when it only rearranges elements (reshape, transpose, slice,
    broadcast), else when that repeats little work. An element-wise expression
    that is the only reader of a reduction becomes its epilogue. Pieces (concat)
    become pieces of an element-wise reader.

    - Needs: te-simplify before, so that guards and maps are small.
    - Keeps: the value of every element, rounding included; what other ops than
      te expressions use stays as it is.
    - Gives up: bodies beyond `max-ops`, index expressions that would divide in
      the body of a reduction, reads of pieces that depend on dynamic sizes.
  }];
  let options = [Option<"maxOps", "max-ops", "unsigned", "96",
                        "arithmetic ops that a merged body may have">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"numInlined", "inlined", "reads replaced by what they read">,
    Statistic<"numSplit", "split", "expressions split along the pieces they read">,
    Statistic<"numAbsorbed", "absorbed", "expressions that became an epilogue">];
}

def TEFoldConstants : Pass<"te-fold-constants", "::mlir::func::FuncOp"> {
  let summary = "rearrange constants once and for all";
  let description = [{
    A te.compute whose pieces are reads of constants, and whose result is not more
    data than they are, becomes a te.constant.

    - Needs: te-check-bounds before; te-merge before, which leaves only those
      rearrangements that are stored.
    - Keeps: every bit.
    - Gives up: arithmetic (the importers fold what is cheap), i1, guards, and
      results beyond `max-elements` in all.
  }];
  let options = [Option<"maxElements", "max-elements", "int64_t", "67108864",
                        "elements of all constants made">];
  let statistics = [Statistic<"numFolded", "folded", "expressions that became constants">];
}

def TEFoldFactors : Pass<"te-fold-factors", "::mlir::func::FuncOp"> {
  let summary = "multiply constant weights by the constant factor of their sum";
  let description = [{
    A sum of products with a constant, whose epilogue begins with a product with a
    constant, `(sum(x * w) + b) * f`, becomes `sum(x * (w * f)) + b * f`: a batch
    normalisation behind a convolution costs its shift only.

    - Needs: te-merge before, which makes the factor part of the epilogue.
    - Keeps: the result up to the rounding of w * f; sums are in no order anyway.
    - Gives up: weights that something else reads, guards, types other than f32 and f64,
      factors that differ within one element's use, products that are not finite.
  }];
  let statistics = [Statistic<"numFolded", "folded", "sums without their factor">];
}

def TECheckBounds : Pass<"te-check-bounds"> {
  let summary = "check that indexes are in bounds and pieces cover their domain";
  let description = [{
    Every index of a te.read and of the target of a te.update that does not depend
    on data, and the sets of pieces. A violation that is certain is an error that
    names the op and the dim. What a te.check in front says of sizes counts as known.
    An index that is neither proven nor refuted becomes an opaque one (te.index),
    which the run checks; a remark counts those. Pieces must be proven disjoint and
    covering.

    - Needs: nothing.
    - Keeps: what the program computes.
    - Gives up: sizes that are only known when the program runs can be proven, but
      not refuted.
  }];
  let options = [Option<"showUnknown", "show-unknown", "bool", "false",
                        "a remark for each question without an answer">];
  let statistics = [
    Statistic<"numProven", "proven", "questions answered">,
    Statistic<"numUnknown", "unknown", "questions without an answer">];
}

def TEFormKernels : Pass<"te-form-kernels", "::mlir::ModuleOp"> {
  let summary = "put every tensor expression of the host program into a kernel";
  let description = [{
    Each te.compute, te.update and te.scan of a function becomes the body of a new
    te.kernel, and a te.launch takes its place. What the expression captures
    becomes a parameter, once: tensors, then values of type index (sizes of the
    dynamic dims of the tensors among them), then other scalars. Scalar constants
    go into the kernel. Expressions that nobody uses are left to be removed.

    With `group-rows`, reductions of the rows of a tensor (softmax, layer
    normalisation) go into the kernel of the expression that reads that tensor and
    them row by row. That expression comes last.

    - Needs: nothing.
    - Keeps: the meaning; the launch has the location of the expression.
    - Gives up: nothing.
  }];
  let options = [Option<"groupRows", "group-rows", "bool", "false",
                        "reductions of rows go into the kernel that reads them">];
  let statistics = [
    Statistic<"numKernels", "kernels", "kernels formed">,
    Statistic<"numGrouped", "grouped", "reductions in the kernel of another expression">];
}

def TEDeduplicateKernels : Pass<"te-deduplicate-kernels", "::mlir::ModuleOp"> {
  let summary = "make structurally equal kernels one";
  let description = [{
    Kernels that differ in their name and in locations only are one symbol; the
    first one stays, and its name starts with its number among those that stay.

    - Needs: schedules that are empty or part of what is compared.
    - Keeps: every launch and its location.
    - Gives up: commuted operands are different structure.
  }];
  let statistics = [Statistic<"numRemoved", "removed", "kernels that were equal to another">];
}

def TEMarkFinite : Pass<"te-mark-finite", "::mlir::ModuleOp"> {
  let summary = "mark parameters of kernels that are always finite";
  let description = [{
    A parameter that is a factor of a product whose other factor is a read with a guard
    gets `te.finite` when every launch gives it a te.constant without infinities and
    NaNs. Where the guard does not hold and the read is zero, the product is then zero
    too, and may be left out.

    - Needs: all launches of a kernel to be there already.
    - Keeps: all but this attribute.
    - Gives up: element types other than f16, bf16, f32 and f64; weights that a run
      computes or is given.
  }];
  let statistics = [Statistic<"numMarked", "marked", "parameters marked">];
}

def TEPlanBuffers : Pass<"te-plan-buffers", "::mlir::ModuleOp"> {
  let summary = "give every value of the host program its place in memory";
  let description = [{
    The host program `@main` works on memrefs afterwards: its arguments and
    results, views of the weights and of the arena (two more arguments, `te.weights`
    and `te.arena`), and memory that grows (`memref.alloc`, freed by
    `memref.dealloc` after the last use). A launch writes directly into a result
    (`te.result`) where lifetimes allow.

    A te.update, a loop-carried value and a branch's result share the buffer of
    what they come from when nobody reads the old value afterwards; else a copy is
    made, and a remark says so.

    In a module with the attribute `te.separate` no two buffers share a place, and
    64 bytes behind each are unused: for code that AddressSanitizer watches.

    Constants are collected in the module's `te.weights`, each once. The function
    `@plan` computes the bytes of the arena from the sizes of the symbols.

    - Needs: kernels; te.launch and te.extern as the only tensor expressions.
    - Keeps: kernels.
    - Gives up: sharing between sizes that only the run knows; sizes that change
      from one iteration to the next always grow.
  }];
  let statistics = [Statistic<"numCopies", "copies", "copies that had to be made">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::tssa::te::TEDialect"];
}

def TEGeneralizeKernels : Pass<"te-generalize-kernels", "::mlir::ModuleOp"> {
  let summary = "make kernels that differ in constant indexes one";
  let description = [{
    The steps of an unrolled loop read row 0, row 1, ... of a tensor. Three kernels
    or more that differ in such constants only become one kernel, with an index
    parameter for each index that differs.

    - Needs: equal kernels to be one; empty schedules.
    - Keeps: every launch and its location.
    - Gives up: constants in sums, guards and pieces.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numRemoved", "removed", "kernels that became another">];
}

#endif // DIALECTS_TE_TRANSFORMS_PASSES

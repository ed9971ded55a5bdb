//===- Passes.td - passes of the te dialect ---------------*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_PASSES
#define DIALECTS_TE_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def TEFormKernels : Pass<"te-form-kernels", "::mlir::ModuleOp"> {
  let summary = "put every tensor expression of the host program into a kernel";
  let description = [{
    Each te.compute, te.update and te.scan of a function becomes the body of a new
    te.kernel, and a te.launch takes its place. What the expression captures
    becomes a parameter, once: tensors, then values of type index (sizes of the
    dynamic dims of the tensors among them), then other scalars. Scalar constants
    go into the kernel. Expressions that nobody uses are left to be removed.

    - Needs: nothing.
    - Keeps: the meaning; the launch has the location of the expression.
    - Gives up: nothing.
  }];
  let statistics = [Statistic<"numKernels", "kernels", "kernels formed">];
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

#endif // DIALECTS_TE_TRANSFORMS_PASSES

//===- Passes.td - from one language to another ------------*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_CONVERSION_PASSES
#define TSSA_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def ConvertHostToLLVM : Pass<"convert-host-to-llvm", "::mlir::ModuleOp"> {
  let summary = "convert the host program to the functions that a runtime calls";
  let description = [{
    `@main`, on memrefs, becomes `@tssa_run`, and `@plan` becomes `@tssa_plan`, both
    as include/tssa/abi.h declares them. Structured control flow becomes blocks, so
    that an error can leave the program, and a loop without launches gets a point
    where a run can be cancelled. Each kernel gets `@<kernel>.body`, the form that a
    thread pool calls. The module's `te.nodes` and `te.launches` receive the names of
    the model's nodes and what each launch runs, for errors and profiles.

    - **Needs**: functions `@main` and `@plan` (te-plan-buffers), and kernels that are
      functions (stage loops).
    - **Keeps**: the functions of the kernels.
    - **Gives up**: nothing.
  }];
  let options = [Option<"device", "device", "bool", "false",
                        "all memory is a device's: kernels are launched there, elements are "
                        "copied to the host and back, and library routines get copies">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect"];
}

#endif // TSSA_CONVERSION_PASSES

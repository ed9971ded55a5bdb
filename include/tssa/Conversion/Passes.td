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
    `@main`, which works on memrefs, becomes `@tssa_run`, and `@plan` becomes `@tssa_plan`, both as
    include/tssa/abi.h declares them. Structured control flow becomes blocks, so that an error can
    leave the program. A loop without launches gets a check whether the run was cancelled. Each
    kernel gets a function `@<kernel>.body`, which a thread pool calls. The module's `te.nodes` and
    `te.launches` say which nodes of the model each launch runs; errors and profiles need this.

    With `device`, all memrefs are memory of a device. Kernels are launched on the device. Elements
    that the host program reads or writes are copied to the host and back. Library routines get
    copies of their tensors.

    - **Needs**: functions `@main` and `@plan` (te-plan-buffers), and kernels that are functions
      (the loops stage).
    - **Keeps**: the functions of the kernels.
    - **Gives up**: nothing.

    ```mlir
    // Before
    func.func @main(%x: memref<4xf32>, %w: memref<?xi8> {te.weights}, %a: memref<?xi8> {te.arena}) -> memref<4xf32> {
      %y = te.result 0() : memref<4xf32>
      memref.copy %x, %y : memref<4xf32> to memref<4xf32>
      return %y : memref<4xf32>
    }
    func.func @plan() -> index {
      %bytes = arith.constant 0 : index
      return %bytes : index
    }

    // After
    ...
    func.func @tssa_run(%arg0: !llvm.ptr, ...) -> i32 {
      ...
      llvm.call @tssa_host_result(...)
      ...
      "llvm.intr.memcpy"(...)
      ...
    }
    func.func @tssa_plan(%arg0: !llvm.ptr, %arg1: !llvm.ptr) -> i32 {
    ...
    ```
  }];
  let options = [Option<"device", "device", "bool", "false",
                        "all memory is device memory">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::tssa::te::TEDialect"];
}

#endif // TSSA_CONVERSION_PASSES

//===- Passes.td - passes of code for NVIDIA GPUs ----------*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TARGET_CUDA_PASSES
#define TSSA_TARGET_CUDA_PASSES

include "mlir/Pass/PassBase.td"

def ConvertKernelsToDeviceLoops : Pass<"convert-kernels-to-device-loops", "::mlir::ModuleOp"> {
  let summary = "make each kernel a function that a block of threads runs, as its schedule says";
  let description = [{
    A te.kernel becomes a device function of scf, vector, memref and gpu ops, with its
    number of threads and its bytes of dynamic shared memory as attributes, and a
    function `@<kernel>.extent` that says how many blocks run it. The schedule
    determines every loop, tile and binding (docs/decisions/0004): this pass chooses
    none of them.

    - **Needs**: a schedule for every kernel that is not a te.update or te.scan (stage
      layout).
    - **Keeps**: the host program.
    - **Gives up**: schedules that its kernel cannot have, with an error.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
    "::mlir::tssa::layout::LayoutDialect"];
}

def OutlineKernels : Pass<"cuda-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "move device functions to a module of their own, with pointers as parameters";
  let description = [{
    Device functions move to `gpu.module @device`. Their memrefs become pointers,
    because a memref of unknown size tells a device nothing. Shared memory moves to
    address space 3; its dynamic part is one external array that all kernels name. The
    module's `te.kernels` lists what the manifest says of each kernel.

    - **Needs**: device functions whose memrefs have one dim.
    - **Keeps**: functions of the host.
    - **Gives up**: functions with results or without a body, with an error.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect"];
}

def ExpandDeviceMath : Pass<"cuda-expand-math", "::mlir::gpu::GPUModuleOp"> {
  let summary = "expand functions of math to arithmetic of a device";
  let description = [{
    Kernels call no device library, so that the emulator computes what a GPU computes.
    Functions become the same arithmetic as on CPUs; those for which a CPU calls its
    host are computed in f64.

    - **Needs**: nothing.
    - **Keeps**: functions that one or a few instructions compute.
    - **Gives up**: functions without an expansion, such as the sine of f64, with an
      error that names the kernel.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def ConvertToNVVM : Pass<"cuda-convert-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "convert functions, memrefs and gpu ops to the LLVM and NVVM dialects";
  let description = [{
    Upstream's conversions of func, cf, memref and gpu, in one step. A shuffle of 64
    bits becomes two. A function with a number of threads is marked as a kernel of
    exactly that many, and ptxas is told that one block may use all registers;
    otherwise it spills registers to make room for another block.

    - **Needs**: cuda-outline-kernels before; control flow as blocks; arith and vector
      ops in the LLVM dialect, or casts between.
    - **Keeps**: ops of all other dialects.
    - **Gives up**: gpu ops that upstream does not convert, with its error.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

def EmulateKernels : Pass<"cuda-emulate", "::mlir::gpu::GPUModuleOp"> {
  let summary = "make kernels in LLVM and NVVM functions that the emulator runs on the CPU";
  let description = [{
    Each kernel becomes a function `@<kernel>.emu` that takes the emulator and the
    addresses of the parameters, and a constant `@<kernel>.emulated`
    (include/tssa/emulator.h). NVVM ops become loads from the emulator and calls of it,
    and the emulator checks each access to memory that other threads can see. So each
    GPU kernel can run where there is no GPU, with errors for races and for accesses
    out of bounds.

    - **Needs**: cuda-convert-to-nvvm before.
    - **Keeps**: what a kernel computes.
    - **Gives up**: ops without an emulation and functions that are not kernels, with an
      error.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def EmbedKernels : Pass<"cuda-embed-kernels", "::mlir::ModuleOp"> {
  let summary = "move emulated kernels to the host program, with a table of them";
  let description = [{
    The emulated kernels of `gpu.module @device` move beside the host program, and
    `@tssa_kernels` holds their addresses, in the order of the module's `te.kernels`,
    where a runtime finds them.

    - **Needs**: cuda-emulate before, and cuda-outline-kernels for `te.kernels`.
    - **Keeps**: the host program.
    - **Gives up**: nothing.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TSSA_TARGET_CUDA_PASSES

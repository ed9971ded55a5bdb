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
    A te.kernel becomes a device function of scf, vector, memref and gpu ops. Its attributes give
    the number of threads of a block and the bytes of dynamic shared memory. A function
    `@<kernel>.extent` returns the number of blocks, a grain of 1, and the number of floating-point
    operations of a launch. The schedule determines every loop, tile and
    binding (docs/decisions/0004); this pass chooses none of them. Operands are `llvm.noalias`,
    except those of a te.update, which may be in place.

    - **Needs**: a schedule for every kernel (the layout stage), except for kernels of te.update and
      te.scan.
    - **Keeps**: the host program.
    - **Gives up**: schedules that do not fit their kernel, with an error.

    ```mlir
    // Before
    te.kernel @k(%x: tensor<64xf32>) -> tensor<64xf32> {
      %y = te.compute @y (d0: 64) {
        %v = te.read %x[d0] : tensor<64xf32>
        %n = arith.negf %v : f32
        te.yield %n : f32
      } : tensor<64xf32>
      te.return %y : tensor<64xf32>
    } schedule {
      %i = layout.loops @y : !layout.loop
      %o, %v = layout.split %i [*, 16]
      layout.bind %v to lane
      layout.bind %o to block
    }

    // After
    func.func @k(%arg0: memref<?xf32> {llvm.noalias}, %arg1: memref<?xf32>, %arg2: memref<?xi32>) attributes {te.block = #te.block<threads = 32, shared_bytes = 0>} {
      %block_id_x = gpu.block_id x upper_bound 2147483647
      %thread_id_x = gpu.thread_id x upper_bound 32
      %c16 = arith.constant 16 : index
      %0 = arith.cmpi ult, %thread_id_x, %c16 : index
      scf.if %0 {
        ...
        %3 = memref.load %arg0[%2] : memref<?xf32>
        %4 = arith.negf %3 : f32
        ...
        memref.store %4, %arg1[%6] : memref<?xf32>
      }
      return
    }
    func.func @k.extent() -> (index, index, index) {
    ...
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::nvgpu::NVGPUDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
    "::mlir::tssa::layout::LayoutDialect"];
}

def OutlineKernels : Pass<"cuda-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "move device functions to a module of their own, with pointers as parameters";
  let description = [{
    Device functions move to `gpu.module @device`. Their memrefs become pointers, because kernels do
    not use the size in a memref. Shared memory moves to address space 3. Its dynamic part is one
    external array, to which all kernels refer. The module's `te.kernels` lists what the manifest
    says about each kernel.

    - **Needs**: device functions whose memrefs have one dim.
    - **Keeps**: the functions of the host.
    - **Gives up**: device functions with results or without a body, with an error.

    ```mlir
    // Before
    func.func @k(%x: memref<?xf32>) attributes {te.block = #te.block<threads = 64, shared_bytes = 0>} {
      %t = gpu.thread_id x
      %zero = arith.constant 0.0 : f32
      memref.store %zero, %x[%t] : memref<?xf32>
      return
    }

    // After
    module attributes {te.kernels = [#te.device_kernel<name = "k", parameters = 1, block = <threads = 64, shared_bytes = 0>> ...
      gpu.module @device {
        func.func @k(%arg0: !llvm.ptr) attributes {te.block = #te.block<threads = 64, shared_bytes = 0>} {
          ...
          %7 = builtin.unrealized_conversion_cast %6 : ... to memref<?xf32>
          %thread_id_x = gpu.thread_id x
          %cst = arith.constant 0.000000e+00 : f32
          memref.store %cst, %7[%thread_id_x] : memref<?xf32>
          return
        }
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::tssa::te::TEDialect"];
}

def ExpandDeviceMath : Pass<"cuda-expand-math", "::mlir::gpu::GPUModuleOp"> {
  let summary = "expand functions of math to arithmetic of a device";
  let description = [{
    Kernels call no device library, so that the emulator computes what a GPU computes. Functions
    become the same arithmetic as on CPUs. Functions for which a CPU calls the host are computed in
    f64.

    - **Needs**: nothing.
    - **Keeps**: functions that one or a few instructions compute.
    - **Gives up**: functions without an expansion, such as the sine of f64, with an error that
      names the kernel.

    ```mlir
    // Before
    gpu.module @device {
      func.func @f(%x: f16) -> f16 {
        %y = math.sqrt %x : f16
        return %y : f16
      }
    }

    // After
    gpu.module @device {
      func.func @f(%x: f16) -> f16 {
        %0 = arith.extf %x : f16 to f32
        %1 = math.sqrt %0 : f32
        %2 = arith.truncf %1 : f32 to f16
        return %2 : f16
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def NarrowIndexes : Pass<"cuda-narrow-indexes", "::mlir::gpu::GPUModuleOp"> {
  let summary = "compute with 32 bits what is compared, divided or chosen, where ranges prove it fits";
  let description = [{
    Indexes have 64 bits, and registers of GPUs have 32. Divisions, comparisons and choices between
    indexes get operands of 32 bits where ranges prove that these fit, and so do the additions and
    multiplications from which the operands are computed. A division whose operands are not negative
    becomes one without signs. Ranges come from the bounds of loops, the numbers of threads and
    blocks, and constant sizes. Parts of addresses keep 64 bits: they move out of loops.

    - **Needs**: loops of scf, whose bounds it reads.
    - **Keeps**: all other ops, and those on open sizes.
    - **Gives up**: nothing.

    ```mlir
    // Before
    gpu.module @device {
      func.func @f() -> index {
        %c3 = arith.constant 3 : index
        %t = gpu.thread_id x upper_bound 96
        %q = arith.divui %t, %c3 : index
        return %q : index
      }
    }

    // After
    gpu.module @device {
      func.func @f() -> index {
        %c3 = arith.constant 3 : index
        %0 = arith.index_cast %c3 : index to i32
        %thread_id_x = gpu.thread_id x upper_bound 96
        %1 = arith.index_cast %thread_id_x : index to i32
        %2 = arith.divui %1, %0 : i32
        %3 = arith.index_cast %2 : i32 to index
        return %3 : index
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ConvertToNVVM : Pass<"cuda-convert-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "convert functions, memrefs and gpu ops to the LLVM and NVVM dialects";
  let description = [{
    Upstream's conversions of func, cf, memref and gpu run in one step. A shuffle of 64 bits becomes
    two. A function with the attribute `te.block` is marked as a kernel with that many threads. Its
    attributes also tell ptxas that one block may use all registers; otherwise ptxas spills
    registers to make room for another block. Loops with barriers are annotated so that neither LLVM
    nor ptxas unrolls them.

    - **Needs**: to run after cuda-outline-kernels, and control flow as blocks.
    - **Keeps**: ops of all other dialects.
    - **Gives up**: gpu ops that upstream does not convert, with its error.

    ```mlir
    // Before
    gpu.module @device {
      func.func @k(%out: !llvm.ptr) attributes {te.block = #te.block<threads = 64, shared_bytes = 0>} {
        %t = gpu.thread_id x
        %i = arith.index_cast %t : index to i32
        gpu.barrier
        llvm.store %i, %out : i32, !llvm.ptr
        return
      }
    }

    // After
    gpu.module @device {
      llvm.func @k(%arg0: !llvm.ptr) attributes {nvvm.kernel, nvvm.maxntid = array<i32: 64>, nvvm.minctasm = 1 : i32, te.block = #te.block<threads = 64, shared_bytes = 0>} {
        %0 = nvvm.read.ptx.sreg.tid.x : i32
        %1 = llvm.sext %0 : i32 to i64
        %2 = builtin.unrealized_conversion_cast %1 : i64 to index
        %3 = arith.index_cast %2 : index to i32
        nvvm.barrier0
        llvm.store %3, %arg0 : i32, !llvm.ptr
        llvm.return
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

def EmulateKernels : Pass<"cuda-emulate", "::mlir::gpu::GPUModuleOp"> {
  let summary = "turn kernels in LLVM and NVVM into functions that the emulator runs on the CPU";
  let description = [{
    Each kernel becomes a function `@<kernel>.emu` and a constant `@<kernel>.emulated`
    (include/tssa/emulator.h). The function takes the emulator and the addresses of the parameters.
    NVVM ops become loads from the emulator and calls of it. The emulator checks each access to
    memory that other threads can see. So GPU kernels run without a GPU, and races and accesses out
    of bounds are reported.

    - **Needs**: to run after cuda-convert-to-nvvm.
    - **Keeps**: what a kernel computes.
    - **Gives up**: ops without an emulation, and functions that are not kernels, with an error.

    ```mlir
    // Before
    gpu.module @device {
      llvm.func @k(%out: !llvm.ptr) attributes {nvvm.kernel} {
        %t = nvvm.read.ptx.sreg.tid.x : i32
        %p = llvm.getelementptr %out[%t] : (!llvm.ptr, i32) -> !llvm.ptr, i32
        llvm.store %t, %p : i32, !llvm.ptr
        llvm.return
      }
    }

    // After
    gpu.module @device {
      llvm.func internal @k.emu(%arg0: !llvm.ptr, %arg1: !llvm.ptr) {
        ...
        %4 = llvm.load %3 invariant : !llvm.ptr -> i32
        %5 = llvm.getelementptr %2[%4] : (!llvm.ptr, i32) -> !llvm.ptr, i32
        ...
        llvm.call %7(%arg0, %5, %8) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, i32) -> ()
        llvm.store %4, %5 : i32, !llvm.ptr
        llvm.return
      }
      ...
      llvm.mlir.global internal constant @k.emulated()
      ...
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def EmbedKernels : Pass<"cuda-embed-kernels", "::mlir::ModuleOp"> {
  let summary = "move emulated kernels to the host program, with a table of them";
  let description = [{
    The emulated kernels of `gpu.module @device` move into the module of the host program. The
    global `@tssa_kernels` holds their addresses, in the order of the module's `te.kernels`. A
    runtime finds the kernels by this global.

    - **Needs**: to run after cuda-emulate; the module's `te.kernels` (cuda-outline-kernels).
    - **Keeps**: the host program.
    - **Gives up**: modules without kernels, with an error.

    ```mlir
    // Before
    module attributes {te.kernels = [#te.device_kernel<name = "k", parameters = 1, block = <threads = 32, shared_bytes = 0>>]} {
      gpu.module @device {
        llvm.mlir.global internal constant @k.emulated(0 : i64) : i64
      }
    }

    // After
    module ... {
      llvm.mlir.global internal constant @k.emulated(0 : i64) {addr_space = 0 : i32} : i64
      llvm.mlir.global external constant @tssa_kernels() {addr_space = 0 : i32} : !llvm.array<1 x ptr> {
        ...
        %1 = llvm.mlir.addressof @k.emulated : !llvm.ptr
        %2 = llvm.insertvalue %1, %0[0] : !llvm.array<1 x ptr>
        llvm.return %2 : !llvm.array<1 x ptr>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TSSA_TARGET_CUDA_PASSES

//===- Passes.td - passes of code for CPUs -----------------*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TARGET_CPU_PASSES
#define TSSA_TARGET_CPU_PASSES

include "mlir/Pass/PassBase.td"

def ConvertKernelsToLoops : Pass<"convert-kernels-to-loops", "::mlir::ModuleOp"> {
  let summary = "make each kernel a function of loops and vectors, as its schedule says";
  let description = [{
    A te.kernel becomes two functions. The first runs the iterations from `begin` to `end` of the
    kernel's parallel loop. The second, `@<kernel>.extent`, returns the number of iterations, the
    grain, which is the least number of iterations that one thread should get, and the number of
    floating-point operations of a launch. The schedule determines every loop, tile and vector
    (docs/decisions/0001); this pass chooses none of them. Vectors are masked at the ends of their
    loops, and elements that are not contiguous are gathered.

    - **Needs**: a schedule for every kernel (the layout stage), except for kernels of te.update and
      te.scan.
    - **Keeps**: the host program. A kernel with `te.compiled`, whose machine code is known, becomes a
      declaration and its extent function.
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
      layout.vectorize %v
      layout.bind %o to parallel
    }

    // After
    func.func @k(%arg0: memref<?xf32>, %arg1: memref<?xf32>, %arg2: memref<?xi32>, %arg3: index, %arg4: index) attributes ... {
      %c1 = arith.constant 1 : index
      scf.for %arg5 = %arg3 to %arg4 step %c1 {
        %c16 = arith.constant 16 : index
        %0 = arith.muli %arg5, %c16 : index
        %1 = vector.load %arg0[%0] : memref<?xf32>, vector<16xf32>
        %2 = arith.negf %1 : vector<16xf32>
        %c16_0 = arith.constant 16 : index
        %3 = arith.muli %arg5, %c16_0 : index
        vector.store %2, %arg1[%3] : memref<?xf32>, vector<16xf32>
      }
      return
    }
    func.func @k.extent() -> (index, index, index) {
      ...
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
    "::mlir::tssa::layout::LayoutDialect"];
}

def ExpandDots : Pass<"cpu-expand-dots", "::mlir::func::FuncOp"> {
  let summary = "compute dot products that the CPU does not have, or say so";
  let description = [{
    With `emulate`, the instructions of `layout.atom` become arithmetic on vectors with the same
    results, but for bf16 that are not normal: these count, and the instruction takes them as zero.
    Registers of matrices (Intel AMX) become memory of the function, and their instructions loops.
    Then what makes schedules, loads and sums for these instructions runs on any CPU. Without, an
    instruction that needs a feature that is not among `features` is an error, and a function that
    sets the rows of registers of matrices releases them before it returns.

    - **Needs**: nothing.
    - **Keeps**: without `emulate`, the instructions of `features`.
    - **Gives up**: an instruction that the CPU does not have.

    ```mlir
    // Before, with emulate=true
    func.func @dot(%s: vector<16xf32>, %a: vector<32xbf16>, %b: vector<32xbf16>) -> vector<16xf32> {
      %r = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%s, %a, %b) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
      return %r : vector<16xf32>
    }
    // After
    func.func @dot(%arg0: vector<16xf32>, %arg1: vector<32xbf16>, %arg2: vector<32xbf16>) -> vector<16xf32> {
      %0 = vector.bitcast %arg1 : vector<32xbf16> to vector<16xi32>
      ...
      %6 = math.fma %3, %5, %arg0 : vector<16xf32>
      ...
      %11 = math.fma %8, %10, %6 : vector<16xf32>
      return %11 : vector<16xf32>
    }
    ```
  }];
  let options = [
    Option<"emulates", "emulate", "bool", /*default=*/"false", "Compute all by other arithmetic">,
    ListOption<"features", "features", "std::string", "Features of the CPU">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def ExpandMath : Pass<"cpu-expand-math", "::mlir::ModuleOp"> {
  let summary = "expand functions of math to instructions or to calls of the host";
  let description = [{
    Compiled code has no math library to call. Functions on f32 and f64, and on vectors of these,
    become polynomials. Functions on f16 and bf16 are computed in f32. Sines, cosines and tangents
    of large f64, and remainders with a large quotient, call the host for one element at a time. A
    product with a reciprocal becomes a division, which is as fast.

    - **Needs**: nothing.
    - **Keeps**: functions that one or a few instructions compute.
    - **Gives up**: nothing.

    ```mlir
    // Before
    func.func @f(%x: f32, %d: f32, %h: f16) -> (f32, f16) {
      %one = arith.constant 1.0 : f32
      %r = arith.divf %one, %d : f32
      %y = arith.mulf %x, %r : f32
      %z = math.sqrt %h : f16
      return %y, %z : f32, f16
    }

    // After
    func.func @f(%x: f32, %d: f32, %h: f16) -> (f32, f16) {
      %0 = arith.divf %x, %d : f32
      %1 = arith.extf %h : f16 to f32
      %2 = math.sqrt %1 : f32
      %3 = arith.truncf %2 : f32 to f16
      return %0, %3 : f32, f16
    }
    ```
  }];
  let options = [Option<"avx512", "avx512", "bool", "false",
                        "use AVX-512, on vectors of any length">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def ConvertToLLVM : Pass<"cpu-convert-to-llvm", "::mlir::ModuleOp"> {
  let summary = "convert kernels and the host program to the LLVM dialect";
  let description = [{
    One conversion with the patterns of all dialects (arith, cf, func, index, math, memref, ub and
    vector) walks each function once. Functions are converted in parallel.

    - **Needs**: no scf and affine ops (`convert-scf-to-cf`, `lower-affine`), and no strided metadata
      of memrefs (`expand-strided-metadata`).
    - **Keeps**: the order of functions and globals, what is in the LLVM dialect already, and modules
      of devices.
    - **Gives up**: nothing; an op that no pattern converts stays, and the stage reports it.

    ```mlir
    // Before
    func.func @f(%x: memref<?xf32>, %i: index) -> f32 {
      %y = memref.load %x[%i] : memref<?xf32>
      return %y : f32
    }

    // After
    llvm.func @f(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: i64, %arg3: i64, %arg4: i64, %arg5: i64) -> f32 {
    ...
      %7 = llvm.getelementptr inbounds|nuw %6[%arg5] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    ...
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TSSA_TARGET_CPU_PASSES

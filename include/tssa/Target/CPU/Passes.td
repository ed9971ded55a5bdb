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
    A te.kernel becomes a function that computes the iterations from `begin` to `end`
    of its parallel loop, and a function `@<kernel>.extent` that says how many there
    are and how few are not worth a thread. The schedule determines every loop, tile
    and vector (docs/decisions/0001): this pass chooses none of them. Vectors are
    masked at the ends of their loops, and elements that are not contiguous are
    gathered.

    - **Needs**: a schedule for every kernel that is not a te.update or te.scan (stage
      layout).
    - **Keeps**: the host program.
    - **Gives up**: schedules that its kernel cannot have, with an error.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::mlir::tssa::layout::LayoutDialect"];
}

def ExpandMath : Pass<"cpu-expand-math", "::mlir::ModuleOp"> {
  let summary = "expand functions of math to instructions or to calls of the host";
  let description = [{
    Compiled code has no math library to call. The common functions on f32 become
    polynomials, also on vectors; functions on f16 and bf16 are computed in f32; all
    others call the host, one element at a time. A product with a reciprocal becomes
    a division, which is as quick.

    - **Needs**: nothing.
    - **Keeps**: functions that one or a few instructions compute.
    - **Gives up**: nothing.
  }];
  let options = [Option<"avx512", "avx512", "bool", "false",
                        "use AVX-512, on vectors of any length">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // TSSA_TARGET_CPU_PASSES

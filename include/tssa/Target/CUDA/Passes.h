//===- Passes.h - passes of code for NVIDIA GPUs ----------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TARGET_CUDA_PASSES_H
#define TSSA_TARGET_CUDA_PASSES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tssa::cuda {

#define GEN_PASS_DECL
#include "tssa/Target/CUDA/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tssa/Target/CUDA/Passes.h.inc"

} // namespace tssa::cuda

#endif // TSSA_TARGET_CUDA_PASSES_H

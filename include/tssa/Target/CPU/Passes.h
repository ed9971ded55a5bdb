//===- Passes.h - passes of code for CPUs -----------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TARGET_CPU_PASSES_H
#define TSSA_TARGET_CPU_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tssa::cpu {

#define GEN_PASS_DECL
#include "tssa/Target/CPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tssa/Target/CPU/Passes.h.inc"

} // namespace tssa::cpu

#endif // TSSA_TARGET_CPU_PASSES_H

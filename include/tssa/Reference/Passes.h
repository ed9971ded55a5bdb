//===- Passes.h - evaluation as passes -------------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_REFERENCE_PASSES_H
#define TSSA_REFERENCE_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tssa::reference {

#define GEN_PASS_DECL
#include "tssa/Reference/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tssa/Reference/Passes.h.inc"

} // namespace tssa::reference

#endif // TSSA_REFERENCE_PASSES_H

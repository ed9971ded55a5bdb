//===- Passes.h - passes of the conversions ---------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_CONVERSION_PASSES_H
#define TSSA_CONVERSION_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tssa {

#define GEN_PASS_DECL
#include "tssa/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tssa/Conversion/Passes.h.inc"

} // namespace tssa

#endif // TSSA_CONVERSION_PASSES_H

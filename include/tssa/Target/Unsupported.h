//===- Unsupported.h - errors of what a target cannot do -------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TARGET_UNSUPPORTED_H
#define TSSA_TARGET_UNSUPPORTED_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace tssa {

/// An error at `op` that is not the model's fault: the target has no way to do it.
mlir::InFlightDiagnostic emitUnsupported(mlir::Operation *op);

/// Whether `emitUnsupported` made it.
bool isUnsupported(mlir::Diagnostic &diagnostic);

} // namespace tssa

#endif // TSSA_TARGET_UNSUPPORTED_H

//===- Unsupported.h - errors that are not the program's fault --*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_SUPPORT_UNSUPPORTED_H
#define TSSA_SUPPORT_UNSUPPORTED_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace tssa {

inline constexpr llvm::StringLiteral unsupportedMark = "unsupported";

/// Reports at `op` an error that is not the program's fault: this compiler, or the target, does not
/// support the operation.
inline mlir::InFlightDiagnostic emitUnsupported(mlir::Operation *op) {
  mlir::InFlightDiagnostic diagnostic = op->emitError();
  diagnostic.getUnderlyingDiagnostic()->getMetadata().push_back(
      mlir::DiagnosticArgument(unsupportedMark));
  return diagnostic;
}

/// Whether `diagnostic` was made by `emitUnsupported`.
inline bool isUnsupported(mlir::Diagnostic &diagnostic) {
  return llvm::any_of(diagnostic.getMetadata(), [](mlir::DiagnosticArgument &argument) {
    return argument.getKind() == mlir::DiagnosticArgument::DiagnosticArgumentKind::String &&
           argument.getAsString() == unsupportedMark;
  });
}

} // namespace tssa

#endif // TSSA_SUPPORT_UNSUPPORTED_H

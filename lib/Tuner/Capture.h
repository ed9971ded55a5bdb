//===- Capture.h - diagnostics as errors ------------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TUNER_CAPTURE_H
#define LIB_TUNER_CAPTURE_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Error.h"

namespace tssa::tuner {

/// Calls `work` and returns the first error that it emits if it fails. Nothing is printed.
inline llvm::Error capture(mlir::MLIRContext &context,
                           llvm::function_ref<llvm::LogicalResult()> work) {
  std::string reason;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (reason.empty() && diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
      reason = diagnostic.str();
    return mlir::success();
  });
  if (succeeded(work()))
    return llvm::Error::success();
  return llvm::createStringError(reason.empty() ? "a pass fails without a reason" : reason);
}

} // namespace tssa::tuner

#endif // LIB_TUNER_CAPTURE_H

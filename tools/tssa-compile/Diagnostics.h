//===- Diagnostics.h - prints errors with the model's names ----*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_COMPILE_DIAGNOSTICS_H
#define TOOLS_TSSA_COMPILE_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"

namespace tssa::compile {

/// Prints errors and warnings, such as "model.onnx: error: node 'conv1': ...", and for text
/// files with line and column. Prints remarks only with `printsRemarks`.
class DiagnosticPrinter : public mlir::ScopedDiagnosticHandler {
public:
  DiagnosticPrinter(mlir::MLIRContext &context, llvm::StringRef file, bool printsRemarks);

  /// Returns whether an error said that something is not supported.
  bool sawUnsupported() const { return unsupported; }

private:
  std::string file;
  bool unsupported = false;
  void print(mlir::Diagnostic &diagnostic, llvm::StringRef indent);
};

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_DIAGNOSTICS_H

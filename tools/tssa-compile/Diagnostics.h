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

/// Prints errors and warnings, such as "model.onnx: error: node 'conv1': ...". For text files,
/// which may be files of schedules, these messages have a line and a column. If the regular
/// expression `remarks` is given, also prints the remarks of the passes whose names match it.
class DiagnosticPrinter : public mlir::ScopedDiagnosticHandler {
public:
  DiagnosticPrinter(mlir::MLIRContext &context, llvm::StringRef file,
                    const std::optional<std::string> &remarks);

  /// Returns whether an error said that something is not supported.
  bool sawUnsupported() const { return unsupported; }

private:
  std::string file;
  bool unsupported = false;
  void print(mlir::Diagnostic &diagnostic, llvm::StringRef indent);
};

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_DIAGNOSTICS_H

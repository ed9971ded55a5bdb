//===- Diagnostics.h - errors in the words of the model --------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_COMPILE_DIAGNOSTICS_H
#define TOOLS_TSSA_COMPILE_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"

namespace tssa::compile {

/// Prints "model.onnx: error: node 'conv1': ..."; text files with line and column.
/// Remarks are left to `--remarks`-like options of tssa-opt.
class DiagnosticPrinter : public mlir::ScopedDiagnosticHandler {
public:
  DiagnosticPrinter(mlir::MLIRContext &context, llvm::StringRef file);

  /// Whether an error said that something is not supported.
  bool sawUnsupported() const { return unsupported; }

private:
  std::string file;
  bool unsupported = false;
  void print(mlir::Diagnostic &diagnostic, llvm::StringRef indent);
};

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_DIAGNOSTICS_H

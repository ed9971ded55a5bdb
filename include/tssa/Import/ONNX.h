//===- ONNX.h - ONNX models to te -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_IMPORT_ONNX_H
#define TSSA_IMPORT_ONNX_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tssa/Import/Options.h"
#include "tssa/Import/Report.h"

namespace tssa {

/// Reads `path` and builds a module with one function `@main`. Null on failure; then
/// `report` says why: what is wrong with the model first and alone, else all that is not
/// supported. The module refers to bytes of the file without copying them: they
/// live as long as the context.
mlir::OwningOpRef<mlir::ModuleOp> importONNX(mlir::MLIRContext &context, llvm::StringRef path,
                                             const ImportOptions &options, ImportReport &report);

} // namespace tssa

#endif // TSSA_IMPORT_ONNX_H

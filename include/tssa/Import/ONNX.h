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

/// Reads the model at `path` and builds a module with one function `@main`. Returns null
/// on failure. Then `report` has the first error in the model or, if the model is valid,
/// everything in it that is not supported. The module refers to bytes of the file without copying
/// them; the file stays mapped as long as the context lives.
mlir::OwningOpRef<mlir::ModuleOp> importONNX(mlir::MLIRContext &context, llvm::StringRef path,
                                             const ImportOptions &options, ImportReport &report);

} // namespace tssa

#endif // TSSA_IMPORT_ONNX_H

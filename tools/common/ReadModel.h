//===- ReadModel.h - a model file as a module -------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_COMMON_READMODEL_H
#define TOOLS_COMMON_READMODEL_H

#include "mlir/IR/OwningOpRef.h"
#include "tssa/Import/Options.h"
#include "tssa/Import/Report.h"

namespace tssa {

/// Returns the module at the import stage of MODEL.onnx, of MODEL.mlir, or of PROGRAM.json, which
/// the Python package writes. Otherwise returns null, with the fault and its text in `report`. The
/// text is empty if diagnostics have said it.
mlir::OwningOpRef<mlir::ModuleOp> readModel(mlir::MLIRContext &context, const std::string &path,
                                            const ImportOptions &options, ImportReport &report);

/// Takes the files of --operators: text, and objects, which are read at once. Returns what is wrong
/// with one of them, or "".
std::string takeOperatorFiles(llvm::ArrayRef<std::string> paths, bool untrusted,
                              ImportOptions &options);

} // namespace tssa

#endif // TOOLS_COMMON_READMODEL_H

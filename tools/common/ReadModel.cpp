//===- ReadModel.cpp - a model file as a module ---------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadModel.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "tssa/Import/ONNX.h"
#include "tssa/Import/PyTorch.h"
#include "tssa/Pipeline/CheckText.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

namespace tssa {

static mlir::OwningOpRef<mlir::ModuleOp> readText(mlir::MLIRContext &context,
                                                  const std::string &path, ImportReport &report) {
  report.fault = operators::Fault::Model;
  auto file = MemoryBuffer::getFile(path);
  if (!file) {
    report.error = "cannot be read: " + file.getError().message();
    return nullptr;
  }
  if (Error error = checkText((*file)->getBuffer())) {
    report.error = toString(std::move(error));
    return nullptr;
  }
  SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*file), SMLoc());
  return mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
}

mlir::OwningOpRef<mlir::ModuleOp> readModel(mlir::MLIRContext &context, const std::string &path,
                                            const ImportOptions &options, ImportReport &report) {
  StringRef extension = sys::path::extension(path);
  if (extension == ".mlir")
    return readText(context, path, report);
  if (extension == ".json")
    return importPyTorch(context, path, options.untrusted, report);
  return importONNX(context, path, options, report);
}

} // namespace tssa

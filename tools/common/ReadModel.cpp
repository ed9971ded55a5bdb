//===- ReadModel.cpp - a model file as a module ---------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadModel.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "tssa/Import/ONNX.h"
#include "tssa/Import/PyTorch.h"
#include "tssa/Pipeline/CheckText.h"
#include "tssa/Runtime/NearName.h"
#include "tssa/Support/CheckedSize.h"
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

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

/// The most points that one expression of an untrusted model may compute, reductions included: a
/// product of 13,000 rows, columns and steps. A run cannot be stopped within an expression, and a
/// processor computes 1e9 to 1e11 points a second.
static constexpr int64_t mostUntrustedPoints = int64_t(1) << 41;

/// Returns the node that an operation comes from, for a message.
static std::string describeNode(mlir::Operation *op) {
  std::string text = "a part of the model";
  op->getLoc()->walk([&](mlir::Location loc) {
    auto name = dyn_cast<mlir::NameLoc>(loc);
    if (!name)
      return mlir::WalkResult::advance();
    text = "node '" + runtime::printable(name.getName().getValue()) + "'";
    return mlir::WalkResult::interrupt();
  });
  return text;
}

/// Checks that no expression computes too many points, as far as its sizes are known.
static mlir::LogicalResult checkPoints(mlir::ModuleOp module, ImportReport &report) {
  mlir::WalkResult result = module.walk([&](mlir::tssa::te::ExpressionOpInterface expression) {
    SmallVector<int64_t> sizes;
    for (mlir::OpFoldResult size : expression.getIterationDomain())
      sizes.push_back(mlir::tssa::te::getConstantSize(size).value_or(1));
    CheckedSize points = CheckedSize::product(sizes);
    if (points.fits(mostUntrustedPoints))
      return mlir::WalkResult::advance();
    report.fault = operators::Fault::Limit;
    report.error = describeNode(expression) + " computes " +
                   (points.isValid() ? std::to_string(*points.get()) : "more than 2^63") +
                   " points, more than the " + std::to_string(mostUntrustedPoints) +
                   " that --untrusted allows";
    return mlir::WalkResult::interrupt();
  });
  return mlir::failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static mlir::OwningOpRef<mlir::ModuleOp> readFile(mlir::MLIRContext &context,
                                                  const std::string &path,
                                                  const ImportOptions &options,
                                                  ImportReport &report) {
  StringRef extension = sys::path::extension(path);
  if (extension == ".mlir")
    return readText(context, path, report);
  if (extension == ".json")
    return importPyTorch(context, path, options.untrusted, report);
  return importONNX(context, path, options, report);
}

mlir::OwningOpRef<mlir::ModuleOp> readModel(mlir::MLIRContext &context, const std::string &path,
                                            const ImportOptions &options, ImportReport &report) {
  mlir::OwningOpRef<mlir::ModuleOp> module = readFile(context, path, options, report);
  if (module && options.untrusted && failed(checkPoints(*module, report)))
    return nullptr;
  return module;
}

} // namespace tssa

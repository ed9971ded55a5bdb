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

/// Returns the operators of all files as one module; null without files. On failure, `report` has a
/// fault.
static mlir::OwningOpRef<mlir::ModuleOp>
readOperators(mlir::MLIRContext &context, const ImportOptions &options, ImportReport &report) {
  mlir::OwningOpRef<mlir::ModuleOp> all;
  for (const std::string &path : options.operatorFiles) {
    mlir::OwningOpRef<mlir::ModuleOp> module = readText(context, path, report);
    if (!module) {
      if (!report.error.empty())
        report.error = "--operators: '" + path + "' " + report.error;
      return nullptr;
    }
    report.fault = operators::Fault::None;
    report.files.push_back(path);
    if (!all)
      all = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
    for (mlir::Operation &op : llvm::make_early_inc_range(module->getOps())) {
      auto symbol = dyn_cast<mlir::SymbolOpInterface>(op);
      if (symbol && all->lookupSymbol(symbol.getName())) {
        report.fault = operators::Fault::Model;
        report.error =
            ("--operators: '" + path + "' defines '" + symbol.getName() + "' again").str();
        return nullptr;
      }
      op.moveBefore(all->getBody(), all->getBody()->end());
    }
  }
  return all;
}

std::string takeOperatorFiles(ArrayRef<std::string> paths, bool untrusted, ImportOptions &options) {
  for (const std::string &path : paths) {
    if (sys::path::extension(path) != ".o") {
      options.operatorFiles.push_back(path);
      continue;
    }
    std::string where = "--operators: '" + path + "' ";
    if (untrusted)
      return where + "is foreign code, which --untrusted refuses";
    Expected<ForeignObject> object = readForeignObject(path);
    if (!object)
      return where + toString(object.takeError());
    for (const ForeignObject &other : options.foreignObjects)
      for (const std::string &name : object->routines)
        if (is_contained(other.routines, name))
          return where + "defines '" + name + "' again, as '" + other.path + "' does";
    options.foreignObjects.push_back(std::move(*object));
  }
  return "";
}

mlir::OwningOpRef<mlir::ModuleOp> readModel(mlir::MLIRContext &context, const std::string &path,
                                            const ImportOptions &options, ImportReport &report) {
  ImportOptions import = options;
  for (const ForeignObject &object : options.foreignObjects)
    report.files.push_back(object.path);
  mlir::OwningOpRef<mlir::ModuleOp> defined = readOperators(context, options, report);
  if (report.fault != operators::Fault::None)
    return nullptr;
  if (defined)
    import.operators = *defined;
  mlir::OwningOpRef<mlir::ModuleOp> module = readFile(context, path, import, report);
  if (module && options.untrusted && failed(checkPoints(*module, report)))
    return nullptr;
  return module;
}

} // namespace tssa

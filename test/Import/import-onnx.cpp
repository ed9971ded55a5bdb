//===- import-onnx.cpp - print what an ONNX model is imported as -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// usage: import-onnx MODEL [--untrusted] [--quiet] [--locations] [--dim NAME=N]
/// [--input-shape NAME=1x3]
///
/// Prints the module, or the error with the exit code that the compiler gives.
///
//===----------------------------------------------------------------------===//

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "tools/common/ModelSizes.h"
#include "tssa/Import/ONNX.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

int main(int argc, char **argv) {
  tssa::ImportOptions options;
  tssa::ModelSizes sizes;
  StringRef path;
  bool quiet = false, locations = false;
  for (int i = 1; i < argc; ++i) {
    StringRef arg = argv[i];
    if (arg == "--untrusted") {
      options.untrusted = true;
    } else if (arg == "--quiet") {
      quiet = true;
    } else if (arg == "--locations") {
      locations = true;
    } else if (i + 1 < argc && (arg == "--dim" || arg == "--input-shape")) {
      (arg == "--dim" ? sizes.dims : sizes.shapes).push_back(argv[++i]);
    } else {
      path = arg;
    }
  }
  if (std::string problem = tssa::readModelSizes(sizes, options); !problem.empty()) {
    errs() << "error: " << problem << "\n";
    return 2;
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  tssa::ImportReport report;
  mlir::OwningOpRef<mlir::ModuleOp> module = tssa::importONNX(context, path, options, report);
  for (const std::string &warning : report.warnings)
    errs() << path << ": warning: " << warning << "\n";
  if (!module) {
    errs() << path << ": error: " << report.error << "\n";
    switch (report.fault) {
    case tssa::operators::Fault::Unsupported:
      return 3;
    case tssa::operators::Fault::Limit:
      return 5;
    default:
      return 1;
    }
  }
  if (failed(mlir::verify(*module)))
    return 70;
  if (!quiet)
    module->print(outs(),
                  mlir::OpPrintingFlags().elideLargeElementsAttrs(64).enableDebugInfo(locations));
  return 0;
}

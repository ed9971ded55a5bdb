//===- Tasks.cpp - a model up to the kernels that are tuned ---------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tasks.h"
#include "tools/common/ReadModel.h"
#include "tssa/Pipeline/Compile.h"

using namespace llvm;

namespace tssa::tune {

int compileToTE(mlir::MLIRContext &context, const Options &options, const cpu::Machine &machine,
                mlir::OwningOpRef<mlir::ModuleOp> &module) {
  ImportReport report;
  options.tell({"read"});
  module = readModel(context, options.input, options.import, report);
  for (const std::string &warning : report.warnings)
    errs() << options.input << ": warning: " << warning << '\n';
  if (!module) {
    if (!report.error.empty())
      errs() << options.input << ": error: " << report.error << '\n';
    return getExitCode(report.fault);
  }
  CompileOptions compile;
  compile.variants = {{Target(), machine}};
  compile.precision = options.precision.resolve({machine}, /*hasDevice=*/false);
  compile.lastStage = "te";
  compile.progress = options.progress;
  Compilation compilation(compile);
  return succeeded(compilation.runStages(*module)) ? Success : ModelError;
}

} // namespace tssa::tune

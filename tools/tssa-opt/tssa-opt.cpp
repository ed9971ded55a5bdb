//===- tssa-opt.cpp - run passes on a module -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShortHelp.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tssa/Pipeline/CheckText.h"
#include "tssa/Pipeline/Compile.h"
#include "tssa/Pipeline/Stages.h"
#include "tssa/Reference/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace llvm;

#ifndef NDEBUG
/// A release build of LLVM has no option for traces, so this tool defines one. LLVM still prints
/// the traces of code that is compiled with assertions.
static cl::list<std::string> tracedPasses("debug-only", cl::CommaSeparated,
                                          cl::value_desc("pass,..."),
                                          cl::desc("Print the traces (LDBG) of these passes"));

static void enableTraces() {
  SmallVector<const char *> types;
  for (const std::string &pass : tracedPasses)
    types.push_back(pass.c_str());
  DebugFlag = !types.empty();
  setCurrentDebugTypes(types.data(), types.size());
}
#endif

/// Runs the passes of the command line on `input`.
static mlir::LogicalResult runPasses(StringRef inputName, StringRef outputName,
                                     const mlir::MlirOptMainConfig &config,
                                     mlir::DialectRegistry &registry) {
  std::string message;
  std::unique_ptr<MemoryBuffer> input = mlir::openInputFile(inputName, &message);
  std::unique_ptr<ToolOutputFile> output =
      input ? mlir::openOutputFile(outputName, &message) : nullptr;
  if (!output) {
    errs() << message << '\n';
    return mlir::failure();
  }
  if (Error error = tssa::checkText(input->getBuffer())) {
    errs() << inputName << ": error: " << toString(std::move(error)) << '\n';
    return mlir::failure();
  }
  if (failed(mlir::MlirOptMain(output->os(), std::move(input), registry, config)))
    return mlir::failure();
  output->keep();
  return mlir::success();
}

static bool wantsHelp(ArrayRef<char *> arguments) {
  return any_of(arguments, [](StringRef argument) {
    return argument == "--help" || argument == "-help" || argument == "-h";
  });
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  tssa::registerAllDialects(registry);
  tssa::registerAllPasses();
  tssa::reference::registerReferencePasses();
  std::string header = mlir::registerCLIOptions("TSSA pass driver\n", registry);
  if (wantsHelp(ArrayRef(argv, argc).drop_front())) {
    tssa::opt::printShortHelp(outs());
    return 0;
  }
  cl::SetVersionPrinter(
      [](raw_ostream &stream) { stream << "tssa-opt of " << tssa::getToolBuild() << '\n'; });
  auto [input, output] = mlir::parseCLIOptions(argc, argv, header);
#ifndef NDEBUG
  enableTraces();
#endif
  mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));
  return tssa::runWithDeepStack([&, inputName = input, outputName = output] {
    return mlir::asMainReturnCode(runPasses(inputName, outputName, config, registry));
  });
}

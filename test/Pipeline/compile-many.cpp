//===- compile-many.cpp - many compilations in one process ---------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// usage: compile-many COUNT THREADS MODEL.onnx...
///
/// Compiles the models in turn, COUNT times in all, on THREADS threads, and checks that a model
/// always gives the same bytes.
///
//===----------------------------------------------------------------------===//

#include "tssa/Import/ONNX.h"
#include "tssa/Pipeline/Compile.h"
#include "tssa/Pipeline/Threads.h"
#include "tssa/Target/MemoryFile.h"
#include "llvm/Support/InitLLVM.h"

using namespace llvm;
using namespace tssa;

static Expected<std::string> compile(StringRef path, Threads &pool, const CompileOptions &options) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.setThreadPool(pool);
  ImportReport report;
  mlir::OwningOpRef<mlir::ModuleOp> module = importONNX(context, path, {}, report);
  if (!module)
    return createStringError(report.error);
  Compilation compilation(options);
  if (failed(compilation.runStages(*module)))
    return createStringError("a stage failed");
  if (Error error = compilation.translate())
    return std::move(error);
  MemoryFile artifact;
  if (Error error = artifact.create())
    return std::move(error);
  bool wasWriting = false;
  if (Error error = compilation.writeArtifact(artifact.getPath(), wasWriting))
    return std::move(error);
  return artifact.read();
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  unsigned count, threads;
  if (argc < 4 || StringRef(argv[1]).getAsInteger(10, count) ||
      StringRef(argv[2]).getAsInteger(10, threads) || threads == 0) {
    errs() << "usage: compile-many COUNT THREADS MODEL.onnx...\n";
    return 2;
  }
  Threads pool(threads);
  CompileOptions options;
  options.variants = {{::tssa::Target(), cantFail(cpu::resolveMachine("x86-64-v3"))}};
  ArrayRef<char *> models(argv + 3, argc - 3);
  std::vector<std::string> first(models.size());
  for (unsigned i = 0; i < count; ++i) {
    size_t number = i % models.size();
    Expected<std::string> bytes = compile(models[number], pool, options);
    if (!bytes) {
      errs() << models[number] << ": " << toString(bytes.takeError()) << '\n';
      return 1;
    }
    if (first[number].empty())
      first[number] = std::move(*bytes);
    else if (first[number] != *bytes) {
      errs() << models[number] << ": compilation " << i << " gives other bytes\n";
      return 1;
    }
  }
  outs() << count << " compilations agree\n";
  return 0;
}

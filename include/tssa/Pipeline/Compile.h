//===- Compile.h - one module to one artifact ------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_PIPELINE_COMPILE_H
#define TSSA_PIPELINE_COMPILE_H

#include "tssa/Pipeline/Stages.h"
#include "tssa/Runtime/Artifact.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>

namespace tssa {

struct CompileOptions {
  cpu::Machine machine;
  /// The last stage to run.
  std::string lastStage = "target";
  /// Folder for the module after every stage; empty for none.
  std::string dumpDir;
  /// Kernels whose schedules replace those of stage layout; empty for none.
  std::string scheduleFile;
  /// Called after each stage, its promise checked; failure stops compilation.
  std::function<mlir::LogicalResult(const Stage &, mlir::ModuleOp)> afterStage;
  std::string modelName;
  std::string producer;
};

/// Seconds that a step took.
struct StepTime {
  std::string name;
  double seconds;
};

/// What a module becomes on its way to an artifact.
class Compilation {
public:
  explicit Compilation(const CompileOptions &options) : options(options) {}

  /// Runs the stages after import up to `lastStage`. Errors are diagnostics.
  mlir::LogicalResult runStages(mlir::ModuleOp module);

  /// LLVM IR, optimised and with all routines, of a module at stage target.
  llvm::Error translate(mlir::ModuleOp module);
  void printLLVM(llvm::raw_ostream &stream);
  /// Assembly text or an object.
  llvm::Error emit(bool assembly, llvm::raw_pwrite_stream &stream);
  /// The linked shared object.
  llvm::Expected<std::string> link();

  /// The manifest of a module at stage target, all but what the writer fills.
  runtime::Manifest takeManifest(mlir::ModuleOp module);
  /// The constants of a module after stage buffers; they point into the module.
  llvm::Expected<std::vector<runtime::WeightChunk>> getWeights(mlir::ModuleOp module);

  llvm::ArrayRef<StepTime> getTimes() const { return times; }

private:
  const CompileOptions &options;
  runtime::Manifest manifest;
  runtime::Variant variant;
  std::vector<StepTime> times;
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> code;
  std::unique_ptr<llvm::TargetMachine> target;
  std::vector<std::shared_ptr<void>> storage;

  mlir::LogicalResult runStage(const Stage &stage, mlir::ModuleOp module);
  mlir::LogicalResult dump(const Stage &stage, mlir::ModuleOp module, unsigned number);
};

/// Fills inputs, outputs and symbols from the attributes of `@main`, as it is
/// before stage buffers. An error names an argument or result that no caller can
/// give or take.
mlir::LogicalResult describeSignature(mlir::ModuleOp module, runtime::Manifest &manifest);

/// Gives kernels the schedules that the file `path` holds for kernels of the same
/// names. They are as `--emit=schedule` writes them; a kernel that has changed since
/// is an error.
mlir::LogicalResult replaySchedules(mlir::ModuleOp module, llvm::StringRef path);

/// Fills what is known of memory, after stage buffers.
void describeMemory(mlir::ModuleOp module, runtime::Variant &variant);

/// Fills the model's nodes and the variant's launches, after stage target.
void describeLaunches(mlir::ModuleOp module, runtime::Manifest &manifest,
                      runtime::Variant &variant);

/// "tssa <version> (LLVM <version>)".
std::string getToolBuild();

} // namespace tssa

#endif // TSSA_PIPELINE_COMPILE_H

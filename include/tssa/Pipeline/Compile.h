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
#include <memory>

namespace tssa {

struct CompileOptions {
  cpu::Machine machine;
  /// A variant of the program is made for each; not empty.
  std::vector<Target> targets = {Target()};
  /// Whether stage te merges ops into larger kernels.
  bool merges = true;
  /// Code that AddressSanitizer watches, for a process that has it. For CPUs only.
  bool sanitize = false;
  /// The last stage to run.
  std::string lastStage = "target";
  /// Folder for the module after every stage; empty for none.
  std::string dumpDir;
  /// Kernels whose schedules replace those of stage layout; empty for none. For one
  /// target only.
  std::string scheduleFile;
  /// Called after each stage, its postcondition checked; failure stops compilation.
  std::function<mlir::LogicalResult(const Stage &, mlir::ModuleOp, const Target &)> afterStage;
  std::string modelName;
  std::string producer;
};

/// Seconds that a step took.
struct StepTime {
  std::string name;
  double seconds;
};

class VariantBuild;

/// What a module becomes on its way to an artifact, once per target.
class Compilation {
public:
  explicit Compilation(const CompileOptions &options);
  ~Compilation();

  /// Runs the stages after import up to `lastStage`: on `module` for the first target,
  /// on copies of it for the others. Errors are diagnostics. `module` must live as long
  /// as this.
  mlir::LogicalResult runStages(mlir::ModuleOp module);

  /// LLVM IR, optimised and with all routines, of modules at stage target.
  llvm::Error translate();

  // What there is one of per target is that of the first.

  /// The LLVM IR of the kernels for CUDA, for others that of all.
  void printLLVM(llvm::raw_ostream &stream);
  /// Assembly text or an object of the host program.
  llvm::Error emit(bool assembly, llvm::raw_pwrite_stream &stream);
  /// The kernels for CUDA.
  llvm::Expected<std::string> emitPTX();

  /// Writes the artifact with all variants. `wasWriting` is set when the file is to
  /// blame for an error.
  llvm::Error writeArtifact(llvm::StringRef path, bool &wasWriting);

  llvm::ArrayRef<StepTime> getTimes() const { return times; }

private:
  const CompileOptions &options;
  runtime::Manifest manifest;
  std::vector<StepTime> times;
  std::vector<std::unique_ptr<VariantBuild>> variants;
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

/// Fills the model's nodes, launches and kernels, after stage target.
void describeLaunches(mlir::ModuleOp module, runtime::Manifest &manifest,
                      runtime::Variant &variant);

/// "tssa <version> (LLVM <version>)".
std::string getToolBuild();

} // namespace tssa

#endif // TSSA_PIPELINE_COMPILE_H

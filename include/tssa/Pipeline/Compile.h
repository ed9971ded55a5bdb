//===- Compile.h - compiles a module to an artifact -------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_PIPELINE_COMPILE_H
#define TSSA_PIPELINE_COMPILE_H

#include "tssa/Pipeline/Stages.h"
#include "tssa/Runtime/Artifact.h"
#include "tssa/Support/Progress.h"
#include "tssa/Target/CUDA.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>
#include <memory>

namespace tssa {

#ifdef NDEBUG
constexpr bool verifiesPassesByDefault = false;
#else
constexpr bool verifiesPassesByDefault = true;
#endif

/// What a variant of the program is for.
struct VariantTarget {
  Target target;
  cpu::Machine machine; ///< of a CPU; without a meaning for other targets
};

struct CompileOptions {
  /// Each gets a variant of the program; a run takes the first that the host can run. Must not be
  /// empty.
  std::vector<VariantTarget> variants;
  /// The GPU that schedules are chosen for, instead of the one that is known of its architecture.
  std::optional<cuda::Device> device;
  /// Whether the te stage merges ops into larger kernels.
  bool merges = true;
  /// The transformations that happen whatever they cost, or never.
  Transforms transforms;
  /// What the factors of contractions are rounded to.
  Precision precision = Precision::F32;
  /// Whether AddressSanitizer checks the code. The process that loads the code must then contain
  /// the runtime of AddressSanitizer. For CPUs only.
  bool sanitize = false;
  /// The last stage to run.
  std::string lastStage = "target";
  /// Folder to which the module is written after each stage; empty for none.
  std::string dumpDir;
  /// File of schedules for kernels (Schedules.h); empty for none. Only allowed with a single
  /// variant.
  std::string scheduleFile;
  /// Folder of records (Records.h), whose loops kernels get; empty for none. Only allowed if all
  /// targets are CPUs.
  std::string tunedDir;
  /// Rank of the points that expressions take from their spaces: 0 is what the draft model ranks
  /// first. A rank counts modulo the number of points.
  unsigned point = 0;
  /// Folder in which the machine code of kernels is kept for later compilations, as
  /// runtime::openCacheFolder opened it; empty for none.
  std::string cacheDir;
  /// The number of bytes up to which code is kept.
  uint64_t cacheLimit = uint64_t(512) << 20;
  /// Whether `translate` keeps LLVM IR for `printLLVM` and `emit`, and makes no objects for
  /// `writeArtifact`.
  bool keepsModules = false;
  /// Whether `getSchedules` returns the schedules of the kernels.
  bool keepsSchedules = false;
  /// Whether the module is verified after every pass, and not only at the ends of stages. On in
  /// builds with assertions.
  bool verifiesPasses = verifiesPassesByDefault;
  /// Called after each stage, when its postcondition has been checked. A failure stops the
  /// compilation.
  std::function<mlir::LogicalResult(const Stage &, mlir::ModuleOp, const VariantTarget &)>
      afterStage;
  /// Is told of each step that begins and of each kernel whose code is made; may be empty.
  ProgressFunction progress;
  /// Objects of users, with routines that te.extern calls.
  std::vector<std::string> foreignObjects;
  std::string modelName;
  std::string producer;
};

class VariantBuild;

/// The compilation of a module to an artifact, with a variant for each target.
class Compilation {
public:
  explicit Compilation(const CompileOptions &options);
  ~Compilation();

  /// Runs the stages from the one after import to `lastStage`: on `module` itself for the first
  /// target, on copies of it for the other targets. Errors are diagnostics. `module` must outlive
  /// this object.
  mlir::LogicalResult runStages(mlir::ModuleOp module);

  /// Makes code of the modules, which must be at the target stage, with all library routines:
  /// objects, or optimised LLVM IR.
  llvm::Error translate();

  // The following functions show the variant for the first target only.

  /// Returns what kernels took from the folder of records.
  const TunedUse &getTunedUse() const;
  /// Returns the kernels and their schedules as a file of schedules, if the options asked for it.
  llvm::StringRef getSchedules() const;
  /// Prints the LLVM IR of the kernels if the target is CUDA, else that of the whole program.
  llvm::Error printLLVM(llvm::raw_ostream &stream);
  /// Writes the host program as assembly text or as an object.
  llvm::Error emit(bool assembly, llvm::raw_pwrite_stream &stream);
  /// Returns the PTX of the kernels; only for CUDA.
  llvm::Expected<std::string> emitPTX();

  /// Writes the artifact with all variants. Sets `wasWriting` if the file at `path` is the cause of
  /// an error.
  llvm::Error writeArtifact(llvm::StringRef path, bool &wasWriting);

private:
  void shareWeights(std::vector<runtime::VariantContent> &contents) const;

  const CompileOptions &options;
  runtime::Manifest manifest;
  std::vector<std::unique_ptr<VariantBuild>> variants;
};

/// Fills the inputs, outputs and symbols of `manifest` from the attributes of `@main`. `module`
/// must be at a stage before buffers. Reports an error for an argument that no caller can pass, and
/// for a result that no caller can receive.
mlir::LogicalResult describeSignature(mlir::ModuleOp module, runtime::Manifest &manifest);

/// Fills the memory requirements of `variant` from a module after the buffers stage.
void describeMemory(mlir::ModuleOp module, runtime::Variant &variant);

/// Fills what memory `variant` needs for each thread, from a module after the loops stage.
void describeScratch(mlir::ModuleOp module, runtime::Variant &variant);

/// The bytes of their operands and results that kernels with known sizes move, by their names.
using KernelBytes = llvm::StringMap<int64_t>;

/// Counts them in a module after the buffers stage.
KernelBytes countKernelBytes(mlir::ModuleOp module);

/// Fills the nodes of the model in `manifest`, and the launches and kernels in `variant`, from a
/// module after the target stage.
void describeLaunches(mlir::ModuleOp module, const KernelBytes &bytes, runtime::Manifest &manifest,
                      runtime::Variant &variant);

/// Returns "tssa <version> (LLVM <version>)".
std::string getToolBuild();

} // namespace tssa

#endif // TSSA_PIPELINE_COMPILE_H

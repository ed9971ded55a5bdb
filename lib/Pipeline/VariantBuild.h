//===- VariantBuild.h - builds a program for one target ---------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_PIPELINE_VARIANTBUILD_H
#define LIB_PIPELINE_VARIANTBUILD_H

#include "KernelCache.h"
#include "mlir/IR/OwningOpRef.h"
#include "tssa/Pipeline/Compile.h"
#include "tssa/Pipeline/Records.h"
#include "tssa/Target/CPU/Program.h"

namespace tssa {

/// Builds one variant of an artifact, from a module at the import stage to code.
class VariantBuild {
public:
  /// `number` is the index of the variant in the manifest. `earlier` is the last variant for a CPU
  /// before it, or null; it must outlive this object.
  VariantBuild(const CompileOptions &options, unsigned number, const VariantBuild *earlier);

  /// Fills the signature in `manifest`, and the nodes known so far.
  mlir::LogicalResult runStages(mlir::ModuleOp module, runtime::Manifest &manifest);
  /// Does the same on a module that this object then owns.
  mlir::LogicalResult runStages(mlir::OwningOpRef<mlir::ModuleOp> module,
                                runtime::Manifest &manifest);

  /// Returns the schedules of the kernels, if the options asked to keep them.
  llvm::StringRef getSchedules() const { return schedules; }
  const TunedUse &getTunedUse() const { return tunedUse; }

  llvm::Error translate();
  llvm::Error printLLVM(llvm::raw_ostream &stream);
  llvm::Error emit(bool assembly, llvm::raw_pwrite_stream &stream);
  /// Returns the objects of the host program and of kernels for CPUs. Keeps those of kernels, if
  /// the options name a folder.
  std::vector<cpu::Object> takeObjects();
  /// Returns the PTX of the kernels for CUDA.
  llvm::Expected<std::string> emitPTX();
  /// Makes the images of the kernels: PTX, and a cubin if ptxas is found.
  llvm::Error makeImages();

  /// The manifest's description of the variant.
  const runtime::Variant &getDescription() const { return description; }
  llvm::Expected<runtime::VariantContent> getContent();

private:
  const CompileOptions &options;
  Target target;
  cpu::Machine machine; ///< of the host program and of kernels for CPUs
  cuda::Device device;  ///< of kernels for a GPU
  unsigned number;
  const VariantBuild *earlier;
  mlir::OwningOpRef<mlir::ModuleOp> owned;
  mlir::ModuleOp module;
  /// Copies of the module whose stores are chosen: those of tensors, then those of constants.
  mlir::OwningOpRef<mlir::ModuleOp> logical, packed;
  std::string schedules;
  TunedUse tunedUse;
  runtime::Variant description;
  KernelBytes kernelBytes;
  KernelCache cache;
  cpu::ProgramOptions programOptions;
  std::unique_ptr<cpu::Program> code;
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> kernels;
  std::unique_ptr<llvm::TargetMachine> codeGenerator; ///< for a GPU
  std::vector<std::string> images;
  std::vector<std::shared_ptr<void>> storage;

  /// Tells of a step that begins, or of a kernel of it that is done.
  void show(llvm::StringRef step, size_t done = 0, size_t kernels = 0) const;
  mlir::LogicalResult runStage(const Stage &stage);
  void recordSchedules();
  mlir::LogicalResult dump(const Stage &stage, unsigned stageNumber);
  llvm::Error translateKernels();
  llvm::Error addCubin();
  llvm::Expected<std::vector<runtime::WeightChunk>> getWeights();
};

} // namespace tssa

#endif // LIB_PIPELINE_VARIANTBUILD_H

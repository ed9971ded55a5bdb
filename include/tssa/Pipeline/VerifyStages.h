//===- VerifyStages.h - find the first stage that is wrong -----*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs a model after each stage on the same random inputs. Up to the layout stage the program is
/// evaluated as it is; after the buffers stage it is evaluated on its planned memory. After the
/// loops stage each kernel is compiled and run alone, on inputs that it had in the evaluation. The
/// finished artifact is run by the runtime. A difference from the imported model is reported with
/// the stage, the pass or kernel, and the nodes. Kernels of a device are not run alone, and kernels
/// for CUDA are not run at all.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_PIPELINE_VERIFYSTAGES_H
#define TSSA_PIPELINE_VERIFYSTAGES_H

#include "mlir/IR/OwningOpRef.h"
#include "tssa/Pipeline/Stages.h"
#include "tssa/Pipeline/VerifyKernel.h"
#include "tssa/Reference/Compare.h"
#include "tssa/Reference/Evaluator.h"
#include "tssa/Support/Progress.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace tssa {

struct VerifyOptions {
  uint64_t seed = 1;
  /// Sizes of named dims. Any other dynamic dim has size `defaultSize`.
  llvm::StringMap<int64_t> sizes;
  int64_t defaultSize = 2;
  /// For each kernel, the number of launches whose inputs are kept to run its compiled code.
  unsigned launchesPerKernel = 2;
  /// Is told of each stage and kernel that is checked; may be empty.
  ProgressFunction progress = {};
};

class StageVerifier {
public:
  StageVerifier(const cpu::Machine &machine, const Target &target, VerifyOptions options)
      : machine(machine), target(target), options(std::move(options)) {}

  /// Checks `module` as it is after `stage`. Stages must be checked in order. An error describes
  /// the mismatch.
  llvm::Error check(const Stage &stage, mlir::ModuleOp module);
  /// Checks the results of the artifact at `path`.
  llvm::Error checkArtifact(const std::string &path);

  /// Whether the imported model itself could not be run, so that nothing was compared.
  bool failedToStart() const { return expected.empty(); }
  /// Summarizes the checks that passed, such as "6 stages and 12 kernels agree with the model".
  std::string summarize() const;

private:
  using Tensors = std::vector<reference::HostTensor>;
  /// The inputs and results of one launch.
  struct Launch {
    std::string kernel, nodes;
    std::vector<reference::HostValue> inputs;
    std::vector<reference::HostTensor> outputs;
    std::vector<reference::ComparePolicy> policies;
  };

  /// Tells of a stage that is checked, and how many of its kernels are.
  void show(llvm::StringRef what, size_t done = 0, size_t kernels = 0) const;
  llvm::Error start(mlir::ModuleOp module);
  llvm::Error checkProgram(const Stage &stage, mlir::ModuleOp module);
  llvm::Error checkMemory(mlir::ModuleOp module);
  llvm::Error checkKernels(mlir::ModuleOp module);
  llvm::Error checkKernel(mlir::ModuleOp module, llvm::StringRef name,
                          llvm::ArrayRef<Launch> launches);

  llvm::Expected<Tensors> evaluate(mlir::ModuleOp module, std::vector<Launch> *launches);
  llvm::Error evaluateNarrow();
  /// Returns the error bound for result `index` of a launch, widened by how much the launch
  /// amplifies rounding.
  reference::ComparePolicy getWidePolicy(const Launch &launch, unsigned index);
  /// Describes the first result that differs from the expected one; empty if all agree.
  std::string compareResults(llvm::ArrayRef<reference::HostTensor> got);
  /// Returns the first pass of `stage` after which the module is wrong.
  std::string findPass(const Stage &stage);
  static std::string describe(const Launch &launch);
  static std::string findFirstDifference(llvm::ArrayRef<Launch> before,
                                         llvm::ArrayRef<Launch> after);
  /// Describes the first launch with an output that equals no tensor of the module before the
  /// stage.
  std::string findKernel(llvm::ArrayRef<Launch> launches);

  const cpu::Machine &machine;
  Target target;
  VerifyOptions options;
  Tensors inputs, expected;
  bool rounds = false; ///< whether the model rounds values to few bits
  std::vector<std::string> outputNames;
  /// The results with each step of a sum rounded; computed on first use.
  Tensors narrow;
  mlir::OwningOpRef<mlir::ModuleOp> imported;
  /// The module after the previous stage, and its launches.
  mlir::OwningOpRef<mlir::ModuleOp> previous;
  std::vector<Launch> previousLaunches;
  std::map<std::string, KernelSignature> signatures;
  unsigned numStages = 0, numKernels = 0;
  std::string notRun; ///< why machine code is not run; empty if it is
};

} // namespace tssa

#endif // TSSA_PIPELINE_VERIFYSTAGES_H

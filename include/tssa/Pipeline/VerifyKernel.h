//===- VerifyKernel.h - run one compiled kernel alone ----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_PIPELINE_VERIFYKERNEL_H
#define TSSA_PIPELINE_VERIFYKERNEL_H

#include "tssa/Reference/Compare.h"
#include "tssa/Reference/Evaluator.h"
#include "tssa/Target/CPU.h"

#include <memory>

namespace llvm::orc {
class LLJIT;
}

namespace tssa {

/// A kernel as machine code in this process.
class KernelRunner {
public:
  /// Compiles a scheduled kernel as stages loops and target do.
  static llvm::Expected<std::unique_ptr<KernelRunner>> create(mlir::tssa::te::KernelOp kernel,
                                                              const cpu::Machine &machine);
  /// Compiles kernel `name`, whose parameters were `types`, of a module at stage
  /// loops as stage target does.
  static llvm::Expected<std::unique_ptr<KernelRunner>>
  createFromLoops(mlir::ModuleOp module, llvm::StringRef name, llvm::ArrayRef<mlir::Type> types,
                  const cpu::Machine &machine);
  ~KernelRunner();

  /// Runs it on tensors, sizes and scalars; results have the types of `like`. All
  /// parallel iterations run, in two parts, the later one first. Results are
  /// garbage beforehand and stand between guards; an error when a guard or an input
  /// is written.
  llvm::Expected<std::vector<reference::HostTensor>>
  run(llvm::ArrayRef<reference::HostValue> inputs, llvm::ArrayRef<reference::HostTensor> like);

private:
  KernelRunner();

  std::unique_ptr<llvm::orc::LLJIT> jit;
  llvm::SmallVector<mlir::Type> types;
  /// Kernel and extent behind one pointer to slots of 8 bytes.
  void (*call)(const uint64_t *slots) = nullptr;
  void (*extent)(const uint64_t *slots, int64_t *results) = nullptr;
};

/// Bound for one result of a kernel: that of sums of as many terms as it has
/// reduction points, in the coarsest type it computes with, relative to what it
/// reads, sums and returns.
reference::ComparePolicy getPolicy(const reference::LaunchRecord &record,
                                   const reference::HostTensor &result);

} // namespace tssa

#endif // TSSA_PIPELINE_VERIFYKERNEL_H

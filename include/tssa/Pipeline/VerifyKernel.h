//===- VerifyKernel.h - run one compiled kernel alone ----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_PIPELINE_VERIFYKERNEL_H
#define TSSA_PIPELINE_VERIFYKERNEL_H

#include "tssa/Pipeline/KernelMemory.h"
#include "tssa/Reference/Compare.h"
#include "tssa/Reference/Evaluator.h"
#include "tssa/Target/CPU.h"

#include <memory>

namespace llvm::orc {
class LLJIT;
}

namespace tssa {

/// The parallel iterations of a launch.
struct KernelExtent {
  int64_t count;
  /// The number of iterations that are enough work for a thread.
  int64_t grain;
};

/// What a kernel takes and returns before the loops stage.
struct KernelSignature {
  llvm::SmallVector<mlir::Type> types; ///< of the parameters
  /// Where parameters and results lie in larger tensors; null for those that do not.
  llvm::SmallVector<mlir::tssa::te::WindowAttr> windows, resultWindows;

  static KernelSignature get(mlir::tssa::te::KernelOp kernel);
};

/// The machine code of a kernel. It has addresses of functions of this process, so it can be loaded
/// into this one, those that are forked from it, and the one that it was forked from.
struct KernelObject {
  std::string bytes;                 ///< an object file
  int64_t scratchBytes = 0;          ///< that a thread needs, if they are constant
  bool hasScratch = false;           ///< whether only a function of the object knows them
  std::string cpu;                   ///< for which it was compiled
  std::vector<std::string> features; ///< that it needs
};

/// A kernel that was compiled to machine code, as in an artifact, and loaded into this process.
class KernelRunner {
public:
  /// Compiles a scheduled kernel as the loops and target stages do. `verifiesPasses` tells whether
  /// the IR is verified after each pass, which takes a quarter of the time of these stages. Calls
  /// `afterLoops`, unless it is null, with the module between the two stages.
  static llvm::Expected<KernelObject>
  compile(mlir::tssa::te::KernelOp kernel, const cpu::Machine &machine, bool verifiesPasses = true,
          llvm::function_ref<void(mlir::ModuleOp)> afterLoops = nullptr);
  /// Loads what `compile` has returned for a kernel with this signature. Fails on a CPU that lacks
  /// features that it needs.
  static llvm::Expected<std::unique_ptr<KernelRunner>> load(const KernelObject &object,
                                                            const KernelSignature &signature);
  /// Compiles and loads.
  static llvm::Expected<std::unique_ptr<KernelRunner>> create(mlir::tssa::te::KernelOp kernel,
                                                              const cpu::Machine &machine);
  /// Compiles kernel `name` as the target stage does. `module` is at the loops stage.
  static llvm::Expected<std::unique_ptr<KernelRunner>>
  createFromLoops(mlir::ModuleOp module, llvm::StringRef name, const KernelSignature &signature,
                  const cpu::Machine &machine, bool verifiesPasses = true);
  ~KernelRunner();

  /// Runs the kernel on tensors, sizes and scalars and returns its results, which have the types of
  /// `like`. All parallel iterations run in two calls; the first call runs the second half. Buffers
  /// of results initially hold garbage and lie between guard bytes. Returns an error if guard
  /// bytes, an input, or what lies around a result in a larger tensor were overwritten.
  llvm::Expected<std::vector<reference::HostTensor>>
  run(llvm::ArrayRef<reference::HostValue> inputs, llvm::ArrayRef<reference::HostTensor> like);

  /// The types of the kernel's parameters.
  llvm::ArrayRef<mlir::Type> getTypes() const { return signature.types; }
  /// Fails if the number of iterations is negative.
  llvm::Expected<KernelExtent> getExtent(const KernelMemory &memory) const;
  /// Runs all iterations in two calls, as the other function does, and checks nothing.
  llvm::Error runInHalves(const KernelMemory &memory) const;
  /// Runs iterations [begin, end) on the slots of a KernelMemory. Any number of threads may call
  /// this at once.
  void run(llvm::ArrayRef<uint64_t> slots, int64_t begin, int64_t end) const {
    llvm::SmallVector<uint64_t, 64> own(slots);
    own.end()[-2] = begin;
    own.end()[-1] = end;
    if (scratchBytes > 0 || scratch)
      addScratch(own);
    call(own.data());
  }

private:
  KernelRunner();

  std::unique_ptr<llvm::orc::LLJIT> jit;
  KernelSignature signature;
  int64_t scratchBytes = 0; ///< that a thread needs, if they are constant
  /// Appends the slots of memory of the calling thread.
  void addScratch(llvm::SmallVectorImpl<uint64_t> &slots) const;
  /// The kernel and its extent function, each called with a pointer to slots of 8 bytes.
  void (*call)(const uint64_t *slots) = nullptr;
  void (*extent)(const uint64_t *slots, int64_t *results) = nullptr;
  void (*scratch)(const uint64_t *slots, int64_t *bytes) = nullptr; ///< if only a run knows them
};

/// Returns the error bound for one result of a kernel: the bound of a sum in the least precise type
/// with which the kernel computes. The sum has as many terms as the kernel has reduction points.
/// The bound is relative to the largest magnitude among what the kernel reads, sums and returns.
reference::ComparePolicy getPolicy(const reference::LaunchRecord &record,
                                   const reference::HostTensor &result);

} // namespace tssa

#endif // TSSA_PIPELINE_VERIFYKERNEL_H

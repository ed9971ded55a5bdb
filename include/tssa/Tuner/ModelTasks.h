//===- ModelTasks.h - the tasks of a program --------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TUNER_MODELTASKS_H
#define TSSA_TUNER_MODELTASKS_H

#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tssa/Pipeline/Records.h"
#include "tssa/Tuner/Session.h"

namespace tssa::tuner {

/// Sizes of a model's open dims, by name.
using SizePoint = std::map<std::string, int64_t>;

/// Sizes for which a model is tuned, and those up to which its loops may serve.
struct TunedPoint {
  SizePoint sizes, least, greatest;
};

/// A kernel of open sizes, with the versions that it has at the points for which a model is tuned.
struct OpenKernel {
  /// As in the program once stores are applied.
  mlir::OwningOpRef<mlir::tssa::te::KernelOp> kernel;
  llvm::SmallVector<unsigned> constants; ///< as in KernelTask
  /// For each point, the sizes with which the program launches the kernel, each once.
  std::vector<std::vector<VersionSizes>> versions;
};

/// The kernels of a program as they are tuned.
struct ModelTasks {
  /// Each once: kernels in the order of the program, then conversions, then versions.
  std::vector<PlannedTask> tasks;
  std::vector<OpenKernel> openKernels;
  /// Kernels that cannot be tuned, by the reason.
  std::map<std::string, unsigned> obstacles;
};

/// Returns the tasks of `module`, which is at the end of stage te, once the stores of tensors are
/// chosen for `machine`; conversions become tasks when the stores are applied. Kernels that have
/// stores keep them. Kernels of open sizes have tasks for their versions at `points`, and are
/// counted as obstacles where they have none. Does not change `module`. Fails with the text of a
/// diagnostic.
llvm::Expected<ModelTasks> collectTasks(mlir::ModuleOp module,
                                        const mlir::tssa::layout::MachineModel &machine,
                                        llvm::ArrayRef<TunedPoint> points = {});

/// Returns the bytes of the constants of `module`.
uint64_t countWeightBytes(mlir::ModuleOp module);

} // namespace tssa::tuner

#endif // TSSA_TUNER_MODELTASKS_H

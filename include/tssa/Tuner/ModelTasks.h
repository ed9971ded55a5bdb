//===- ModelTasks.h - the tasks of a program --------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TUNER_MODELTASKS_H
#define TSSA_TUNER_MODELTASKS_H

#include "tssa/Tuner/Session.h"

namespace tssa::tuner {

/// The kernels of a program as they are tuned.
struct ModelTasks {
  /// Each once: kernels in the order of the program, then conversions.
  std::vector<PlannedTask> tasks;
  /// Kernels that cannot be tuned, by the reason.
  std::map<std::string, unsigned> obstacles;
};

/// Returns the tasks of `module`, which is at the end of stage te, once the stores of tensors are
/// chosen for `machine`; conversions become tasks when the stores are applied. Kernels that have
/// stores keep them. Does not change `module`. Fails with the text of a diagnostic.
llvm::Expected<ModelTasks> collectTasks(mlir::ModuleOp module,
                                        const mlir::tssa::layout::MachineModel &machine);

/// Returns the bytes of the constants of `module`.
uint64_t countWeightBytes(mlir::ModuleOp module);

} // namespace tssa::tuner

#endif // TSSA_TUNER_MODELTASKS_H

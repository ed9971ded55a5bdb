//===- Tasks.h - the tasks of a model ---------------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_TUNE_TASKS_H
#define TOOLS_TSSA_TUNE_TASKS_H

#include "Options.h"
#include "tssa/Target/CPU.h"
#include "tssa/Tuner/Session.h"

namespace tssa::tune {

/// The kernels of a model as they are tuned.
struct ModelTasks {
  std::vector<tuner::PlannedTask> tasks; ///< each once, in the order of the program
  uint64_t weightBytes = 0; ///< of all constants of the model
  /// Kernels that cannot be tuned, by the reason.
  std::map<std::string, unsigned> obstacles;
};

/// Compiles the model up to where stores are chosen. On failure, reports an error and returns its
/// exit code.
int readTasks(mlir::MLIRContext &context, const Options &options, const cpu::Machine &machine,
              ModelTasks &tasks);

} // namespace tssa::tune

#endif // TOOLS_TSSA_TUNE_TASKS_H

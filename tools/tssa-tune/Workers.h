//===- Workers.h - the hosts that measure -----------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_TUNE_WORKERS_H
#define TOOLS_TSSA_TUNE_WORKERS_H

#include "Options.h"
#include "tssa/Tuner/Worker.h"

namespace tssa::tune {

/// The machine for which kernels are tuned, and what measures there.
struct Workers {
  cpu::Machine machine;
  /// Those of --worker-command, or nothing: then each session starts one here.
  std::unique_ptr<tuner::WorkerPool> pool;
};

/// Returns what all workers have in common, but the machine.
tuner::WorkerOptions getWorkerOptions(const Options &options);

/// Starts the workers of --worker-command, whose machine is that of the records. Without them, it
/// is this one.
llvm::Expected<Workers> startWorkers(const Options &options);

} // namespace tssa::tune

#endif // TOOLS_TSSA_TUNE_WORKERS_H

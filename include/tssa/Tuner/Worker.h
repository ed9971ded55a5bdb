//===- Worker.h - measures in a process of its own --------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Code of candidates runs in a worker only: a process with limits, in a process group of its own.
/// It dies with the tuner. When it crashes, hangs or takes too much memory, that is the outcome of
/// the candidate, and the next one gets a new worker.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_TUNER_WORKER_H
#define TSSA_TUNER_WORKER_H

#include "mlir/IR/MLIRContext.h"
#include "tssa/Tuner/Measurer.h"

#include <memory>

namespace tssa::tuner {

struct WorkerOptions {
  /// The program and its arguments, which make it a worker.
  std::vector<std::string> command;
  /// The machine of the code, as cpu::printMachine writes it.
  std::string machine;
  unsigned threads = 1;
  uint64_t seed = 1;         ///< of inputs
  uint64_t rotatedBytes = 0; ///< as in BenchOptions
  /// The memory that a worker may have for data, in bytes.
  uint64_t memoryLimit = uint64_t(8) << 30;
  /// How long preparing a task, building a candidate, and checking and timing it may take, in
  /// seconds. Running may take as much more as 200 runs of the fastest point need.
  double openSeconds = 120, buildSeconds = 30, runSeconds = 10;
};

/// Returns a measurer that starts a worker when it needs one.
std::unique_ptr<Measurer> createWorkerMeasurer(WorkerOptions options);

/// The main loop of a worker: serves requests from standard input until it ends, and answers on
/// standard output. Returns the exit code. `memoryLimit` is in bytes. `fault` is the name of a
/// fault that each candidate but the default gets, for tests, or empty.
int serveAsWorker(uint64_t memoryLimit, llvm::StringRef fault);

} // namespace tssa::tuner

#endif // TSSA_TUNER_WORKER_H

//===- Worker.h - measures in a process of its own --------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Code of candidates runs in a worker only: a process with limits, in a process group of its own.
/// It dies with the tuner. Commands may start workers elsewhere. When it crashes, hangs or takes
/// too much memory, that is the outcome of the candidate, and the next one gets a new worker.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_TUNER_WORKER_H
#define TSSA_TUNER_WORKER_H

#include "mlir/IR/MLIRContext.h"
#include "tssa/Target/CPU.h"
#include "tssa/Tuner/Measurer.h"
#include "tssa/Tuner/Roof.h"

#include <functional>
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

/// Where a worker runs.
struct WorkerHost {
  std::string text; ///< the machine, as cpu::printMachine writes it
  std::string epoch;
  Roof roof;
  cpu::Machine machine; ///< as the text says
};

/// A command that starts a worker, perhaps on another host.
struct WorkerCommand {
  std::string text;               ///< what errors call it
  std::vector<std::string> words; ///< the program, its path first, and its arguments
};

/// Measures by several workers on hosts of one kind. Point i of a round goes to worker i modulo
/// their number, so what is measured where does not depend on their speed. A worker that is lost is
/// started again at the next round, and others measure its points. After three losses in a row it
/// is given up. When none is left, all fail with WorkersLost.
class WorkerPool : public Measurer {
public:
  virtual const WorkerHost &getHost() const = 0;
  /// As in WorkerOptions, for the tasks that are opened from now on.
  virtual void setRotatedBytes(uint64_t bytes) = 0;
};

/// Starts a worker with each command. Fails with a sentence if one cannot be used: all must run on
/// equal machines, and have this code generator. `options` needs neither command nor machine.
/// `warn` is told which worker is given up, and why.
llvm::Expected<std::unique_ptr<WorkerPool>>
createWorkerPool(const WorkerOptions &options, llvm::ArrayRef<WorkerCommand> commands,
                 std::function<void(const std::string &)> warn);

/// Runs `serve` in another process, which dies when standard input ends: that of a worker on
/// another host is all that tells it that the tuner is gone. Returns its exit code.
int runUntilInputEnds(llvm::function_ref<int()> serve);

/// The main loop of a worker: serves requests from standard input until it ends, and answers on
/// standard output. Returns the exit code. `memoryLimit` is in bytes. `fault` is the name of a
/// fault that each candidate but the default gets, for tests, or empty.
int serveAsWorker(uint64_t memoryLimit, llvm::StringRef fault);

} // namespace tssa::tuner

#endif // TSSA_TUNER_WORKER_H

//===- WorkerProcess.h - the process of a worker ----------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TUNER_WORKERPROCESS_H
#define LIB_TUNER_WORKERPROCESS_H

#include "tssa/Tuner/Outcome.h"

#include <chrono>
#include <sys/types.h>
#include <vector>

namespace tssa::tuner {

/// A running worker, and how it ended. It ends with the thread that has started it.
class WorkerProcess {
public:
  using Clock = std::chrono::steady_clock;

  WorkerProcess() = default;
  WorkerProcess(const WorkerProcess &) = delete;
  WorkerProcess &operator=(const WorkerProcess &) = delete;
  ~WorkerProcess() { end(); }

  bool isRunning() const { return child > 0; }
  llvm::Error start(const std::vector<std::string> &command);
  /// Sends a line. A worker that has died takes nothing, which `receive` then finds.
  void send(const std::string &line);
  enum class Received { Line, Died, Late };
  /// Waits for a line until `deadline`.
  Received receive(std::string &line, Clock::time_point deadline);
  /// Ends the worker and all that it has started.
  void end();
  /// Ends the worker and returns what became of a candidate with which it died.
  Outcome getDeath();
  /// Returns whether not the worker has died, but what leads to it: a watched worker
  /// (runUntilInputEnds) never ends by a signal, and 255 is what ssh says of a lost connection.
  bool wasCutOff() const { return isCutOff; }
  /// Returns the first line that the last worker wrote to its standard error, without what a
  /// terminal would not show.
  std::string getComplaint() const;

private:
  void takeErrors();

  pid_t child = 0;
  int toChild = -1, fromChild = -1, errorsOfChild = -1;
  bool isCutOff = false;
  std::string received, errors;
};

} // namespace tssa::tuner

#endif // LIB_TUNER_WORKERPROCESS_H

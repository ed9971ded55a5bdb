//===- WorkerLink.h - the tuner's side of one worker ------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TUNER_WORKERLINK_H
#define LIB_TUNER_WORKERLINK_H

#include "Protocol.h"
#include "WorkerProcess.h"
#include "tssa/Tuner/Worker.h"

namespace tssa::tuner {

/// Talks to one worker, which is started when it is needed and again after it has ended. The worker
/// is lost when it cannot be started again, or when it runs elsewhere and the connection ended.
/// What ended a worker is the candidate that ran only if the worker is not lost.
class WorkerLink {
public:
  explicit WorkerLink(WorkerOptions options);

  /// Starts the worker and lets it say where it runs. Fails if it is of another machine or code
  /// generator than it must be.
  llvm::Expected<WorkerHost> greet();
  /// From now on, the worker must run on such a machine, and says so at each start.
  void expect(WorkerHost host) { expected = std::move(host); }
  /// Returns why a worker cannot be used whose machine is another one than that of the others.
  static std::string explainOther(const WorkerHost &host, const WorkerHost &others);
  void setRotatedBytes(uint64_t bytes) { options.rotatedBytes = bytes; }

  /// As those of Measurer, but with fewer outcomes than points if the worker is lost, or none.
  llvm::Error open(const search::Task &task, llvm::StringRef defaultPoint);
  std::vector<Outcome> measure(llvm::ArrayRef<std::string> points,
                               std::optional<double> bestSeconds);
  std::vector<Outcome> compare(llvm::ArrayRef<std::string> points);

  bool isRunning() const { return process.isRunning(); }
  /// Returns why the worker was lost.
  const std::string &getLoss() const { return loss; }

private:
  /// What became of a request.
  struct Reply {
    std::vector<Outcome> outcomes; ///< that came before the failure, if there is one
    std::optional<Outcome> failure;
    bool isBuilt = false; ///< whether the candidate of the failure was running
    bool isLost = false;
  };

  llvm::Error start();
  llvm::Error openTask();
  bool reopen();
  llvm::Expected<Answer> ask(const std::string &line, llvm::StringRef late);
  Reply request(const MeasureRequest &request);
  Reply exchange(const MeasureRequest &request);
  WorkerProcess::Clock::time_point getDeadline(bool isBuilt, size_t count) const;

  WorkerOptions options;
  std::optional<WorkerHost> expected;
  WorkerProcess process;
  OpenRequest task;
  double slowest = 0; ///< the longest time of a run so far, in seconds
  std::string loss;
};

} // namespace tssa::tuner

#endif // LIB_TUNER_WORKERLINK_H

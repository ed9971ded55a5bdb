//===- SessionRunner.h - runs sessions on a database ------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_TUNE_SESSIONRUNNER_H
#define TOOLS_TSSA_TUNE_SESSIONRUNNER_H

#include "Options.h"
#include "Progress.h"
#include "Workers.h"
#include "tssa/Target/CPU.h"

#include <chrono>

namespace tssa::tune {

using Clock = std::chrono::steady_clock;

/// What a session may use.
struct Budget {
  uint64_t trials = 0;                       ///< of all its tasks, with earlier ones
  std::optional<Clock::time_point> deadline; ///< after which no round begins
  uint64_t trialsOfTask = 0;                 ///< that each task may have; 0 is no limit
  bool decides = true;                       ///< whether finals are held and records made
};

/// Runs sessions: proposes, measures in a worker, writes trials, and records what wins.
class SessionRunner {
public:
  /// `weightBytes` is what the constants of the model take.
  SessionRunner(const Options &options, Workers &workers, search::Database &database,
                uint64_t weightBytes);

  /// Returns those of `tasks` that have no record, or all of them with --continue. Fails if the
  /// database has another kernel under the key of a task.
  llvm::Expected<std::vector<tuner::PlannedTask>>
  findOpen(llvm::ArrayRef<tuner::PlannedTask> tasks);
  /// Runs a session on `tasks`, and says what came of it.
  llvm::Error run(mlir::MLIRContext &context, std::vector<tuner::PlannedTask> tasks,
                  const Budget &budget);
  /// Returns the number of the last session that was run, or nothing.
  std::optional<int64_t> getLastSession() const {
    return session ? std::optional(number) : std::nullopt;
  }
  /// Whether loops that are not the default were recorded.
  bool hasRecorded() const { return isRecorded; }
  /// Returns the roof of the machine, which the first session measures.
  const tuner::Roof &getRoof();
  /// Returns the recorded seconds of a task, or nothing.
  llvm::Expected<std::optional<double>> getSeconds(llvm::StringRef key);
  /// Returns the recorded seconds of a task, or else those of its fastest trial, or nothing.
  llvm::Expected<std::optional<double>> getBestSeconds(llvm::StringRef key);

private:
  llvm::Error prepare(mlir::MLIRContext &context, std::vector<tuner::PlannedTask> tasks,
                      const Budget &budget);
  llvm::Error searchAll(const Budget &budget);
  llvm::Error runRound(const tuner::Session::Round &round);
  llvm::Expected<std::vector<tuner::Outcome>> compareOneByOne(llvm::ArrayRef<std::string> texts);
  llvm::Error decide(size_t task);
  llvm::Error record(size_t task, const tuner::Final &final);
  /// Gives the measurer the task unless it has it.
  llvm::Error open(size_t task);

  const Options &options;
  const cpu::Machine &machine;
  search::Database &database;
  std::string machineId, epoch; ///< as trials name them
  Progress progress;
  std::unique_ptr<tuner::Measurer> own; ///< without workers elsewhere
  tuner::Measurer *measurer = nullptr;
  std::optional<tuner::Roof> roof;
  std::unique_ptr<tuner::Session> session;
  int64_t number = 0, numRounds = 0;
  std::optional<size_t> opened;
  bool isRecorded = false;
};

} // namespace tssa::tune

#endif // TOOLS_TSSA_TUNE_SESSIONRUNNER_H

//===- Session.h - the tuning of the kernels of a model ---------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A session shares a budget of trials, or of time, among tasks. Each round goes to the task from
/// which most is expected: its calls times its time times what its last rounds have gained. A task
/// leaves when it is at 97 % of its roof, when its search ends, or when all that it could gain is
/// less than 0.2 % of the model. At the end, the best five points of a task and its default are
/// timed in turns; a point becomes the record only if it is more than 1 % faster than the default.
///
/// All of a session's decisions follow from its plan and its trials, which the database has. So a
/// session that was killed goes on, and `replay` derives every proposal again.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_TUNER_SESSION_H
#define TSSA_TUNER_SESSION_H

#include "tssa/Tuner/Measurer.h"
#include "tssa/Tuner/Roof.h"
#include "tssa/Tuner/TaskSearch.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>
#include <map>

namespace tssa::tuner {

/// A task and how often one run of the model computes it.
struct PlannedTask {
  search::Task task;
  std::string name; ///< of its first kernel, for people
  double calls = 1;
  /// How many trials the database had when the session began.
  uint64_t earlier = 0;
  /// The nodes of the model that its first launch computes, and the types of its operands and
  /// results, such as `f32[1,64,56,56], f32[64,64] -> f32[1,64,56,56]`; for people.
  std::string nodes = {}, types = {};
};

/// What a session is told before it begins. Its text is in the database.
struct Plan {
  std::string model; ///< the name of its file, for people
  SearchOptions search;
  /// How many trials the tasks may have together, with earlier ones.
  uint64_t trials = 0;
  /// How many each task may have, with earlier ones; the task with the fewest comes next. With 0
  /// there is no limit, and the next one is the one that promises most.
  uint64_t trialsOfTask = 0;
  unsigned threads = 1;
  std::string machine, epoch; ///< as records name them
  /// The library of the cost model with its version; empty if it ranks nothing, or in old plans.
  std::string ranker;
  /// The machine as cpu::printMachine writes it: the spaces of the tasks depend on it.
  std::string machineText;
  Roof roof;
  /// The last trial of the database when the session began: the cost model also learns from those
  /// of other tasks up to it.
  int64_t lastTrial = 0;
  std::vector<PlannedTask> tasks;

  /// Prints the plan as JSON, without the texts of the tasks.
  std::string print() const;
  /// Reads what `print` has written. Fails with a sentence.
  static llvm::Expected<Plan> parse(llvm::StringRef text);
};

/// The fastest point of a task at the end, against its default.
struct Final {
  search::Point point;
  double seconds = 0, defaultSeconds = 0;
  bool isDefault = true;
};

/// A task of a running session.
struct TaskState {
  PlannedTask planned;
  std::unique_ptr<TaskSearch> search; ///< null if there is an obstacle from the start
  std::string obstacle;               ///< why it is not tuned; empty if it is
  /// The least time for the operations that it must do, and the least time if its memory is read
  /// once too. What memory allows depends on the caches, so only the first ends a search.
  double leastSeconds = 0, roofSeconds = 0;
  uint64_t trials = 0; ///< of this session
  std::map<search::TrialStatus, uint64_t> failures;
  std::optional<Final> final;

  /// Seconds of one run of the model in this kernel: the best ones so far, or 0.
  double getModelSeconds() const;
};

class Session {
public:
  /// Makes the session of `plan`. `trials` are the earlier trials of each task, of this machine and
  /// epoch, in the order of the database. A task that has no space gets an obstacle.
  static llvm::Expected<std::unique_ptr<Session>>
  create(Plan plan, llvm::ArrayRef<std::vector<search::Trial>> trials, mlir::MLIRContext &context,
         const mlir::tssa::layout::MachineModel &machine);

  /// Gives the cost model what `database` has of tasks that are not in the plan. To be called
  /// before the first round.
  llvm::Error learnFromOthers(search::Database &database);

  const Plan &getPlan() const { return plan; }
  /// The hash of the names of features; 0 if no task has a space.
  uint64_t getFeatureHash() const { return model ? model->getFeatureHash() : 0; }
  llvm::ArrayRef<TaskState> getTasks() const { return tasks; }
  uint64_t countTrials() const; ///< with earlier ones

  /// A round: which task, and which points.
  struct Round {
    size_t task = 0;
    std::vector<search::Point> points;
  };
  /// Proposes the next round, or nothing if the budget is used up or all tasks are finished.
  llvm::Expected<std::optional<Round>> propose();
  /// Takes what came of a round.
  void add(const Round &round, llvm::ArrayRef<Outcome> outcomes);
  /// Takes note that the task of a round cannot be measured.
  void giveUp(const Round &round, llvm::StringRef obstacle);

  /// The points that the final of a task compares: the default first, then the best five. There are
  /// none if the default was not measured.
  std::vector<search::Point> getFinalists(size_t task) const;
  void setFinal(size_t task, Final final) { tasks[task].final = std::move(final); }

private:
  Session() = default;
  std::vector<ForeignPoint> findForeign(size_t task) const;
  std::optional<size_t> chooseTask();
  std::optional<size_t> chooseFewest();
  void dropFinished();
  double getExpectedGain(const TaskState &state) const;

  Plan plan;
  std::vector<TaskState> tasks;
  std::optional<search::CostModel> model;
  std::vector<search::Row> rows;
  uint64_t numEarlier = 0;
};

/// Derives the proposals of a recorded session again, for the machine of its plan. Fails with a
/// sentence that names the first proposal that differs, or what the database lacks. Returns the
/// number of proposals.
llvm::Expected<uint64_t> replay(search::Database &database, int64_t session,
                                mlir::MLIRContext &context);

} // namespace tssa::tuner

#endif // TSSA_TUNER_SESSION_H

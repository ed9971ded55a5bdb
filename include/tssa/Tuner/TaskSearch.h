//===- TaskSearch.h - the search for the loops of one task ------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A round of a task proposes a batch of points: mutations of the best ones and random ones from
/// the sampler, the draft's picks, and the best points of other tasks. The draft keeps 256 of them,
/// and the cost model ranks those. A batch of eight has the three best steps of one knob around the
/// two fastest points, four that lie far apart among the best 32, and one at random
/// (Search/Batch.h). The default is the first of all. After four rounds without a gain of 0.5 %,
/// only steps follow, until they gain nothing.
///
/// What is proposed is a function of the seed, the task, the earlier trials and the model: a
/// session is replayed from its trials.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_TUNER_TASKSEARCH_H
#define TSSA_TUNER_TASKSEARCH_H

#include "tssa/Search/Batch.h"
#include "tssa/Search/Database.h"
#include "tssa/Search/Sampler.h"
#include "tssa/Tuner/KernelSpace.h"

namespace tssa::tuner {

/// Sorts from the best score to the worst. Those of equal scores keep their order.
void sortByScore(std::vector<search::Candidate> &candidates);

/// How many points a round has.
inline constexpr size_t pointsOfRound = 8;
/// With fewer measured points of a task, the draft ranks instead of the model.
inline constexpr size_t fewMeasured = 16;

/// Trains `model` on `rows` and makes what it predicts the scores of `candidates`. Returns false,
/// and leaves the scores, if it does not predict.
llvm::Expected<bool> scoreByModel(const KernelSpace &space, search::CostModel &model,
                                  llvm::ArrayRef<search::Row> rows,
                                  std::vector<search::Candidate> &candidates);

struct SearchOptions {
  uint64_t seed = 1;
  /// `evolution`, `random`, `coordinates` or `ppo`.
  std::string sampler = "evolution";
  /// How points are ranked. `Model` ranks by the draft until the task has 16 measured points.
  /// Without a ranking, the points of the sampler are taken as they come, until the budget is used.
  enum Ranking { Model, DraftOnly, None } ranking = Model;
};

/// A point of another task.
struct ForeignPoint {
  const KernelSpace &space;
  search::Point point;
};

class TaskSearch {
public:
  /// Makes the search of `task`, for a machine and in a context. Fails with a sentence if the
  /// task's text is damaged, or if its kernel has no space.
  static llvm::Expected<std::unique_ptr<TaskSearch>>
  create(const search::Task &task, mlir::MLIRContext &context,
         const mlir::tssa::layout::MachineModel &machine, const SearchOptions &options);

  const search::Task &getTask() const { return task; }
  const TaskKernel &getKernel() const { return *kernel; }
  const KernelSpace &getSpace() const { return *space; }
  uint64_t getNumber() const { return number; }

  /// Takes over an earlier trial, before the first round. Returns false if its point is not one of
  /// this space.
  bool addEarlier(const search::Trial &trial);

  /// Proposes up to `count` points for the next round, in canonical form and none twice. There are
  /// none if the search is finished. `rows` are the measured rows of all tasks of the session.
  llvm::Expected<std::vector<search::Point>> propose(size_t count, search::CostModel &model,
                                                     llvm::ArrayRef<search::Row> rows,
                                                     llvm::ArrayRef<ForeignPoint> foreign);
  /// Takes the times of what was proposed; none where a point failed.
  void add(llvm::ArrayRef<search::Point> points, llvm::ArrayRef<std::optional<double>> seconds);

  /// Ends the search: nothing is proposed any more.
  void finish() { phase = Phase::Finished; }
  bool isFinished() const { return phase == Phase::Finished; }

  llvm::ArrayRef<search::Measured> getHistory() const { return history; }
  /// The row of a measured point, for the cost model.
  search::Row getRow(const search::Measured &measured) const;
  /// The time of the default and the best time; none if not measured.
  std::optional<double> getDefaultSeconds() const;
  std::optional<double> getBestSeconds() const;
  /// The `count` fastest points, best first; of equally fast ones the earlier first.
  std::vector<search::Measured> getBest(size_t count) const;
  /// The share of its best time that a round has gained of late, the mean of the last two. 1 before
  /// the first round.
  double getSlope() const;
  unsigned getNumRounds() const { return numRounds; }

private:
  enum class Phase { Search, Steps, Finished };

  TaskSearch() = default;
  std::vector<search::Candidate> collect(llvm::ArrayRef<ForeignPoint> foreign,
                                         search::Random &random);
  std::vector<search::Candidate> collectSteps(search::Random &random);
  llvm::Error rank(std::vector<search::Candidate> &candidates, search::CostModel &model,
                   llvm::ArrayRef<search::Row> rows);
  std::vector<double> draft(llvm::ArrayRef<search::Point> points) const;
  bool isKnown(const search::Point &point) const;
  size_t countMeasured() const;
  void addToHistory(search::Point point, std::optional<double> seconds);
  void endRound();

  search::Task task;
  uint64_t number = 0; ///< of the task, in streams of random numbers and in rows
  SearchOptions options;
  std::unique_ptr<TaskKernel> kernel;
  std::unique_ptr<KernelSpace> space;
  std::unique_ptr<search::Sampler> sampler, steps;
  std::vector<search::Measured> history;
  std::vector<std::string> known; ///< texts of the points of `history`, sorted
  Phase phase = Phase::Search;
  unsigned numRounds = 0, numEarlier = 0, numIdle = 0;
  std::vector<double> bestAfterRound;
};

} // namespace tssa::tuner

#endif // TSSA_TUNER_TASKSEARCH_H

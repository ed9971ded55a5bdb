//===- JointSearch.h - layouts and loops searched together ------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The joint stage of ALT (section 5.2), for all kernels at once, by successive halving instead of
/// reinforcement learning (K. Jamieson, A. Talwalkar, "Non-stochastic Best Arm Identification and
/// Hyperparameter Optimization", AISTATS 2016):
///
/// 1. For each sum of products, some layouts of its ends are drawn and ranked by the draft; the
///    best and some that lie far apart get 8 trials of loops each, as does the compiler's choice.
/// 2. Three eighths of them get 16 more trials, and one eighth 32 more: those with the least time,
///    in which conversions count that no choice of another kernel avoids.
/// 3. Other kernels may follow their neighbours. The layouts of all kernels are chosen from what
///    was measured, and from predictions where nothing was. What is chosen is measured before it is
///    taken, and the choice is made again.
///
/// What comes of it are records of ends, if they make the program faster than the compiler's
/// layouts do as far as its kernels tell.
///
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_TUNE_JOINTSEARCH_H
#define TOOLS_TSSA_TUNE_JOINTSEARCH_H

#include "SessionRunner.h"
#include "tssa/Tuner/ProgramLayouts.h"

namespace tssa::tune {

/// Other layouts than the compiler's.
struct JointResult {
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< with the layouts; null if there are none
  std::vector<std::string> records;         ///< their records of ends
};

class JointSearch {
public:
  /// `module` is at the end of stage te.
  JointSearch(const Options &options, const cpu::Machine &machine, SessionRunner &runner,
              mlir::ModuleOp module)
      : options(options), machine(machine), runner(runner), module(module) {}

  /// Searches until the budget is used.
  llvm::Expected<JointResult> run(const Budget &budget);

private:
  /// A layout of one kernel in the race.
  struct Runner {
    size_t node;
    uint32_t option;
  };

  void chooseRunners(const Budget &budget);
  void addRunners(size_t node, size_t count);
  llvm::Error race(const Budget &budget);
  void dropSlow(double share);
  /// Gives each of `tasks` so many trials, with earlier ones.
  llvm::Error measure(std::vector<search::Task> tasks, uint64_t trials,
                      std::optional<Clock::time_point> deadline);
  bool leads(size_t node, uint32_t option);
  /// Chooses from what was measured, and from predictions unless `onlyMeasured`.
  llvm::Expected<search::Choice> choose(bool onlyMeasured);
  llvm::Expected<std::optional<search::Choice>> chooseMeasured(const Budget &budget);
  /// Returns the tasks of the program with these options that were not measured.
  std::vector<search::Task> findUnmeasured(const search::Choice &choice);
  std::vector<std::string> makeRecords(const search::Choice &choice);
  /// Returns what people call a task of the race: its kernel and layouts, or a conversion.
  std::string getName(llvm::StringRef key) const;
  /// Says how fast the layouts of a kernel are that were measured.
  void describe(size_t node);

  /// Returns the measured seconds of a task, or those that are predicted.
  double getSeconds(const search::Task &task);
  /// Returns the measured seconds of a conversion, or nothing.
  std::optional<double> getMeasured(mlir::RankedTensorType type,
                                    const mlir::tssa::layout::LayoutMap &from,
                                    const mlir::tssa::layout::LayoutMap &to);
  /// Returns the same, or what it takes to move the bytes.
  double getSeconds(mlir::RankedTensorType type, const mlir::tssa::layout::LayoutMap &from,
                    const mlir::tssa::layout::LayoutMap &to);
  llvm::Expected<search::ChoiceGraph> makeGraph(bool onlyMeasured);
  template <typename Use> auto withTimes(Use use);
  std::optional<double> getMeasured(const search::Task &task);
  /// Returns the seconds of all launches of a kernel in one run; nothing if one was not measured.
  std::optional<double> getMeasured(const tuner::KernelOption &option);
  /// Returns the cycles that the draft predicts for them.
  double predict(const tuner::KernelOption &option);
  /// Returns the cycles that the draft predicts for the default loops; nothing without a space.
  std::optional<double> predict(const search::Task &task);
  void calibrate();

  const Options &options;
  const cpu::Machine &machine;
  SessionRunner &runner;
  mlir::ModuleOp module;
  std::unique_ptr<tuner::ProgramLayouts> layouts;
  std::vector<Runner> runners;
  double secondsPerCycle = 0;
  std::map<std::string, std::optional<double>> predictions, measured; ///< by key
};

} // namespace tssa::tune

#endif // TOOLS_TSSA_TUNE_JOINTSEARCH_H

//===- EndsSearch.h - other layouts between kernels -------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_TUNE_ENDSSEARCH_H
#define TOOLS_TSSA_TUNE_ENDSSEARCH_H

#include "SessionRunner.h"
#include "tssa/Tuner/ModelTasks.h"

namespace tssa::tune {

/// Tries other layouts for the ends of kernels. With them the program has other tasks: the kernel,
/// its neighbours, and conversions. Where the draft does not predict that these are much slower,
/// they get a short search, and the layouts are taken, and recorded, if all tasks that are new take
/// less time than those that they replace.
class EndsSearch {
public:
  /// `module` is at the end of stage te, and `model` are its tasks.
  EndsSearch(const Options &options, const cpu::Machine &machine, SessionRunner &runner,
             mlir::ModuleOp module, const tuner::ModelTasks &model);

  bool hasChoices() const { return !choices.empty(); }
  /// Tries layouts until the budget is used. The tasks of the model have been searched.
  llvm::Error run(Budget budget);

private:
  /// Layouts for the ends of a kernel of the module.
  struct Choice {
    std::string kernel;
    std::vector<unsigned> constants; ///< parameters
    tuner::EndsChoice ends;
    double gain = 0; ///< that is predicted, in cycles of a run of the model; may be negative
  };
  /// What the tasks take that a choice replaces, and those that it adds, of a run of the model.
  struct Difference {
    double before = 0, after = 0;
  };
  using GetTime =
      llvm::function_ref<llvm::Expected<std::optional<double>>(const tuner::PlannedTask &)>;

  void findChoices();
  /// Returns the program with the layouts, or null if they do not fit it.
  mlir::OwningOpRef<mlir::ModuleOp> change(const Choice &choice) const;
  llvm::Error tryChoice(const Choice &choice, Budget &budget);
  /// Compares the times of the tasks `other` with those of the program. Returns nothing if a task
  /// has no time.
  llvm::Expected<std::optional<Difference>> compare(const tuner::ModelTasks &other,
                                                    GetTime getTime) const;
  /// Returns the cycles that the draft predicts for the default of a task; nothing if it has no
  /// space.
  std::optional<double> predict(const tuner::PlannedTask &task);
  llvm::Error record(const Choice &choice, const Difference &difference) const;

  const Options &options;
  const cpu::Machine &machine;
  SessionRunner &runner;
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< with the layouts that were taken
  std::vector<tuner::PlannedTask> tasks;    ///< of `module`
  std::vector<Choice> choices;              ///< the most promising first
  std::map<std::string, std::optional<double>> predictions; ///< by key
};

} // namespace tssa::tune

#endif // TOOLS_TSSA_TUNE_ENDSSEARCH_H

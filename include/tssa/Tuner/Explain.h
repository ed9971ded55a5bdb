//===- Explain.h - a task, its space and its best points --------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TUNER_EXPLAIN_H
#define TSSA_TUNER_EXPLAIN_H

#include "tssa/Target/CPU.h"
#include "tssa/Tuner/Session.h"

namespace tssa::tuner {

/// A task as the user names it.
struct NamedTask {
  search::Task task;
  std::string name; ///< in the last session; empty if that has not the task
};

/// Finds the task with the key or the only one with a key that begins with `text`, or the one that
/// has this name in the last session. Fails with a sentence.
llvm::Expected<NamedTask> findTask(search::Database &database, llvm::StringRef text);

/// Returns the rank correlation (Spearman's rho) of two lists of equal length, with mean ranks for
/// equal numbers; none of fewer than three pairs or if a list has only equal numbers.
std::optional<double> getRankCorrelation(llvm::ArrayRef<double> a, llvm::ArrayRef<double> b);

/// Returns a text of at most 100 columns, beside the text of the task: its sizes, its space, and
/// the best ten of its trials on the machine and with the epoch and the threads of `plan`, whose
/// roof it takes. Fails with a sentence.
llvm::Expected<std::string> explain(const NamedTask &named, const Plan &plan,
                                    llvm::ArrayRef<search::Trial> trials,
                                    mlir::MLIRContext &context, const cpu::Machine &machine);

} // namespace tssa::tuner

#endif // TSSA_TUNER_EXPLAIN_H

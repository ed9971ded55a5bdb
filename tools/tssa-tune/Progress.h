//===- Progress.h - shows a session while it runs ---------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_TUNE_PROGRESS_H
#define TOOLS_TSSA_TUNE_PROGRESS_H

#include "tssa/Tuner/Session.h"
#include "llvm/Support/raw_ostream.h"

namespace tssa::tune {

/// Shows a session: on a terminal a table that is written again after each round, with as many rows
/// as fit, else one line for each round.
class Progress {
public:
  Progress(llvm::raw_ostream &stream, bool isTerminal) : stream(stream), isTerminal(isTerminal) {}

  /// Shows what round of task number `task` came to. `left` is the time that is left, in seconds;
  /// none without a limit.
  void showRound(const tuner::Session &session, size_t task, std::optional<double> left);
  /// Shows the table at the end, with all rows and the time of all kernels in one run of the model.
  void showEnd(const tuner::Session &session);
  /// Removes the table of a session that ends, if there is one.
  void erase();

private:
  void printTable(const tuner::Session &session, std::optional<double> left, size_t mostRows);
  void endLine();
  void printLine(const tuner::TaskState &state);

  llvm::raw_ostream &stream;
  bool isTerminal;
  unsigned numLines = 0; ///< of the table on the terminal
};

} // namespace tssa::tune

#endif // TOOLS_TSSA_TUNE_PROGRESS_H

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

/// Shows a session: on a terminal a table that is written again after each round, else one line for
/// each round.
class Progress {
public:
  Progress(llvm::raw_ostream &stream, bool isTerminal) : stream(stream), isTerminal(isTerminal) {}

  /// Shows what round of task number `task` came to. `left` is the time that is left, in seconds;
  /// none without a limit.
  void showRound(const tuner::Session &session, size_t task, std::optional<double> left);
  /// Shows the table at the end.
  void showEnd(const tuner::Session &session);

private:
  void printTable(const tuner::Session &session, std::optional<double> left);
  void printLine(const tuner::TaskState &state);

  llvm::raw_ostream &stream;
  bool isTerminal;
  unsigned numLines = 0; ///< of the table on the terminal
};

} // namespace tssa::tune

#endif // TOOLS_TSSA_TUNE_PROGRESS_H

//===- ProgressLine.h - a line that tells what a tool does -----*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_COMMON_PROGRESSLINE_H
#define TOOLS_COMMON_PROGRESSLINE_H

#include "tssa/Support/Progress.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <sys/types.h>
#include <thread>

namespace tssa::tools {

/// Returns an event in words, such as "code, 12 of 113 kernels".
std::string describe(const ProgressEvent &event);

/// Returns how many lines a terminal has that a file descriptor writes to, or 24.
unsigned getTerminalHeight(int file);

/// A line at the end of a terminal that tells what the job does and for how long it has run. It
/// appears after a second and is drawn again twice a second, so that a user sees that the job is
/// alive. Where standard error is no terminal, nothing is drawn and no thread is started.
class ProgressLine {
public:
  /// `job` is what the line begins with, such as the name of a file.
  explicit ProgressLine(std::string job);
  /// Ends the line.
  ~ProgressLine() { end(); }

  /// Tells what the job does now. Any thread may call it.
  void show(const ProgressEvent &event);
  /// Makes room for other text on the terminal. The line appears again with the next drawing.
  void erase();
  /// Erases the line for good.
  void end();

  bool isShown() const { return isTerminal; }

private:
  using Clock = std::chrono::steady_clock;

  void run();
  void draw();

  std::string job, text;
  bool isTerminal;
  pid_t owner; ///< a fork of the process has no line
  bool isEnding = false;
  Clock::time_point start = Clock::now(), erased = start;
  std::mutex mutex;
  std::condition_variable ended;
  std::thread thread;
};

/// Erases the line of this process if one is drawn. For handlers of signals that end the process.
void eraseProgressLine();

} // namespace tssa::tools

#endif // TOOLS_COMMON_PROGRESSLINE_H

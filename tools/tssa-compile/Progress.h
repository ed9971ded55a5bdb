//===- Progress.h - tells what the compiler does ---------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_COMPILE_PROGRESS_H
#define TOOLS_TSSA_COMPILE_PROGRESS_H

#include "Options.h"
#include "tools/common/LineEraser.h"

namespace tssa::compile {

/// Tells the events of a compilation to whoever wants to know: on a terminal by a line, with
/// --verbose by a line for each step, and with --progress-fd by lines of JSON.
class Progress {
public:
  explicit Progress(const Options &options);
  ~Progress() { endStep(); }

  /// Takes an event; any thread may call it.
  void show(const ProgressEvent &event);
  ProgressFunction getFunction();

private:
  using Clock = std::chrono::steady_clock;

  void endStep();
  void write(const ProgressEvent &event, bool isNew);

  const Options &options;
  tools::ProgressLine line;
  tools::LineEraser eraser;
  std::mutex mutex;
  ProgressEvent current;
  Clock::time_point begin, written;
};

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_PROGRESS_H

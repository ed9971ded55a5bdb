//===- Progress.h - reports slow steps on a terminal -----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_COMPILE_PROGRESS_H
#define TOOLS_TSSA_COMPILE_PROGRESS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

namespace tssa::compile {

/// Prints the steps that took more than a second, if the standard error is a terminal.
class Progress {
public:
  /// Ends the current step, which is called `name`.
  void endStep(llvm::StringRef name) {
    auto now = Clock::now();
    double seconds = std::chrono::duration<double>(now - start).count();
    start = now;
    if (seconds > 1 && llvm::sys::Process::StandardErrIsDisplayed())
      llvm::errs() << "  " << name << llvm::format(" %.1f s\n", seconds);
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
};

} // namespace tssa::compile

#endif // TOOLS_TSSA_COMPILE_PROGRESS_H

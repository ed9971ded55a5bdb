//===- Interrupt.cpp - ending a search early ------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interrupt.h"
#include "tools/common/ProgressLine.h"

#include <csignal>
#include <unistd.h>

namespace tssa::tune {

static volatile std::sig_atomic_t wasInterrupted = 0;

/// Only calls that are safe in a handler.
static void interrupt(int number) {
  static constexpr char text[] = "\ntssa-tune: interrupted; the loops that were found are compared "
                                 "and recorded (again: end at once)\n";
  wasInterrupted = 1;
  tools::eraseProgressLine();
  std::signal(number, SIG_DFL);
  if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
    return; // nobody reads it
}

void takeInterrupts() {
  if (std::signal(SIGINT, interrupt) == SIG_IGN)
    std::signal(SIGINT, SIG_IGN);
}

bool isInterrupted() { return wasInterrupted != 0; }

} // namespace tssa::tune

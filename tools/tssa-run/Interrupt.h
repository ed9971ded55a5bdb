//===- Interrupt.h - what SIGINT and SIGTERM leave behind ------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Nothing: a thread waits for the signals, removes what is temporary, and ends the
/// program by the same signal.
///
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_RUN_INTERRUPT_H
#define TOOLS_TSSA_RUN_INTERRUPT_H

#include <mutex>
#include <string>
#include <sys/types.h>

namespace tssa::run {

/// Call once, before there are threads. A process started later must unblock the two
/// signals for itself.
void watchInterrupts();

/// Removes what is temporary, and ends the program by `signal`.
[[noreturn]] void endBySignal(int signal);

/// While it lives, signals wait: for files that are half written, and for changes of
/// what follows.
std::unique_lock<std::mutex> holdInterrupts();

/// A folder that goes with the program; empty for none. Hold the signals.
void setTemporaryFolder(const std::string &folder);
/// A process that is told of the signal first, and waited for; 0 for none. Hold the
/// signals.
void setChild(pid_t child);

} // namespace tssa::run

#endif // TOOLS_TSSA_RUN_INTERRUPT_H

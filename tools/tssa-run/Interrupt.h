//===- Interrupt.h - cleans up after SIGINT and SIGTERM --------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A thread waits for the signals, removes temporary files and folders, and ends the program
/// by the same signal.
///
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_RUN_INTERRUPT_H
#define TOOLS_TSSA_RUN_INTERRUPT_H

#include <mutex>
#include <string>
#include <sys/types.h>

namespace tssa::run {

/// Starts that thread and blocks the signals. Call this once, before other threads exist. A
/// child process that is started later must unblock the two signals.
void watchInterrupts();

/// Removes temporary files and folders, and ends the program by `signal`.
[[noreturn]] void endBySignal(int signal);

/// Returns a lock that delays the handling of signals: hold it while files are half written,
/// and for calls of the functions below.
std::unique_lock<std::mutex> holdInterrupts();

/// Sets the folder to remove when the program ends; empty for none. Hold the signals.
void setTemporaryFolder(const std::string &folder);
/// Sets a child process that gets the signal first and is waited for; 0 for none. Hold the
/// signals.
void setChild(pid_t child);

} // namespace tssa::run

#endif // TOOLS_TSSA_RUN_INTERRUPT_H

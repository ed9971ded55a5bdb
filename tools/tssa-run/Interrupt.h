//===- Interrupt.h - ends the program after a signal ----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A thread waits for SIGINT and SIGTERM. When one arrives, it ends the compiler, if it
/// runs, and then the program by the same signal.
///
//===----------------------------------------------------------------------===//
#ifndef TOOLS_TSSA_RUN_INTERRUPT_H
#define TOOLS_TSSA_RUN_INTERRUPT_H

#include <mutex>
#include <sys/types.h>

namespace tssa::run {

/// Blocks the two signals and starts the thread that waits for them. Call this once, before
/// other threads exist. A child process that is started later must unblock the two signals.
void watchInterrupts();

/// Ends the child process and then the program by `signal`.
[[noreturn]] void endBySignal(int signal);

/// Returns a lock that delays the handling of signals. Hold it while files are half written, and
/// during calls of `setChild`.
std::unique_lock<std::mutex> holdInterrupts();

/// Sets the child process to which a signal is sent first, and which is then waited for; 0 if there
/// is none. The caller must hold the lock of `holdInterrupts`.
void setChild(pid_t child);

} // namespace tssa::run

#endif // TOOLS_TSSA_RUN_INTERRUPT_H

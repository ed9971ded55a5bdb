//===- Interrupt.cpp -----------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Interrupt.h"

#include "tools/common/ProgressLine.h"

#include <cerrno>
#include <csignal>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace {
struct State {
  std::mutex mutex;
  pid_t child = 0;
};
} // namespace

/// Returns the state. It is never destroyed, because the thread that waits for signals lives as
/// long as the process.
static State &getState() {
  static State &state = *new State;
  return state;
}

static sigset_t getSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

void tssa::run::endBySignal(int signal) {
  State &state = getState();
  state.mutex.lock(); // never unlocked: the process ends
  tssa::tools::eraseProgressLine();
  if (state.child > 0) {
    ::kill(state.child, signal);
    // If the thread that started the child waits for it first, this waitpid fails.
    while (::waitpid(state.child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  std::signal(signal, SIG_DFL);
  sigset_t signals = getSignals();
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  std::raise(signal);
  _exit(128 + signal);
}

static void waitForSignal() {
  sigset_t signals = getSignals();
  int signal = 0;
  while (sigwait(&signals, &signal) != 0) {
  }
  tssa::run::endBySignal(signal);
}

void tssa::run::watchInterrupts() {
  sigset_t signals = getSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  try {
    std::thread(waitForSignal).detach();
  } catch (const std::system_error &) {
    // Without a thread, the signals end the program by their default action.
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  }
}

std::unique_lock<std::mutex> tssa::run::holdInterrupts() {
  return std::unique_lock<std::mutex>(getState().mutex);
}

void tssa::run::setChild(pid_t child) { getState().child = child; }

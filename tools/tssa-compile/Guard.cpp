//===- Guard.cpp - limits the time and memory of a compilation -------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// LLVM cannot be stopped within a pass, and cannot return an error if it runs out of memory. So
/// the process ends itself if a limit is exceeded. Unfinished files are registered with LLVM's
/// signal handlers, which remove them. The messages are prepared in advance, because no memory may
/// be allocated at that time.
///
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include "tools/common/ProgressLine.h"
#include "tssa/Runtime/Artifact.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <cxxabi.h>
#include <exception>
#include <new>
#include <sys/mman.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace tssa::compile {

/// The messages for when the limit of time or memory is exceeded.
static std::string timeMessage, memoryMessage;

/// Set by who ends the process: a limit, a signal, or the end of the program.
static std::atomic_flag isEnding = ATOMIC_FLAG_INIT;

void claimEnd() {
  while (isEnding.test_and_set())
    ::pause();
}

[[noreturn]] static void endProcess(const std::string &message) {
  claimEnd();
  tools::eraseProgressLine();
  sys::RunInterruptHandlers();
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, message.data(), message.size());
  ::_exit(LimitReached);
}

/// What std::terminate did before.
static std::terminate_handler otherTerminate;

[[noreturn]] static void endOutOfMemory() { endProcess(memoryMessage); }

/// Libraries throw where a thread or memory is missing, and nobody catches it. Other exceptions go
/// where they went before.
static void endOnException() {
  static constexpr StringLiteral missing[] = {"St9bad_alloc", "St12system_error"};
  const std::type_info *type = abi::__cxa_current_exception_type();
  if (type && is_contained(missing, StringRef(type->name())))
    endOutOfMemory();
  otherTerminate();
}

/// What SIGSEGV did before.
static struct sigaction otherActionOfFault;

/// MLIR writes to what malloc returns without looking, for example when it loads a dialect. So if
/// no memory is left, an access to a bad address is taken for that.
static void endOnFault(int) {
  constexpr size_t size = 1 << 20;
  void *memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    endOutOfMemory();
  ::munmap(memory, size);
  ::sigaction(SIGSEGV, &otherActionOfFault, nullptr); // the access is repeated and fails again
}

static void watchFaults() {
  struct sigaction action = {};
  action.sa_handler = endOnFault;
  action.sa_flags = SA_ONSTACK;
  ::sigaction(SIGSEGV, &action, &otherActionOfFault);
}

static void limitMemory(const Options &options) {
  memoryMessage = options.input + ": error: not enough memory" +
                  (options.memoryLimit ? "; the limit is " + std::to_string(options.memoryLimit) +
                                             " bytes (--memory-limit)"
                                       : std::string()) +
                  "\n";
  std::set_new_handler(endOutOfMemory);
  install_bad_alloc_error_handler([](void *, const char *, bool) { endOutOfMemory(); });
  otherTerminate = std::set_terminate(endOnException);
  watchFaults();
  if (options.memoryLimit == 0)
    return;
  // Files that are mapped for reading do not count.
  rlimit limit{options.memoryLimit, options.memoryLimit};
  rlimit now{};
  if (::getrlimit(RLIMIT_DATA, &now) == 0)
    limit.rlim_cur = limit.rlim_max = std::min<rlim_t>(limit.rlim_cur, now.rlim_max);
  if (::setrlimit(RLIMIT_DATA, &limit) != 0)
    errs() << "tssa-compile: warning: the memory cannot be limited: " << strerror(errno) << '\n';
}

static void limitTime(const Options &options) {
  if (options.timeout == 0)
    return;
  timeMessage = options.input + ": error: not compiled within " + options.timeoutText +
                " seconds (--timeout)\n";
  std::thread([seconds = options.timeout] {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    endProcess(timeMessage);
  }).detach();
}

/// Removes the unfinished files and ends the process by this signal. The compilation may go on in
/// another thread and fail because its file is gone, so this claims the end first.
static void endBySignal(int signal) {
  if (isEnding.test_and_set())
    return; // perhaps set by this very thread; the process ends anyway
  tools::eraseProgressLine();
  sys::RunInterruptHandlers();
  std::signal(signal, SIG_DFL);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, signal);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  std::raise(signal);
}

static void watchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = endBySignal;
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  for (int signal : {SIGHUP, SIGINT, SIGTERM}) {
    struct sigaction now = {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN)
      ::sigaction(signal, &action, nullptr);
  }
}

void guardProcess(const Options &options) {
  // InitLLVM has installed LLVM's own handlers, so registering a file does not replace these.
  watchInterrupts();
  runtime::observePendingFiles([](const std::string &path) { sys::RemoveFileOnSignal(path); },
                               [](const std::string &path) { sys::DontRemoveFileOnSignal(path); });
  limitMemory(options);
  limitTime(options);
}

} // namespace tssa::compile

//===- ParentProcess.cpp -------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Runtime/ParentProcess.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <sys/prctl.h>
#include <unistd.h>

/// Returns the process number that the environment asks for, or 0.
static pid_t getAskedParent() {
  const char *text = std::getenv(tssa::runtime::endsWithVariable);
  int number = 0;
  if (text)
    std::from_chars(text, text + std::strlen(text), number);
  return std::max(number, 0);
}

/// Tells whether a process has ended. One that its own parent has not waited for still has its
/// number, and kill() finds it: its state tells it from one that lives (proc_pid_stat(5)).
static bool hasEnded(pid_t process) {
  if (::kill(process, 0) != 0 && errno == ESRCH)
    return true;
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(file, line);
  // The name of the program, in parentheses, may hold any character.
  size_t state = line.rfind(") ");
  return state != std::string::npos && line.find_first_of("ZX", state + 2) == state + 2;
}

void tssa::runtime::endWithParent() {
  pid_t asked = getAskedParent();
  if (asked == 0 || (::getppid() != asked && !hasEnded(asked)))
    return;
  struct sigaction now = {};
  bool isIgnored = ::sigaction(SIGTERM, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
  int signal = isIgnored ? SIGKILL : SIGTERM;
  ::prctl(PR_SET_PDEATHSIG, signal);
  if (::getppid() != asked)
    ::kill(::getpid(), signal);
}

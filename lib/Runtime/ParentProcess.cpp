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

void tssa::runtime::endWithParent() {
  pid_t asked = getAskedParent();
  auto hasEnded = [&] { return ::getppid() != asked && ::kill(asked, 0) != 0 && errno == ESRCH; };
  if (asked == 0 || (::getppid() != asked && !hasEnded()))
    return;
  struct sigaction now = {};
  bool isIgnored = ::sigaction(SIGTERM, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
  int signal = isIgnored ? SIGKILL : SIGTERM;
  ::prctl(PR_SET_PDEATHSIG, signal);
  if (::getppid() != asked)
    ::kill(::getpid(), signal);
}

//===- WorkerGuard.cpp - ends a worker whose tuner is gone ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkerExit.h"
#include "tssa/Tuner/Worker.h"

#include <csignal>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tssa;

// A thread that waits within the worker would do, but the worker forks, and must have one thread.
int tuner::runUntilInputEnds(llvm::function_ref<int()> serve) {
  pid_t parent = getpid(), child = fork();
  if (child < 0)
    return exitCannotStart;
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    _exit(getppid() == parent ? serve() : exitCannotStart);
  }
  int ended = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  // Requests are left to the worker. A pipe hangs up when no one can write to it any more, a socket
  // also when its other side is shut down.
  pollfd entries[] = {{STDIN_FILENO, POLLRDHUP, 0}, {ended, POLLIN, 0}};
  while (ended >= 0 && !entries[0].revents && !entries[1].revents)
    poll(entries, 2, /*timeout=*/-1);
  if (ended < 0 || !entries[1].revents)
    kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

//===- WorkerProcess.cpp - the process of a worker ------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkerProcess.h"
#include "WorkerExit.h"
#include "tssa/Search/Database.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tssa;
using namespace tssa::tuner;
using llvm::Error;
using search::TrialStatus;

/// The child's side of a start. Only calls that are safe after a fork.
[[noreturn]] static void execute(char *const *arguments, int input, int output, int errors,
                                 pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  bool isReady = getppid() == parent && dup2(input, STDIN_FILENO) >= 0 &&
                 dup2(output, STDOUT_FILENO) >= 0 && dup2(errors, STDERR_FILENO) >= 0;
  if (isReady)
    execv(arguments[0], arguments);
  _exit(exitCannotStart);
}

namespace {
/// Both ends of a pipe, which are closed unless they are taken.
struct Pipe {
  ~Pipe() {
    for (int end : ends)
      if (end >= 0)
        close(end);
  }
  bool open() { return pipe2(ends, O_CLOEXEC) == 0; }
  int take(int end) { return std::exchange(ends[end], -1); }

  int ends[2] = {-1, -1};
};
} // namespace

Error WorkerProcess::start(const std::vector<std::string> &command) {
  Pipe down, up, complaints;
  bool areOpen = down.open() && up.open() && complaints.open();
  std::vector<char *> arguments;
  for (const std::string &word : command)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t parent = getpid();
  child = areOpen ? fork() : -1;
  if (child == 0)
    execute(arguments.data(), down.ends[0], up.ends[1], complaints.ends[1], parent);
  if (child < 0) {
    child = 0;
    return llvm::createStringError("a worker cannot be started: " + llvm::sys::StrError());
  }
  toChild = down.take(1);
  fromChild = up.take(0);
  errorsOfChild = complaints.take(0);
  fcntl(errorsOfChild, F_SETFL, O_NONBLOCK);
  isCutOff = false;
  received.clear();
  errors.clear();
  return Error::success();
}

void WorkerProcess::send(const std::string &line) {
  std::string text = line + "\n";
  for (size_t done = 0; done < text.size();) {
    ssize_t count = write(toChild, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return;
    done += static_cast<size_t>(count);
  }
}

/// Takes what is in the pipe of errors, so that it never fills up, and keeps the beginning.
void WorkerProcess::takeErrors() {
  constexpr size_t most = 4096;
  char bytes[4096];
  // As often as a full pipe needs: who writes without an end is not waited for.
  for (int i = 0; i < 16 && errorsOfChild >= 0; ++i) {
    ssize_t count = read(errorsOfChild, bytes, sizeof(bytes));
    if (count > 0) {
      errors.append(bytes, std::min(static_cast<size_t>(count), most - errors.size()));
      continue;
    }
    if (count < 0)
      return; // it is empty
    close(errorsOfChild);
    errorsOfChild = -1;
  }
}

WorkerProcess::Received WorkerProcess::receive(std::string &line, Clock::time_point deadline) {
  while (true) {
    if (size_t end = received.find('\n'); end != std::string::npos) {
      line = received.substr(0, end);
      received.erase(0, end + 1);
      return Received::Line;
    }
    auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0)
      return Received::Late;
    pollfd entries[] = {{fromChild, POLLIN, 0}, {errorsOfChild, POLLIN, 0}};
    int ready = poll(entries, 2, static_cast<int>(std::min<long>(left, 1000)));
    if (ready < 0 && errno != EINTR)
      return Received::Died;
    if (ready <= 0)
      continue;
    if (entries[1].revents)
      takeErrors();
    if (!entries[0].revents)
      continue;
    char bytes[4096];
    ssize_t count = read(fromChild, bytes, sizeof(bytes));
    if (count <= 0)
      return Received::Died;
    received.append(bytes, static_cast<size_t>(count));
    // No answer is this long: the memory of a worker that writes garbage would become ours.
    if (received.size() > search::Database::maxTextBytes)
      return Received::Died;
  }
}

void WorkerProcess::end() {
  takeErrors();
  for (int *file : {&toChild, &fromChild, &errorsOfChild}) {
    if (*file >= 0)
      close(*file);
    *file = -1;
  }
  if (child > 0) {
    kill(-child, SIGKILL);
    kill(child, SIGKILL); // it may not have its group yet
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR)
      ;
  }
  child = 0;
}

Outcome WorkerProcess::getDeath() {
  Outcome outcome;
  outcome.status = TrialStatus::Crash;
  outcome.error = "the worker ended";
  int status = 0;
  pid_t ended = 0;
  // It has closed its output, and so it ends by itself; a moment later it is a zombie.
  for (int i = 0; i < 100 && ended == 0; ++i) {
    ended = waitpid(child, &status, WNOHANG);
    if (ended == 0)
      usleep(10000);
  }
  if (ended == child) {
    child = 0;
    isCutOff = WIFSIGNALED(status) || WEXITSTATUS(status) == exitCutOff;
    if (WIFSIGNALED(status)) {
      outcome.error = std::string("the worker ended by a signal: ") + strsignal(WTERMSIG(status));
    } else if (WEXITSTATUS(status) == exitOutOfMemory) {
      outcome.status = TrialStatus::OutOfMemory;
      outcome.error = "the worker needs more memory than its limit";
    } else {
      outcome.error = "the worker ended with exit code " + std::to_string(WEXITSTATUS(status));
    }
  }
  end();
  return outcome;
}

std::string WorkerProcess::getComplaint() const {
  constexpr size_t most = 200;
  std::string line =
      llvm::StringRef(errors).ltrim().split('\n').first.rtrim().take_front(most).str();
  for (char &c : line)
    if (!llvm::isPrint(c))
      c = '?';
  return line;
}

//===- ForkedBuilds.cpp - builds candidates in child processes ------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForkedBuilds.h"
#include "WorkerExit.h"
#include "llvm/Support/Errno.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tssa;
using namespace tssa::tuner;
using llvm::Expected;
using search::TrialStatus;
using Clock = std::chrono::steady_clock;

namespace {
/// What a child writes before the bytes of the error or of the object. Both sides are one program.
struct Header {
  bool hasCode, isMarked, hasScratch;
  int64_t scratchBytes;
};

/// A candidate that is being built.
struct Child {
  size_t number = 0;
  pid_t process = 0;
  int output = -1;
  Clock::time_point start;
  std::string received;
};

using Work = llvm::function_ref<Expected<KernelObject>(size_t, bool &)>;
} // namespace

static double getSecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

//===----------------------------------------------------------------------===//
// The child
//===----------------------------------------------------------------------===//

static bool writeAll(int file, const char *data, size_t size) {
  while (size > 0) {
    ssize_t count = write(file, data, size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    data += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

[[noreturn]] static void runChild(size_t number, int output, pid_t parent, Work work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int null = open("/dev/null", O_WRONLY);
  if (getppid() != parent || null < 0 || dup2(null, STDOUT_FILENO) < 0)
    _exit(exitCannotStart);
  bool isMarked = false;
  Expected<KernelObject> object = work(number, isMarked);
  Header header{static_cast<bool>(object), isMarked, false, 0};
  std::string bytes;
  if (object) {
    header.hasScratch = object->hasScratch;
    header.scratchBytes = object->scratchBytes;
    bytes = std::move(object->bytes);
  } else {
    bytes = llvm::toString(object.takeError());
  }
  char raw[sizeof(Header)];
  std::memcpy(raw, &header, sizeof(header));
  bool isWritten =
      writeAll(output, raw, sizeof(raw)) && writeAll(output, bytes.data(), bytes.size());
  // Without destructors: they are this process's only by copy.
  _exit(isWritten ? 0 : exitCannotStart);
}

//===----------------------------------------------------------------------===//
// The parent
//===----------------------------------------------------------------------===//

static void fail(Build &build, TrialStatus status, std::string error) {
  build.status = status;
  build.error = std::move(error);
}

static std::optional<Child> start(size_t number, Work work, Build &build) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    fail(build, TrialStatus::Crash, "building cannot begin: " + llvm::sys::StrError());
    return std::nullopt;
  }
  pid_t parent = getpid(), process = fork();
  if (process == 0)
    runChild(number, ends[1], parent, work);
  std::string reason = llvm::sys::StrError();
  close(ends[1]);
  if (process > 0)
    return Child{number, process, ends[0], Clock::now(), {}};
  close(ends[0]);
  fail(build, TrialStatus::Crash, "building cannot begin: " + reason);
  return std::nullopt;
}

/// Reads what a child has written. Returns false at the end.
static bool receive(Child &child) {
  char bytes[65536];
  ssize_t count = read(child.output, bytes, sizeof(bytes));
  if (count < 0)
    return errno == EINTR;
  child.received.append(bytes, static_cast<size_t>(count));
  return count > 0;
}

/// Takes what a child that ended has written.
static void take(const Child &child, int status, Build &build) {
  if (WIFSIGNALED(status))
    return fail(build, TrialStatus::Crash,
                std::string("building ended by a signal: ") + strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) == exitOutOfMemory)
    return fail(build, TrialStatus::OutOfMemory, "building needs more memory than the limit");
  Header header;
  if (WEXITSTATUS(status) != 0 || child.received.size() < sizeof(header))
    return fail(build, TrialStatus::Crash,
                "building ended with exit code " + std::to_string(WEXITSTATUS(status)));
  std::memcpy(&header, child.received.data(), sizeof(header));
  std::string bytes = child.received.substr(sizeof(header));
  build.isMarked = header.isMarked;
  if (!header.hasCode)
    return fail(build, TrialStatus::BuildFailed, std::move(bytes));
  build.object = {std::move(bytes), header.scratchBytes, header.hasScratch};
}

/// Ends a child, or waits until it has ended.
static void finish(Child &child, bool isLate, Build &build) {
  if (isLate)
    kill(child.process, SIGKILL);
  close(child.output);
  int status = 0;
  while (waitpid(child.process, &status, 0) < 0 && errno == EINTR)
    ;
  build.seconds = getSecondsSince(child.start);
  if (isLate)
    fail(build, TrialStatus::Timeout, "building takes too long");
  else
    take(child, status, build);
}

/// Waits until one of `children` has written something, or a tenth of a second.
static std::vector<pollfd> wait(llvm::ArrayRef<Child> children) {
  constexpr int milliseconds = 100;
  std::vector<pollfd> entries;
  for (const Child &child : children)
    entries.push_back({child.output, POLLIN, 0});
  if (poll(entries.data(), entries.size(), milliseconds) < 0)
    for (pollfd &entry : entries)
      entry.revents = 0;
  return entries;
}

std::vector<Build> tuner::buildInChildren(size_t count, unsigned processes, double limitSeconds,
                                          Work work) {
  std::vector<Build> builds(count);
  std::vector<Child> children;
  size_t next = 0;
  while (next < count || !children.empty()) {
    for (; next < count && children.size() < std::max(processes, 1u); ++next)
      if (std::optional<Child> child = start(next, work, builds[next]))
        children.push_back(std::move(*child));
    std::vector<pollfd> entries = wait(children);
    for (size_t i = children.size(); i-- > 0;) {
      Child &child = children[i];
      bool isOpen = entries[i].revents == 0 || receive(child);
      bool isLate = isOpen && getSecondsSince(child.start) > limitSeconds;
      if (isOpen && !isLate)
        continue;
      finish(child, isLate, builds[child.number]);
      children.erase(children.begin() + i);
    }
  }
  return builds;
}

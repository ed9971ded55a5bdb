//===- WorkerProcess.cpp - the tuner's side of a worker -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Protocol.h"
#include "WorkerExit.h"
#include "tssa/Tuner/Worker.h"
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
using llvm::Error;
using llvm::Expected;
using search::TrialStatus;
using Clock = std::chrono::steady_clock;

namespace {
/// A running worker, and how it ended.
class Process {
public:
  ~Process() { end(); }

  bool isRunning() const { return child > 0; }
  Error start(const std::vector<std::string> &command);
  /// Sends a line. A worker that has died takes nothing, which `receive` then finds.
  void send(const std::string &line);
  enum class Received { Line, Died, Late };
  /// Waits for a line until `deadline`.
  Received receive(std::string &line, Clock::time_point deadline);
  /// Ends the worker and all that it has started.
  void end();
  /// Ends the worker and returns what became of a candidate with which it died.
  Outcome getDeath();

private:
  pid_t child = 0;
  int toChild = -1, fromChild = -1;
  std::string received;
};
} // namespace

/// The child's side of a start. Only calls that are safe after a fork.
[[noreturn]] static void execute(char *const *arguments, int input, int output, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int null = open("/dev/null", O_WRONLY);
  bool isReady = getppid() == parent && null >= 0 && dup2(input, STDIN_FILENO) >= 0 &&
                 dup2(output, STDOUT_FILENO) >= 0 && dup2(null, STDERR_FILENO) >= 0;
  if (isReady)
    execv(arguments[0], arguments);
  _exit(exitCannotStart);
}

Error Process::start(const std::vector<std::string> &command) {
  int down[2], up[2];
  if (pipe2(down, O_CLOEXEC) != 0)
    return llvm::createStringError("a worker cannot be started: " + llvm::sys::StrError());
  if (pipe2(up, O_CLOEXEC) != 0) {
    std::string reason = llvm::sys::StrError();
    close(down[0]);
    close(down[1]);
    return llvm::createStringError("a worker cannot be started: " + reason);
  }
  std::vector<char *> arguments;
  for (const std::string &word : command)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t parent = getpid();
  child = fork();
  if (child == 0)
    execute(arguments.data(), down[0], up[1], parent);
  std::string reason = llvm::sys::StrError();
  close(down[0]);
  close(up[1]);
  toChild = down[1];
  fromChild = up[0];
  received.clear();
  if (child > 0)
    return Error::success();
  end();
  return llvm::createStringError("a worker cannot be started: " + reason);
}

void Process::send(const std::string &line) {
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

Process::Received Process::receive(std::string &line, Clock::time_point deadline) {
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
    pollfd entry{fromChild, POLLIN, 0};
    int ready = poll(&entry, 1, static_cast<int>(std::min<long>(left, 1000)));
    if (ready < 0 && errno != EINTR)
      return Received::Died;
    if (ready <= 0)
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

void Process::end() {
  for (int *file : {&toChild, &fromChild}) {
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

Outcome Process::getDeath() {
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

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

namespace {
class WorkerMeasurer : public Measurer {
public:
  explicit WorkerMeasurer(WorkerOptions options) : options(std::move(options)) {
    signal(SIGPIPE, SIG_IGN);
  }

  Error open(const search::Task &task, llvm::StringRef defaultPoint) override;
  std::vector<Outcome> measure(llvm::ArrayRef<std::string> points,
                               std::optional<double> bestSeconds) override;
  std::vector<Outcome> compare(llvm::ArrayRef<std::string> points) override;

private:
  WorkerOptions options;
  Process process;
  OpenRequest task;
  double slowest = 0; ///< the longest time of a run so far, in seconds

  /// What became of a request.
  struct Reply {
    std::vector<Outcome> outcomes; ///< that came before the failure, if there is one
    std::optional<Outcome> failure;
    bool isBuilt = false; ///< whether the candidate of the failure was running
  };

  Error openTask();
  Reply request(const MeasureRequest &request);
  Reply exchange(const MeasureRequest &request);
  Clock::time_point getDeadline(bool isBuilt, size_t count) const;
};
} // namespace

static Clock::time_point after(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

Error WorkerMeasurer::open(const search::Task &given, llvm::StringRef defaultPoint) {
  task = {given.text,   defaultPoint.str(),   options.machine,     options.threads,
          options.seed, options.rotatedBytes, options.buildSeconds};
  slowest = 0;
  return openTask();
}

/// Starts a worker if none runs, and gives it the task.
Error WorkerMeasurer::openTask() {
  if (!process.isRunning()) {
    std::vector<std::string> command = options.command;
    command.push_back("--memory-limit=" + std::to_string(options.memoryLimit));
    if (Error error = process.start(command))
      return error;
  }
  process.send(print(task));
  std::string line;
  switch (process.receive(line, after(options.openSeconds))) {
  case Process::Received::Late:
    process.end();
    return llvm::createStringError("preparing the kernel takes too long");
  case Process::Received::Died:
    return llvm::createStringError(process.getDeath().error);
  case Process::Received::Line:
    break;
  }
  Expected<Answer> answer = parseAnswer(line);
  if (!answer)
    return answer.takeError();
  return answer->isReady ? Error::success() : llvm::createStringError(answer->error);
}

/// Returns until when `count` candidates must be built, which the worker ends by itself, or run.
Clock::time_point WorkerMeasurer::getDeadline(bool isBuilt, size_t count) const {
  constexpr double spare = 2;
  auto share = static_cast<double>(count);
  return after(isBuilt ? (options.runSeconds + 200 * slowest) * share
                       : options.buildSeconds * share + spare);
}

static Outcome makeFailure(TrialStatus status, std::string error) {
  Outcome outcome;
  outcome.status = status;
  outcome.error = std::move(error);
  return outcome;
}

/// Sends a request to the worker, and takes its answers until they are complete, or one is missing.
WorkerMeasurer::Reply WorkerMeasurer::exchange(const MeasureRequest &request) {
  Reply reply;
  size_t count = request.points.size();
  Clock::time_point deadline = getDeadline(/*isBuilt=*/false, count);
  process.send(print(request));
  auto failWith = [&](Outcome failure) {
    process.end();
    reply.failure = std::move(failure);
    return std::move(reply);
  };
  while (reply.outcomes.size() < count) {
    std::string line;
    Process::Received received = process.receive(line, deadline);
    if (received == Process::Received::Late)
      return failWith(makeFailure(TrialStatus::Timeout, reply.isBuilt ? "the candidate does not end"
                                                                      : "building takes too long"));
    if (received == Process::Received::Died)
      return failWith(process.getDeath());
    Expected<Answer> answer = parseAnswer(line);
    size_t left = count - reply.outcomes.size(), expected = request.compares ? left : 1;
    bool isUseful = answer && (answer->isBuilt || !answer->error.empty() ||
                               answer->outcomes.size() == expected);
    if (!isUseful) {
      llvm::consumeError(answer.takeError());
      return failWith(makeFailure(TrialStatus::Crash, "the worker answers with garbage"));
    }
    if (!answer->error.empty()) {
      reply.failure = makeFailure(TrialStatus::BuildFailed, answer->error);
      return reply;
    }
    reply.isBuilt = answer->isBuilt;
    deadline = getDeadline(reply.isBuilt, request.compares || !reply.isBuilt ? left : 1);
    llvm::append_range(reply.outcomes, answer->outcomes);
    // Wrong code may have written anywhere.
    if (llvm::any_of(answer->outcomes,
                     [](const Outcome &outcome) { return outcome.status == TrialStatus::Wrong; })) {
      process.end();
      return reply;
    }
  }
  return reply;
}

/// Does the same with a worker that runs, and keeps the slowest time.
WorkerMeasurer::Reply WorkerMeasurer::request(const MeasureRequest &request) {
  if (!process.isRunning())
    if (Error error = openTask())
      return {{}, makeFailure(TrialStatus::Crash, llvm::toString(std::move(error))), true};
  Reply reply = exchange(request);
  for (const Outcome &outcome : reply.outcomes)
    slowest = std::max(slowest, outcome.seconds);
  return reply;
}

std::vector<Outcome> WorkerMeasurer::measure(llvm::ArrayRef<std::string> points,
                                             std::optional<double> bestSeconds) {
  std::vector<Outcome> outcomes;
  bool isAlone = false; // a point whose building ends the worker must not take others with it
  while (outcomes.size() < points.size()) {
    llvm::ArrayRef<std::string> left = points.drop_front(outcomes.size());
    MeasureRequest next{isAlone ? left.take_front() : left, bestSeconds, /*compares=*/false};
    Reply reply = request(next);
    llvm::append_range(outcomes, reply.outcomes);
    if (!reply.failure)
      continue;
    if (reply.isBuilt || next.points.size() == reply.outcomes.size() + 1)
      outcomes.push_back(std::move(*reply.failure));
    else
      isAlone = true;
  }
  return outcomes;
}

std::vector<Outcome> WorkerMeasurer::compare(llvm::ArrayRef<std::string> points) {
  Reply reply = request({points, std::nullopt, /*compares=*/true});
  if (reply.failure)
    return std::vector<Outcome>(points.size(), *reply.failure);
  return std::move(reply.outcomes);
}

std::unique_ptr<Measurer> tuner::createWorkerMeasurer(WorkerOptions options) {
  return std::make_unique<WorkerMeasurer>(std::move(options));
}

//===- WorkerLink.cpp - the tuner's side of one worker --------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkerLink.h"
#include "tssa/Pipeline/CheckText.h"
#include "tssa/Pipeline/Records.h"

#include <csignal>

using namespace tssa;
using namespace tssa::tuner;
using llvm::Error;
using llvm::Expected;
using search::TrialStatus;
using Clock = WorkerProcess::Clock;
using Received = WorkerProcess::Received;

char WorkersLost::ID = 0;

static Clock::time_point after(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

WorkerLink::WorkerLink(WorkerOptions options) : options(std::move(options)) {
  signal(SIGPIPE, SIG_IGN);
}

//===----------------------------------------------------------------------===//
// Starting
//===----------------------------------------------------------------------===//

/// Sends a line and waits for its answer. `late` is the error if it comes too late.
Expected<Answer> WorkerLink::ask(const std::string &line, llvm::StringRef late) {
  process.send(line);
  std::string reply;
  switch (process.receive(reply, after(options.openSeconds))) {
  case Received::Late:
    process.end();
    return llvm::createStringError(late);
  case Received::Died: {
    std::string reason = process.getDeath().error, complaint = process.getComplaint();
    return llvm::createStringError(complaint.empty() ? reason : reason + ": " + complaint);
  }
  case Received::Line:
    break;
  }
  return parseAnswer(reply);
}

Expected<WorkerHost> WorkerLink::greet() {
  std::vector<std::string> command = options.command;
  command.push_back("--memory-limit=" + std::to_string(options.memoryLimit));
  if (Error error = process.start(command))
    return std::move(error);
  auto fail = [&](Error error) {
    process.end();
    return error;
  };
  Expected<Answer> answer = ask(printHello(), "it does not answer");
  if (!answer && !process.isRunning())
    return answer.takeError();
  if (!answer || !answer->host) {
    std::string reason = answer ? answer->error : "";
    llvm::consumeError(answer.takeError());
    return fail(llvm::createStringError(reason.empty() ? "it answers with garbage" : reason));
  }
  WorkerHost &host = *answer->host;
  if (host.epoch != getEpoch())
    return fail(llvm::createStringError("its code generator is of epoch " + host.epoch +
                                        ", that of the tuner is of " + getEpoch()));
  if (Error error = checkText(host.text))
    return fail(std::move(error));
  Expected<cpu::Machine> machine = cpu::readMachine(host.text);
  if (!machine)
    return fail(machine.takeError());
  host.machine = std::move(*machine);
  if (expected && host.text != expected->text)
    return fail(llvm::createStringError(explainOther(host, *expected)));
  return std::move(host);
}

std::string WorkerLink::explainOther(const WorkerHost &host, const WorkerHost &others) {
  return "it is of machine " + getMachineId(host.machine) + ", others are of " +
         getMachineId(others.machine);
}

/// Starts the worker, which says where it runs if that matters.
Error WorkerLink::start() {
  if (expected)
    return greet().takeError();
  std::vector<std::string> command = options.command;
  command.push_back("--memory-limit=" + std::to_string(options.memoryLimit));
  return process.start(command);
}

Error WorkerLink::open(const search::Task &given, llvm::StringRef defaultPoint) {
  task = {given.text,   defaultPoint.str(),   options.machine,     options.threads,
          options.seed, options.rotatedBytes, options.buildSeconds};
  if (expected)
    task.machine = expected->text;
  slowest = 0;
  return openTask();
}

/// Starts a worker if none runs, and gives it the task.
Error WorkerLink::openTask() {
  if (!process.isRunning())
    if (Error error = start())
      return error;
  Expected<Answer> answer = ask(print(task), "preparing the kernel takes too long");
  if (!answer)
    return answer.takeError();
  return answer->isReady ? Error::success() : llvm::createStringError(answer->error);
}

/// Starts a worker that has ended again. Returns false if it is lost.
bool WorkerLink::reopen() {
  Error error = openTask();
  if (!error)
    return true;
  loss = llvm::toString(std::move(error));
  process.end();
  return false;
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

/// Returns until when `count` candidates must be built, which the worker ends by itself, or run.
Clock::time_point WorkerLink::getDeadline(bool isBuilt, size_t count) const {
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
WorkerLink::Reply WorkerLink::exchange(const MeasureRequest &request) {
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
    Received received = process.receive(line, deadline);
    if (received == Received::Late)
      return failWith(makeFailure(TrialStatus::Timeout, reply.isBuilt ? "the candidate does not end"
                                                                      : "building takes too long"));
    if (received == Received::Died)
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
WorkerLink::Reply WorkerLink::request(const MeasureRequest &request) {
  Reply reply;
  reply.isLost = !process.isRunning() && !reopen();
  if (reply.isLost)
    return reply;
  reply = exchange(request);
  for (const Outcome &outcome : reply.outcomes)
    slowest = std::max(slowest, outcome.seconds);
  if (!reply.failure || process.isRunning())
    return reply;
  if (expected && process.wasCutOff()) {
    loss = reply.failure->error;
    reply.isLost = true;
  } else {
    reply.isLost = !reopen();
  }
  return reply;
}

std::vector<Outcome> WorkerLink::measure(llvm::ArrayRef<std::string> points,
                                         std::optional<double> bestSeconds) {
  std::vector<Outcome> outcomes;
  bool isAlone = false; // a point whose building ends the worker must not take others with it
  while (outcomes.size() < points.size()) {
    llvm::ArrayRef<std::string> left = points.drop_front(outcomes.size());
    MeasureRequest next{isAlone ? left.take_front() : left, bestSeconds, /*compares=*/false};
    Reply reply = request(next);
    llvm::append_range(outcomes, reply.outcomes);
    if (reply.isLost)
      break;
    if (!reply.failure)
      continue;
    if (reply.isBuilt || next.points.size() == reply.outcomes.size() + 1)
      outcomes.push_back(std::move(*reply.failure));
    else
      isAlone = true;
  }
  return outcomes;
}

std::vector<Outcome> WorkerLink::compare(llvm::ArrayRef<std::string> points) {
  Reply reply = request({points, std::nullopt, /*compares=*/true});
  if (reply.isLost)
    return {};
  if (reply.failure)
    return std::vector<Outcome>(points.size(), *reply.failure);
  return std::move(reply.outcomes);
}

namespace {
/// Measures by a worker that is this program. If it cannot be started again, the fault is the
/// candidate's, too.
class WorkerMeasurer : public Measurer {
public:
  explicit WorkerMeasurer(WorkerOptions options) : link(std::move(options)) {}

  Error open(const search::Task &task, llvm::StringRef defaultPoint) override {
    return link.open(task, defaultPoint);
  }
  Expected<std::vector<Outcome>> measure(llvm::ArrayRef<std::string> points,
                                         std::optional<double> bestSeconds) override;
  Expected<std::vector<Outcome>> compare(llvm::ArrayRef<std::string> points) override;

private:
  WorkerLink link;
};
} // namespace

Expected<std::vector<Outcome>> WorkerMeasurer::measure(llvm::ArrayRef<std::string> points,
                                                       std::optional<double> bestSeconds) {
  std::vector<Outcome> outcomes;
  while (outcomes.size() < points.size()) {
    llvm::append_range(outcomes, link.measure(points.drop_front(outcomes.size()), bestSeconds));
    if (outcomes.size() < points.size())
      outcomes.push_back(makeFailure(TrialStatus::Crash, link.getLoss()));
  }
  return outcomes;
}

Expected<std::vector<Outcome>> WorkerMeasurer::compare(llvm::ArrayRef<std::string> points) {
  std::vector<Outcome> outcomes = link.compare(points);
  if (outcomes.empty())
    outcomes.assign(points.size(), makeFailure(TrialStatus::Crash, link.getLoss()));
  return outcomes;
}

std::unique_ptr<Measurer> tuner::createWorkerMeasurer(WorkerOptions options) {
  return std::make_unique<WorkerMeasurer>(std::move(options));
}

//===- WorkerPool.cpp - measures by several workers -----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkerLink.h"
#include "llvm/Support/ThreadPool.h"

using namespace tssa;
using namespace tssa::tuner;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;

namespace {
/// A worker of the pool.
struct Member {
  Member(const WorkerCommand &command, WorkerOptions options)
      : name("the worker '" + command.text + "'"), link(std::move(options)) {}

  std::string name;
  WorkerLink link;
  bool isReady = false; ///< whether it has the task
  bool isGivenUp = false;
  unsigned losses = 0; ///< since it last measured what it was given
};

class Pool : public WorkerPool {
public:
  Pool(const WorkerOptions &options, ArrayRef<WorkerCommand> commands,
       std::function<void(const std::string &)> warn);

  Error start();
  const WorkerHost &getHost() const override { return host; }
  void setRotatedBytes(uint64_t bytes) override {
    for (auto &member : members)
      member->link.setRotatedBytes(bytes);
  }

  Error open(const search::Task &task, llvm::StringRef defaultPoint) override;
  Expected<std::vector<Outcome>> measure(ArrayRef<std::string> points,
                                         std::optional<double> bestSeconds) override;
  Expected<std::vector<Outcome>> compare(ArrayRef<std::string> points) override;

private:
  using Members = std::vector<Member *>;

  Members collect(llvm::function_ref<bool(const Member &)> isMeant) const;
  Members collectReady() const {
    return collect([](const Member &member) { return member.isReady; });
  }
  void runOn(const Members &chosen, llvm::function_ref<void(size_t)> work);
  std::string openOn(const Members &chosen);
  void noteLoss(Member &member, const std::string &reason);
  Expected<Members> getReady();

  std::vector<std::unique_ptr<Member>> members;
  std::function<void(const std::string &)> warn;
  WorkerHost host;
  search::Task task;
  std::string defaultPoint, lastLoss;
  /// A worker dies with the thread that has started it: these live as long as the pool.
  llvm::DefaultThreadPool threads;
};
} // namespace

static llvm::ThreadPoolStrategy makeStrategy(size_t count) {
  llvm::ThreadPoolStrategy strategy;
  strategy.ThreadsRequested = static_cast<unsigned>(count);
  return strategy;
}

Pool::Pool(const WorkerOptions &options, ArrayRef<WorkerCommand> commands,
           std::function<void(const std::string &)> warn)
    : warn(std::move(warn)), threads(makeStrategy(commands.size())) {
  for (const WorkerCommand &command : commands) {
    WorkerOptions own = options;
    own.command = command.words;
    members.push_back(std::make_unique<Member>(command, std::move(own)));
  }
}

//===----------------------------------------------------------------------===//
// Workers that come and go
//===----------------------------------------------------------------------===//

Pool::Members Pool::collect(llvm::function_ref<bool(const Member &)> isMeant) const {
  Members chosen;
  for (auto &member : members)
    if (!member->isGivenUp && isMeant(*member))
      chosen.push_back(member.get());
  return chosen;
}

/// Calls `work(i)` for each worker at the same time.
void Pool::runOn(const Members &chosen, llvm::function_ref<void(size_t)> work) {
  for (size_t i = 0; i < chosen.size(); ++i)
    threads.async([work, i] { work(i); });
  threads.wait();
}

/// Starts all workers, which say where they run.
Error Pool::start() {
  Members all = collect([](const Member &) { return true; });
  std::vector<std::optional<WorkerHost>> hosts(all.size());
  std::vector<std::string> reasons(all.size());
  runOn(all, [&](size_t i) {
    Expected<WorkerHost> greeted = all[i]->link.greet();
    if (greeted)
      hosts[i] = std::move(*greeted);
    else
      reasons[i] = llvm::toString(greeted.takeError());
  });
  for (auto [member, found, reason] : llvm::zip_equal(all, hosts, reasons)) {
    if (found && found->text != hosts.front()->text)
      reason = WorkerLink::explainOther(*found, *hosts.front());
    if (!reason.empty())
      return llvm::createStringError(member->name + " cannot be used: " + reason);
    member->link.expect(*hosts.front());
  }
  host = std::move(*hosts.front());
  return Error::success();
}

void Pool::noteLoss(Member &member, const std::string &reason) {
  constexpr unsigned mostLosses = 3;
  member.isReady = false;
  lastLoss = member.name + " cannot be used: " + reason;
  if (++member.losses < mostLosses)
    return;
  member.isGivenUp = true;
  warn(member.name + " is given up: " + reason);
}

/// Gives the task to workers. Returns why one that is not lost cannot prepare it, if there is one.
std::string Pool::openOn(const Members &chosen) {
  std::vector<std::string> reasons(chosen.size());
  std::vector<char> areLost(chosen.size(), 0);
  runOn(chosen, [&](size_t i) {
    WorkerLink &link = chosen[i]->link;
    Error error = link.open(task, defaultPoint);
    chosen[i]->isReady = !error;
    if (!error)
      return;
    reasons[i] = llvm::toString(std::move(error));
    // What ended it is the kernel if it can be started.
    if (!link.isRunning())
      if (Error lost = link.greet().takeError()) {
        reasons[i] = llvm::toString(std::move(lost));
        areLost[i] = 1;
      }
  });
  std::string obstacle;
  for (auto [member, reason, isLost] : llvm::zip_equal(chosen, reasons, areLost)) {
    if (isLost)
      noteLoss(*member, reason);
    else if (obstacle.empty())
      obstacle = reason;
  }
  return obstacle;
}

/// Returns the workers that have the task, after another try if there are none.
Expected<Pool::Members> Pool::getReady() {
  while (true) {
    if (Members ready = collectReady(); !ready.empty())
      return ready;
    Members left = collect([](const Member &) { return true; });
    if (left.empty())
      return llvm::make_error<WorkersLost>("no worker is left: " + lastLoss);
    std::string obstacle = openOn(left);
    if (!obstacle.empty() && collectReady().empty())
      return llvm::createStringError(obstacle);
  }
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

Error Pool::open(const search::Task &given, llvm::StringRef point) {
  task = given;
  defaultPoint = point.str();
  for (auto &member : members)
    member->isReady = false;
  return getReady().takeError();
}

Expected<std::vector<Outcome>> Pool::measure(ArrayRef<std::string> points,
                                             std::optional<double> bestSeconds) {
  openOn(collect([](const Member &member) { return !member.isReady; }));
  std::vector<std::optional<Outcome>> found(points.size());
  while (!llvm::all_of(found, [](auto &outcome) { return outcome.has_value(); })) {
    auto ready = getReady();
    if (!ready)
      return ready.takeError();
    std::vector<std::vector<size_t>> shares(ready->size());
    size_t next = 0;
    for (size_t i = 0; i < points.size(); ++i)
      if (!found[i])
        shares[next++ % shares.size()].push_back(i);
    runOn(*ready, [&](size_t number) {
      std::vector<std::string> own;
      for (size_t i : shares[number])
        own.push_back(points[i]);
      std::vector<Outcome> outcomes = (*ready)[number]->link.measure(own, bestSeconds);
      for (auto [i, outcome] : llvm::zip(shares[number], outcomes))
        found[i] = std::move(outcome);
    });
    for (auto [member, share] : llvm::zip_equal(*ready, shares)) {
      if (!share.empty() && !found[share.back()])
        noteLoss(*member, member->link.getLoss());
      else if (!share.empty())
        member->losses = 0;
    }
  }
  std::vector<Outcome> outcomes;
  for (std::optional<Outcome> &outcome : found)
    outcomes.push_back(std::move(*outcome));
  return outcomes;
}

// Times of two workers are not compared: the first one that is ready times all points.
Expected<std::vector<Outcome>> Pool::compare(ArrayRef<std::string> points) {
  while (true) {
    auto ready = getReady();
    if (!ready)
      return ready.takeError();
    std::vector<Outcome> outcomes;
    runOn({ready->front()}, [&](size_t) { outcomes = ready->front()->link.compare(points); });
    if (!outcomes.empty())
      return outcomes;
    noteLoss(*ready->front(), ready->front()->link.getLoss());
  }
}

Expected<std::unique_ptr<WorkerPool>>
tuner::createWorkerPool(const WorkerOptions &options, ArrayRef<WorkerCommand> commands,
                        std::function<void(const std::string &)> warn) {
  auto pool = std::make_unique<Pool>(options, commands, std::move(warn));
  if (Error error = pool->start())
    return std::move(error);
  return pool;
}

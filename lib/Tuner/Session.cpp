//===- Session.cpp - the tuning of the kernels of a model -----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Tuner/Session.h"
#include "tssa/Pipeline/CheckText.h"
#include "tssa/Target/CPU.h"

#include <cmath>

using namespace tssa;
using namespace tssa::tuner;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;

/// A task leaves at this share of its roof, or if it could gain at most this share of the model.
static constexpr double nearRoof = 0.97, leastOfModel = 0.002;

double TaskState::getModelSeconds() const {
  return search ? planned.calls * search->getBestSeconds().value_or(0) : 0;
}

Expected<std::unique_ptr<Session>>
Session::create(Plan plan, ArrayRef<std::vector<search::Trial>> trials, mlir::MLIRContext &context,
                const mlir::tssa::layout::MachineModel &machine) {
  std::unique_ptr<Session> session(new Session);
  session->plan = std::move(plan);
  for (auto [planned, earlier] : llvm::zip_equal(session->plan.tasks, trials)) {
    TaskState state;
    state.planned = planned;
    auto created = TaskSearch::create(planned.task, context, machine, session->plan.search);
    if (created) {
      state.search = std::move(*created);
      const TaskKernel &kernel = state.search->getKernel();
      const Roof &roof = session->plan.roof;
      double flops = kernel.countOperationsOfF32();
      state.leastSeconds = roof.getSeconds(flops, /*bytes=*/0, session->plan.threads);
      state.roofSeconds = roof.getSeconds(flops, kernel.countBytes(), session->plan.threads);
      for (const search::Trial &trial : ArrayRef(earlier).take_front(planned.earlier))
        session->numEarlier += state.search->addEarlier(trial);
      for (const search::Measured &measured : state.search->getHistory())
        session->rows.push_back(state.search->getRow(measured));
      if (!session->model) {
        auto model = search::CostModel::create(state.search->getSpace().getFeatureNames());
        if (!model)
          return model.takeError();
        session->model = std::move(*model);
      }
    } else {
      state.obstacle = llvm::toString(created.takeError());
    }
    session->tasks.push_back(std::move(state));
  }
  return session;
}

Error Session::learnFromOthers(search::Database &database) {
  // Training on more takes longer than measuring a point.
  constexpr size_t mostRows = 2048;
  auto others =
      database.readRows({plan.machine, plan.epoch, getFeatureHash(), plan.lastTrial, mostRows});
  if (!others)
    return others.takeError();
  llvm::erase_if(*others, [&](const search::Row &row) {
    return llvm::any_of(tasks, [&](const TaskState &state) {
      return row.task == search::hashBytes(state.planned.task.key);
    });
  });
  rows.insert(rows.begin(), others->begin(), others->end());
  return Error::success();
}

uint64_t Session::countTrials() const {
  uint64_t count = numEarlier;
  for (const TaskState &state : tasks)
    count += state.trials;
  return count;
}

//===----------------------------------------------------------------------===//
// The budget
//===----------------------------------------------------------------------===//

/// Ends the searches that cannot gain much any more.
void Session::dropFinished() {
  double all = 0;
  for (const TaskState &state : tasks)
    all += state.getModelSeconds();
  for (TaskState &state : tasks) {
    if (!state.search || state.search->isFinished() || state.search->getNumRounds() == 0)
      continue;
    std::optional<double> best = state.search->getBestSeconds();
    if (!best || plan.search.ranking == SearchOptions::None)
      continue;
    if (state.leastSeconds >= nearRoof * *best ||
        state.planned.calls * (*best - state.leastSeconds) < leastOfModel * all)
      state.search->finish();
  }
}

/// Returns the seconds of the model that the next round may gain. A task without a round counts as
/// if it could gain all of its predicted time.
double Session::getExpectedGain(const TaskState &state) const {
  constexpr double hope = 0.2; // of the distance to the roof, less in each round
  double best = state.search->getBestSeconds().value_or(0);
  double distance = best > 0 ? std::max(1 - state.roofSeconds / best, 0.0) : 1;
  double expected = hope * distance / (1 + state.search->getNumRounds());
  return state.getModelSeconds() * std::max(state.search->getSlope(), expected);
}

/// Returns the task with the fewest trials, unless all have those that they may have.
std::optional<size_t> Session::chooseFewest() {
  std::optional<size_t> chosen;
  size_t fewest = plan.trialsOfTask;
  for (auto [number, state] : llvm::enumerate(tasks)) {
    if (!state.search || state.search->isFinished() || state.search->getHistory().size() >= fewest)
      continue;
    chosen = number;
    fewest = state.search->getHistory().size();
  }
  return chosen;
}

std::optional<size_t> Session::chooseTask() {
  dropFinished();
  if (plan.trialsOfTask > 0)
    return chooseFewest();
  std::optional<size_t> chosen;
  std::pair<bool, double> most;
  for (auto [number, state] : llvm::enumerate(tasks)) {
    if (!state.search || state.search->isFinished())
      continue;
    const KernelSpace &space = state.search->getSpace();
    // Tasks without a time come first, those with the longest predicted time before others.
    bool isNew = !state.search->getBestSeconds();
    std::pair<bool, double> gain(isNew,
                                 isNew ? state.planned.calls * space.getCycles(space.getDefault())
                                       : getExpectedGain(state));
    if (!chosen || gain > most) {
      chosen = number;
      most = gain;
    }
  }
  return chosen;
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

/// Returns the logarithmic distance of the sizes of two roots, role by role, or nothing if their
/// kinds differ.
static std::optional<double> getDistance(const TaskKernel &a, const TaskKernel &b) {
  namespace layout = mlir::tssa::layout;
  TaskKernel::Expression x = a.getExpressions().back(), y = b.getExpressions().back();
  if (a.getExpressions().size() != b.getExpressions().size() || x.roles.kind != y.roles.kind)
    return std::nullopt;
  double distance = 0;
  auto getLog = [](TaskKernel::Expression &expression, layout::Role role) {
    double sum = 0;
    for (unsigned dim : expression.roles.getDims(role))
      sum +=
          std::log2(static_cast<double>(layout::getExtent(expression.op, expression.roles, dim)));
    return sum;
  };
  for (layout::Role role : layout::allRoles)
    distance += std::abs(getLog(x, role) - getLog(y, role));
  return distance;
}

/// Returns the best points of the nearest tasks.
std::vector<ForeignPoint> Session::findForeign(size_t task) const {
  constexpr size_t mostTasks = 4, pointsOfTask = 2;
  std::vector<std::pair<double, size_t>> near;
  for (auto [number, other] : llvm::enumerate(tasks))
    if (other.search && number != task && other.search->getBestSeconds())
      if (auto distance = getDistance(tasks[task].search->getKernel(), other.search->getKernel()))
        near.push_back({*distance, number});
  llvm::sort(near);
  std::vector<ForeignPoint> points;
  for (auto [distance, number] : ArrayRef(near).take_front(mostTasks))
    for (const search::Measured &best : tasks[number].search->getBest(pointsOfTask))
      points.push_back({tasks[number].search->getSpace(), best.point});
  return points;
}

Expected<std::optional<Session::Round>> Session::propose() {
  while (true) {
    uint64_t used = countTrials();
    std::optional<size_t> task = chooseTask();
    if (!task || used >= plan.trials)
      return std::nullopt;
    uint64_t most = std::min<uint64_t>(plan.trials - used, pointsOfRound);
    if (plan.trialsOfTask > 0)
      most = std::min<uint64_t>(most, plan.trialsOfTask - tasks[*task].search->getHistory().size());
    auto points = tasks[*task].search->propose(most, *model, rows, findForeign(*task));
    if (!points)
      return points.takeError();
    if (!points->empty())
      return Round{*task, std::move(*points)};
  }
}

void Session::add(const Round &round, ArrayRef<Outcome> outcomes) {
  TaskState &state = tasks[round.task];
  std::vector<std::optional<double>> seconds;
  for (const Outcome &outcome : outcomes) {
    seconds.push_back(outcome.isMeasured() ? std::optional(outcome.seconds) : std::nullopt);
    if (!outcome.isMeasured())
      ++state.failures[outcome.status];
  }
  state.search->add(round.points, seconds);
  state.trials += outcomes.size();
  for (const search::Measured &measured : state.search->getHistory().take_back(outcomes.size()))
    rows.push_back(state.search->getRow(measured));
}

void Session::giveUp(const Round &round, llvm::StringRef obstacle) {
  tasks[round.task].obstacle = obstacle.str();
  tasks[round.task].search->finish();
}

std::vector<search::Point> Session::getFinalists(size_t task) const {
  constexpr size_t count = 5;
  const TaskSearch *search = tasks[task].search.get();
  if (!search || !search->getDefaultSeconds())
    return {};
  std::vector<search::Point> points = {search->getSpace().getDefault()};
  for (const search::Measured &best : search->getBest(count))
    if (best.point != points.front())
      points.push_back(best.point);
  return points;
}

//===----------------------------------------------------------------------===//
// Replay
//===----------------------------------------------------------------------===//

namespace {
/// Looks up what a database has of a session.
struct Recording {
  search::Session session;
  Plan plan;
  std::vector<std::vector<search::Trial>> trials; ///< by task
};
} // namespace

static Expected<Recording> readRecording(search::Database &database, int64_t number) {
  Recording recording;
  auto session = database.readSession(number);
  if (!session)
    return session.takeError();
  if (!*session)
    return llvm::createStringError("the database has no session " + std::to_string(number));
  recording.session = std::move(**session);
  Expected<Plan> plan = Plan::parse(recording.session.options);
  if (!plan)
    return plan.takeError();
  recording.plan = std::move(*plan);
  for (PlannedTask &planned : recording.plan.tasks) {
    auto task = database.readTask(planned.task.key);
    if (!task)
      return task.takeError();
    if (!*task)
      return llvm::createStringError("the database has no task " + planned.task.key);
    planned.task = std::move(**task);
    auto trials = database.readTrials(planned.task.key);
    if (!trials)
      return trials.takeError();
    llvm::erase_if(trials->valid, [&](const search::Trial &trial) {
      return trial.machine != recording.plan.machine || trial.epoch != recording.plan.epoch;
    });
    recording.trials.push_back(std::move(trials->valid));
  }
  return recording;
}

/// Returns the recorded outcome of a point, or nothing if it has none.
static std::optional<Outcome> findOutcome(ArrayRef<search::Trial> trials, llvm::StringRef point) {
  for (const search::Trial &trial : trials)
    if (trial.point == point) {
      Outcome outcome;
      outcome.status = trial.status;
      outcome.seconds = trial.seconds.value_or(0);
      return outcome;
    }
  return std::nullopt;
}

/// Gives `session` the recorded outcomes of a round, or gives its task up if there are none.
static Error addRecorded(Session &session, const Session::Round &round,
                         ArrayRef<search::Trial> trials) {
  const search::Space &space = session.getTasks()[round.task].search->getSpace().getSpace();
  std::vector<Outcome> outcomes;
  for (const search::Point &point : round.points)
    if (auto outcome = findOutcome(trials, space.print(point)))
      outcomes.push_back(std::move(*outcome));
  if (outcomes.empty())
    session.giveUp(round, "it could not be measured");
  else if (outcomes.size() == round.points.size())
    session.add(round, outcomes);
  else
    return llvm::createStringError("the database lacks trials of a round");
  return Error::success();
}

/// Fails if another library ranked the points of a session than the one that is here.
static Error checkRanker(const Plan &plan) {
  if (plan.search.ranking != SearchOptions::Model || plan.ranker.empty())
    return Error::success();
  Expected<std::string> library = search::CostModel::getLibrary();
  std::string here = library ? *library : llvm::toString(library.takeError());
  if (here == plan.ranker)
    return Error::success();
  return llvm::createStringError("the session was ranked by " + plan.ranker +
                                 ", without which the proposals may be others; here: " + here);
}

Expected<uint64_t> tuner::replay(search::Database &database, int64_t number,
                                 mlir::MLIRContext &context) {
  Expected<Recording> recording = readRecording(database, number);
  if (!recording)
    return recording.takeError();
  if (Error error = checkText(recording->plan.machineText))
    return std::move(error);
  if (Error error = checkRanker(recording->plan))
    return std::move(error);
  Expected<cpu::Machine> machine = cpu::readMachine(recording->plan.machineText);
  if (!machine)
    return llvm::createStringError("the plan of the session has no machine: " +
                                   llvm::toString(machine.takeError()));
  auto session = Session::create(recording->plan, recording->trials, context, machine->model);
  if (!session)
    return session.takeError();
  if (Error error = (*session)->learnFromOthers(database))
    return std::move(error);
  ArrayRef<search::Proposal> recorded = recording->session.proposals;
  uint64_t count = 0;
  while (count < recorded.size()) {
    auto round = (*session)->propose();
    if (!round)
      return round.takeError();
    if (!*round)
      return llvm::createStringError("the session ends after " + std::to_string(count) +
                                     " proposals, the recorded one has " +
                                     std::to_string(recorded.size()));
    const TaskState &state = (*session)->getTasks()[(*round)->task];
    for (const search::Point &point : (*round)->points) {
      std::string text = state.search->getSpace().getSpace().print(point);
      if (count == recorded.size() || recorded[count].task != state.planned.task.key ||
          recorded[count].point != text)
        return llvm::createStringError("proposal " + std::to_string(count) + " is '" + text +
                                       "', which is not what the session recorded");
      ++count;
    }
    if (Error error = addRecorded(**session, **round, recording->trials[(*round)->task]))
      return std::move(error);
  }
  return count;
}

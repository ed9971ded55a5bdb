//===- SessionRunner.cpp - runs sessions on a database --------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SessionRunner.h"
#include "Interrupt.h"
#include "tssa/Pipeline/Records.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace llvm;
using namespace tssa::tuner;

namespace tssa::tune {

SessionRunner::SessionRunner(const Options &options, Workers &workers, search::Database &database,
                             uint64_t weightBytes)
    : options(options), machine(workers.machine), database(database),
      machineId(getMachineId(machine) + "/t" + std::to_string(options.threads)),
      epoch(getEpoch().str()), progress(outs(), sys::Process::StandardOutIsDisplayed()) {
  uint64_t rotatedBytes = options.rotatedBytes.value_or(weightBytes);
  if (workers.pool) {
    workers.pool->setRotatedBytes(rotatedBytes);
    roof = workers.pool->getHost().roof;
    measurer = workers.pool.get();
    return;
  }
  WorkerOptions worker = getWorkerOptions(options);
  worker.machine = cpu::printMachine(machine);
  worker.rotatedBytes = rotatedBytes;
  own = createWorkerMeasurer(worker);
  measurer = own.get();
}

Expected<std::optional<double>> SessionRunner::getSeconds(StringRef key) {
  auto record = database.readRecord(key, machineId, epoch);
  if (!record)
    return record.takeError();
  return *record ? std::optional((*record)->seconds) : std::nullopt;
}

Expected<std::optional<double>> SessionRunner::getBestSeconds(StringRef key) {
  auto best = getSeconds(key);
  if (!best || *best)
    return best;
  auto trials = database.readTrials(key);
  if (!trials)
    return trials.takeError();
  for (const search::Trial &trial : trials->valid)
    if (trial.seconds && trial.machine == machineId && trial.epoch == epoch)
      *best = std::min(best->value_or(HUGE_VAL), *trial.seconds);
  return best;
}

Expected<std::vector<PlannedTask>> SessionRunner::findOpen(ArrayRef<PlannedTask> tasks) {
  std::vector<PlannedTask> found;
  for (const PlannedTask &planned : tasks) {
    auto known = database.readTask(planned.task.key);
    if (!known)
      return known.takeError();
    if (*known && (*known)->text != planned.task.text)
      return createStringError("the database has another kernel under the key " + planned.task.key);
    auto seconds = getSeconds(planned.task.key);
    if (!seconds)
      return seconds.takeError();
    if (!*seconds || options.goesOn)
      found.push_back(planned);
  }
  return found;
}

const Roof &SessionRunner::getRoof() {
  if (!roof)
    roof = measureRoof(machine.vectorBytes);
  return *roof;
}

/// Writes the plan and the tasks, and makes the session.
Error SessionRunner::prepare(mlir::MLIRContext &context, std::vector<PlannedTask> tasks,
                             const Budget &budget) {
  Plan plan;
  plan.model = sys::path::stem(options.input).str();
  plan.search = options.search;
  plan.trials = budget.trials;
  plan.trialsOfTask = budget.trialsOfTask;
  plan.threads = options.threads;
  plan.machine = machineId;
  plan.machineText = cpu::printMachine(machine);
  plan.epoch = epoch;
  plan.roof = getRoof();
  if (plan.search.ranking == SearchOptions::Model) {
    auto library = search::CostModel::getLibrary();
    if (!library)
      return library.takeError();
    plan.ranker = std::move(*library);
  }
  auto last = database.findLastTrial();
  if (!last)
    return last.takeError();
  plan.lastTrial = *last;
  std::vector<std::vector<search::Trial>> trials;
  search::WriteBatch batch;
  for (PlannedTask &planned : tasks) {
    auto earlier = database.readTrials(planned.task.key);
    if (!earlier)
      return earlier.takeError();
    llvm::erase_if(earlier->valid, [&](const search::Trial &trial) {
      return trial.machine != machineId || trial.epoch != epoch;
    });
    planned.earlier = earlier->valid.size();
    trials.push_back(std::move(earlier->valid));
    batch.tasks.push_back(planned.task);
  }
  plan.tasks = std::move(tasks);
  if (Error error = database.write(batch))
    return error;
  auto begun = database.beginSession(plan.search.seed, plan.print());
  if (!begun)
    return begun.takeError();
  number = *begun;
  auto created = Session::create(std::move(plan), trials, context, machine.model);
  if (!created)
    return created.takeError();
  session = std::move(*created);
  if (Error error = session->learnFromOthers(database))
    return error;
  numRounds = 0;
  opened = std::nullopt;
  outs() << "session " << number << ", roof " << format("%.0f", roof->flopsPerSecond * 1e-9)
         << " GFLOP/s a thread\n";
  return Error::success();
}

Error SessionRunner::open(size_t task) {
  if (opened == task)
    return Error::success();
  opened = std::nullopt;
  const TaskSearch &search = *session->getTasks()[task].search;
  const KernelSpace &space = search.getSpace();
  if (Error error = measurer->open(search.getTask(), print(space.decode(space.getDefault()))))
    return error;
  opened = task;
  return Error::success();
}

/// Measures the points of a round, and writes them.
Error SessionRunner::runRound(const Session::Round &round) {
  const TaskState &state = session->getTasks()[round.task];
  const KernelSpace &space = state.search->getSpace();
  search::WriteBatch batch;
  for (const search::Point &point : round.points)
    batch.proposals.push_back(
        {number, state.planned.task.key, numRounds, space.getSpace().print(point)});
  ++numRounds;
  if (Error error = open(round.task)) {
    if (error.isA<WorkersLost>())
      return error;
    session->giveUp(round, toString(std::move(error)));
    return database.write(batch);
  }
  std::vector<std::string> texts;
  for (const search::Point &point : round.points)
    texts.push_back(print(space.decode(point)));
  options.tell({"measure " + state.planned.name});
  Clock::time_point begin = Clock::now();
  auto outcomes = measurer->measure(texts, state.search->getBestSeconds());
  if (!outcomes)
    return outcomes.takeError();
  double wall = std::chrono::duration<double>(Clock::now() - begin).count() /
                static_cast<double>(outcomes->size());
  for (auto [outcome, proposal, point] : llvm::zip_equal(*outcomes, batch.proposals, round.points))
    batch.trials.push_back({proposal.task, proposal.point, outcome.status,
                            outcome.isMeasured() ? std::optional(outcome.seconds) : std::nullopt,
                            wall,
                            std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()),
                            session->getPlan().epoch, session->getPlan().machine,
                            space.getFeatures(point), session->getFeatureHash()});
  session->add(round, *outcomes);
  return database.write(batch);
}

/// Returns how many seconds are left, or nothing without a limit.
static std::optional<double> getSecondsLeft(const Budget &budget) {
  if (!budget.deadline)
    return std::nullopt;
  return std::chrono::duration<double>(*budget.deadline - Clock::now()).count();
}

Error SessionRunner::searchAll(const Budget &budget) {
  // What the final of each task that was searched takes, with opening it: most have 0.2 to 0.4.
  const double secondsOfFinal = budget.decides ? 0.4 : 0;
  while (true) {
    size_t searched = llvm::count_if(session->getTasks(), [](const TaskState &state) {
      return state.search && !state.search->getHistory().empty();
    });
    if (isInterrupted())
      return Error::success();
    std::optional<double> left = getSecondsLeft(budget);
    if (left && *left <= secondsOfFinal * static_cast<double>(searched))
      return Error::success();
    auto round = session->propose();
    if (!round)
      return round.takeError();
    if (!*round)
      return Error::success();
    if (Error error = runRound(**round))
      return error;
    if ((left = getSecondsLeft(budget)))
      left = std::max(*left, 0.0);
    options.tell({"propose loops"});
    progress.showRound(*session, (*round)->task, left);
  }
}

/// Compares each point with the first one, which is the default, and returns the first outcome of
/// the default.
Expected<std::vector<Outcome>> SessionRunner::compareOneByOne(ArrayRef<std::string> texts) {
  auto outcomes = measurer->compare(texts.take_front());
  for (const std::string &text : texts.drop_front()) {
    if (!outcomes)
      return outcomes;
    auto pair = measurer->compare({texts.front(), text});
    if (!pair)
      return pair;
    outcomes->push_back(std::move(pair->back()));
  }
  return outcomes;
}

/// Times the best points of a task and its default in turns, and records the winner.
Error SessionRunner::decide(size_t task) {
  constexpr double leastGain = 0.01;
  std::vector<search::Point> points = session->getFinalists(task);
  if (points.empty())
    return Error::success();
  const KernelSpace &space = session->getTasks()[task].search->getSpace();
  std::vector<std::string> texts;
  for (const search::Point &point : points)
    texts.push_back(print(space.decode(point)));
  if (Error error = open(task)) {
    if (error.isA<WorkersLost>())
      return error;
    consumeError(std::move(error)); // it was measured before: the next run tries again
    return Error::success();
  }
  auto outcomes = measurer->compare(texts);
  // One that ends the worker takes the others with it: then each meets the default alone.
  if (outcomes && !outcomes->front().isMeasured())
    outcomes = compareOneByOne(texts);
  if (!outcomes)
    return outcomes.takeError();
  if (!outcomes->front().isMeasured()) {
    outs() << session->getTasks()[task].planned.name << ": " << outcomes->front().error
           << "; the next run tries again\n";
    return Error::success();
  }
  Final final{points.front(), outcomes->front().seconds, outcomes->front().seconds, true};
  for (auto [point, outcome] : llvm::zip_equal(points, *outcomes))
    if (outcome.isMeasured() && outcome.seconds < final.seconds &&
        outcome.seconds < final.defaultSeconds * (1 - leastGain)) {
      final.point = point;
      final.seconds = outcome.seconds;
      final.isDefault = false;
    }
  session->setFinal(task, final);
  return record(task, final);
}

/// Writes the record of a task. The default is a record of the database only: it needs no file, and
/// that of an earlier session goes. The file comes first: with a record in the database, a later
/// session has nothing to do.
Error SessionRunner::record(size_t task, const Final &final) {
  const TaskSearch &search = *session->getTasks()[task].search;
  const TaskKernel &kernel = search.getKernel();
  RecordInfo info{getMachineId(machine), session->getPlan().epoch, options.threads, final.seconds,
                  final.defaultSeconds};
  auto scheduled = kernel.getScheduled(search.getSpace().decode(final.point));
  std::string text = printRecord(*scheduled, kernel.getConstants(), info);
  if (final.isDefault) {
    std::string path = getRecordPath(options.folder, search.getTask().key, info.machine);
    if (std::error_code error = sys::fs::remove(path))
      return createStringError(error, "cannot remove '" + path + "': " + error.message());
  } else if (Error error = writeRecord(options.folder, text)) {
    return error;
  }
  isRecorded |= !final.isDefault;
  search::WriteBatch batch;
  batch.records.push_back({search.getTask().key, session->getPlan().machine,
                           session->getPlan().epoch, final.seconds, text});
  return database.write(batch);
}

Error SessionRunner::run(mlir::MLIRContext &context, std::vector<PlannedTask> tasks,
                         const Budget &budget) {
  options.tell({"prepare", 0, tasks.size()});
  if (Error error = prepare(context, std::move(tasks), budget))
    return error;
  if (Error error = searchAll(budget))
    return error;
  size_t count = budget.decides ? session->getTasks().size() : 0;
  for (size_t task = 0; task < count; ++task) {
    options.tell({"compare the best loops", task, count});
    if (Error error = decide(task))
      return error;
  }
  if (budget.decides)
    progress.showEnd(*session);
  else
    progress.erase(); // what it found is for the search of layouts to say
  return Error::success();
}

} // namespace tssa::tune

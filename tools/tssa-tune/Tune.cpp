//===- Tune.cpp - tunes the kernels of a model ----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tune.h"
#include "Progress.h"
#include "Tasks.h"
#include "tssa/Pipeline/Records.h"
#include "tssa/Pipeline/Stages.h"
#include "tssa/Tuner/Worker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

#include <chrono>

using namespace llvm;
using namespace tssa::tuner;

namespace tssa::tune {

int report(const Twine &where, Error error, int code) {
  errs() << where << ": error: " << toString(std::move(error)) << '\n';
  return code;
}

Expected<search::Database> openDatabase(const Options &options) {
  if (std::error_code error = sys::fs::create_directories(options.folder))
    return createStringError(error, "cannot make the folder '" + options.folder +
                                        "': " + error.message());
  return search::Database::open(options.folder + "/tune.db");
}

namespace {
using Clock = std::chrono::steady_clock;

/// Runs a session on a database.
class Tuning {
public:
  Tuning(const Options &options, const cpu::Machine &machine, search::Database &database)
      : options(options), machine(machine), database(database),
        progress(outs(), sys::Process::StandardOutIsDisplayed()) {}

  Error run(mlir::MLIRContext &context, ModelTasks &model);

private:
  Error prepare(mlir::MLIRContext &context, ModelTasks &model);
  Error searchAll();
  Error runRound(const Session::Round &round);
  Error decide(size_t task);
  Error record(size_t task, const Final &final);
  /// Gives the measurer the task unless it has it.
  Error open(size_t task);
  double getSecondsLeft() const;

  const Options &options;
  const cpu::Machine &machine;
  search::Database &database;
  Progress progress;
  std::unique_ptr<Measurer> measurer;
  std::unique_ptr<Session> session;
  int64_t number = 0, numRounds = 0;
  std::optional<size_t> opened;
  Clock::time_point start = Clock::now();
};
} // namespace

double Tuning::getSecondsLeft() const {
  double passed = std::chrono::duration<double>(Clock::now() - start).count();
  return options.seconds ? *options.seconds - passed : HUGE_VAL;
}

/// Makes the plan from the tasks that have no record, and the session.
Error Tuning::prepare(mlir::MLIRContext &context, ModelTasks &model) {
  Plan plan;
  plan.search = options.search;
  plan.threads = options.threads;
  plan.machine = getMachineId(machine) + "/t" + std::to_string(options.threads);
  plan.machineText = cpu::printMachine(machine);
  plan.epoch = getEpoch().str();
  std::vector<std::vector<search::Trial>> trials;
  search::WriteBatch batch;
  unsigned numRecorded = 0;
  for (PlannedTask &planned : model.tasks) {
    auto known = database.readTask(planned.task.key);
    if (!known)
      return known.takeError();
    if (*known && (*known)->text != planned.task.text)
      return createStringError("the database has another kernel under the key " +
                               planned.task.key);
    auto record = database.readRecord(planned.task.key, plan.machine, plan.epoch);
    if (!record)
      return record.takeError();
    if (*record && !options.goesOn) {
      ++numRecorded;
      continue;
    }
    auto earlier = database.readTrials(planned.task.key);
    if (!earlier)
      return earlier.takeError();
    llvm::erase_if(earlier->valid, [&](const search::Trial &trial) {
      return trial.machine != plan.machine || trial.epoch != plan.epoch;
    });
    planned.earlier = earlier->valid.size();
    trials.push_back(std::move(earlier->valid));
    batch.tasks.push_back(planned.task);
    plan.tasks.push_back(planned);
  }
  constexpr uint64_t trialsOfTask = 64;
  plan.trials = options.trials.value_or(trialsOfTask * plan.tasks.size());
  outs() << plan.tasks.size() << " kernels to tune, " << numRecorded << " with a record";
  for (auto &[reason, count] : model.obstacles)
    outs() << ", " << count << " that keep the default: " << reason;
  outs() << '\n';
  if (plan.tasks.empty())
    return Error::success();
  plan.roof = measureRoof(machine.vectorBytes);
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
  outs() << "session " << number << ", roof "
         << format("%.0f", session->getPlan().roof.flopsPerSecond * 1e-9) << " GFLOP/s a thread\n";
  return Error::success();
}

Error Tuning::open(size_t task) {
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
Error Tuning::runRound(const Session::Round &round) {
  const TaskState &state = session->getTasks()[round.task];
  const KernelSpace &space = state.search->getSpace();
  search::WriteBatch batch;
  for (const search::Point &point : round.points)
    batch.proposals.push_back(
        {number, state.planned.task.key, numRounds, space.getSpace().print(point)});
  ++numRounds;
  if (Error error = open(round.task)) {
    session->giveUp(round, toString(std::move(error)));
    return database.write(batch);
  }
  std::vector<Outcome> outcomes;
  for (auto [point, proposal] : llvm::zip_equal(round.points, batch.proposals)) {
    Clock::time_point begin = Clock::now();
    Outcome outcome =
        measurer->measure(print(space.decode(point)), state.search->getBestSeconds());
    double wall = std::chrono::duration<double>(Clock::now() - begin).count();
    batch.trials.push_back(
        {proposal.task, proposal.point, outcome.status,
         outcome.isMeasured() ? std::optional(outcome.seconds) : std::nullopt, wall,
         std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()),
         session->getPlan().epoch, session->getPlan().machine});
    outcomes.push_back(std::move(outcome));
  }
  session->add(round, outcomes);
  return database.write(batch);
}

Error Tuning::searchAll() {
  // Each task that was searched needs time for its final.
  constexpr double secondsOfFinal = 1.5;
  while (true) {
    size_t searched = llvm::count_if(session->getTasks(), [](const TaskState &state) {
      return state.search && !state.search->getHistory().empty();
    });
    if (getSecondsLeft() <= secondsOfFinal * static_cast<double>(searched))
      return Error::success();
    auto round = session->propose();
    if (!round)
      return round.takeError();
    if (!*round)
      return Error::success();
    if (Error error = runRound(**round))
      return error;
    progress.showRound(*session, (*round)->task,
                       options.seconds ? std::optional(std::max(getSecondsLeft(), 0.0))
                                       : std::nullopt);
  }
}

/// Times the best points of a task and its default in turns, and records the winner.
Error Tuning::decide(size_t task) {
  constexpr double leastGain = 0.01;
  std::vector<search::Point> points = session->getFinalists(task);
  if (points.empty())
    return Error::success();
  const KernelSpace &space = session->getTasks()[task].search->getSpace();
  std::vector<std::string> texts;
  for (const search::Point &point : points)
    texts.push_back(print(space.decode(point)));
  if (Error error = open(task)) {
    consumeError(std::move(error)); // it was measured before: the next run tries again
    return Error::success();
  }
  std::vector<Outcome> outcomes = measurer->compare(texts);
  if (!outcomes.front().isMeasured())
    return Error::success();
  Final final{points.front(), outcomes.front().seconds, outcomes.front().seconds, true};
  for (auto [point, outcome] : llvm::zip_equal(points, outcomes))
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
Error Tuning::record(size_t task, const Final &final) {
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
  search::WriteBatch batch;
  batch.records.push_back({search.getTask().key, session->getPlan().machine,
                           session->getPlan().epoch, final.seconds, text});
  return database.write(batch);
}

Error Tuning::run(mlir::MLIRContext &context, ModelTasks &model) {
  if (Error error = prepare(context, model))
    return error;
  if (!session)
    return Error::success();
  WorkerOptions worker;
  worker.command = {options.program, "--worker"};
  if (!options.fault.empty())
    worker.command.push_back("--inject-fault=" + options.fault);
  worker.machine = cpu::printMachine(machine);
  worker.threads = options.threads;
  worker.seed = options.search.seed;
  worker.rotatedBytes = options.rotatedBytes.value_or(model.weightBytes);
  worker.memoryLimit = options.memoryLimit;
  worker.buildSeconds = options.buildLimit;
  worker.runSeconds = options.runLimit;
  measurer = createWorkerMeasurer(worker);
  if (Error error = searchAll())
    return error;
  for (size_t task = 0; task < session->getTasks().size(); ++task)
    if (Error error = decide(task))
      return error;
  progress.showEnd(*session);
  return Error::success();
}

int tuneModel(const Options &options) {
  Expected<cpu::Machine> machine = cpu::resolveMachine("native");
  if (!machine)
    return report("tssa-tune", machine.takeError());
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  ModelTasks model;
  if (int code = readTasks(context, options, *machine, model))
    return code;
  if (model.tasks.empty()) {
    outs() << "the model has no kernel that can be tuned: the defaults stay\n";
    return Success;
  }
  Expected<search::Database> database = openDatabase(options);
  if (!database)
    return report("tssa-tune", database.takeError());
  if (Error error = Tuning(options, *machine, *database).run(context, model))
    return report("tssa-tune", std::move(error));
  return Success;
}

int replaySession(const Options &options) {
  if (!sys::fs::exists(options.folder + "/tune.db"))
    return report("tssa-tune", createStringError("'" + options.folder + "' has no database"));
  Expected<search::Database> database = openDatabase(options);
  if (!database)
    return report("tssa-tune", database.takeError());
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  Expected<uint64_t> count = replay(*database, *options.replayed, context);
  if (!count)
    return report("tssa-tune", count.takeError(), Mismatch);
  outs() << *count << " proposals of session " << *options.replayed << " are derived again\n";
  return Success;
}

} // namespace tssa::tune

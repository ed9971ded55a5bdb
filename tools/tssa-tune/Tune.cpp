//===- Tune.cpp - tunes the kernels of a model ----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tune.h"
#include "Interrupt.h"
#include "JointSearch.h"
#include "Look.h"
#include "OpenSizes.h"
#include "ProgramRace.h"
#include "RecordFolder.h"
#include "SessionRunner.h"
#include "Tasks.h"
#include "tools/common/LineEraser.h"
#include "tssa/Pipeline/Records.h"
#include "tssa/Search/CostModel.h"
#include "tssa/Tuner/Report.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InterleavedRange.h"

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
    return createStringError(error,
                             "cannot make the folder '" + options.folder + "': " + error.message());
  return search::Database::open(options.folder + "/tune.db");
}

/// Says how many tasks are searched, and why some are not.
static void describe(const ModelTasks &model, size_t open) {
  outs() << open << " kernels to tune, " << model.tasks.size() - open << " with a record";
  for (auto &[reason, count] : model.obstacles)
    outs() << ", " << count << " that keep the default: " << reason;
  outs() << '\n';
}

/// Adds tasks that the model does not have.
static void addTasks(std::vector<PlannedTask> tasks, ModelTasks &model) {
  for (PlannedTask &task : tasks)
    if (none_of(model.tasks,
                [&](const PlannedTask &known) { return known.task.key == task.task.key; }))
      model.tasks.push_back(std::move(task));
}

/// Writes the records of ends to `folder`.
static Error writeEnds(StringRef folder, ArrayRef<std::string> records) {
  for (const std::string &text : records)
    if (Error error = writeRecord(folder, text, RecordKind::Ends))
      return error;
  return Error::success();
}

/// Says what one run of each program takes.
static void describe(ArrayRef<Program> programs) {
  for (const Program &program : programs)
    outs() << "the program " << program.name << ": " << printTime(program.results.front().seconds)
           << '\n';
}

/// Says what the records gain in the program. Each is of a kernel that was measured alone, with
/// operands that are warm, and chosen for being fast: in the program, less of it may be left.
static Error showProgram(mlir::MLIRContext &context, const Options &options,
                         const cpu::Machine &machine, search::Database &database, int64_t session) {
  std::vector<Program> programs = {{"by default", ""}, {"with its records", options.folder}};
  if (Error error = raceProgram(context, options, machine, SizePoint(), programs)) {
    outs() << "the program was not timed: " << toString(std::move(error)) << '\n';
    return Error::success();
  }
  describe(programs);
  return database.writeProgram(
      session, {programs[0].results.front().seconds, programs[1].results.front().seconds});
}

/// Times the program with the default loops, with the best loops, and with the layouts too, and
/// writes the records of the layouts if that is the fastest.
static Error decideLayouts(mlir::MLIRContext &context, const Options &options,
                           const cpu::Machine &machine, ArrayRef<std::string> records,
                           search::Database &database, int64_t session) {
  SmallString<128> loops, both;
  scope_exit remove([&] {
    sys::fs::remove_directories(loops);
    sys::fs::remove_directories(both);
  });
  for (SmallString<128> *folder : {&loops, &both})
    if (Error error = copyLoops(options.folder, *folder))
      return error;
  if (Error error = writeEnds(both, records))
    return error;
  std::vector<Program> programs = {{"by default", ""},
                                   {"with the loops", std::string(loops)},
                                   {"with the layouts and loops", std::string(both)}};
  if (Error error = raceProgram(context, options, machine, SizePoint(), programs)) {
    outs() << "the compiler's layouts stay: " << toString(std::move(error)) << '\n';
    return Error::success();
  }
  describe(programs);
  double standard = programs[0].results.front().seconds;
  double ofLoops = programs[1].results.front().seconds,
         ofBoth = programs[2].results.front().seconds;
  if (Error error = database.writeProgram(session, {standard, std::min(ofLoops, ofBoth)}))
    return error;
  if (ofBoth >= ofLoops) {
    outs() << "the compiler's layouts stay\n";
    return Error::success();
  }
  return writeEnds(options.folder, records);
}

/// Searches layouts and loops together, and then the loops of the program that has the layouts.
/// Kernels of open sizes keep their layouts, and get versions at `points`.
static Error tune(Options &options, Workers &workers, search::Database &database,
                  mlir::ModuleOp module, ModelTasks model, ArrayRef<TunedPoint> points) {
  constexpr uint64_t trialsOfTask = 64;
  Clock::time_point start = Clock::now();
  const cpu::Machine &machine = workers.machine;
  SessionRunner runner(options, workers, database, countWeightBytes(module));
  auto open = runner.findOpen(model.tasks);
  if (!open)
    return open.takeError();
  describe(model, open->size());
  if (open->empty())
    return Error::success();
  uint64_t trials = options.trials.value_or(trialsOfTask * open->size());
  auto getBudget = [&](double share) {
    Budget budget{static_cast<uint64_t>(static_cast<double>(trials) * share), {}};
    if (options.seconds)
      budget.deadline = start + std::chrono::duration_cast<Clock::duration>(
                                    std::chrono::duration<double>(*options.seconds * share));
    return budget;
  };
  JointResult joint;
  if (options.joint > 0 && model.openKernels.empty()) {
    auto result = JointSearch(options, machine, runner, module).run(getBudget(options.joint));
    if (!result)
      return result.takeError();
    joint = std::move(*result);
  }
  if (joint.module) { // both programs get loops
    auto other = collectTasks(*joint.module, machine.model);
    if (!other)
      return other.takeError();
    addTasks(std::move(other->tasks), model);
    open = runner.findOpen(model.tasks);
    if (!open)
      return open.takeError();
    describe(model, open->size());
  }
  Error error = runner.run(*module.getContext(), std::move(*open), getBudget(1));
  if (!options.session)
    options.session = runner.getLastSession();
  if (!error && !model.openKernels.empty())
    return decideVersions(*module.getContext(), options, machine, points, model);
  if (error || !joint.module) {
    bool canRun = !error && options.workerCommands.empty() && !isInterrupted();
    if (canRun && runner.hasRecorded())
      return showProgram(*module.getContext(), options, machine, database, *options.session);
    return error;
  }
  return decideLayouts(*module.getContext(), options, machine, joint.records, database,
                       *options.session);
}

/// Lets the draft rank alone if the library of the cost model is not there.
static void chooseRanking(Options &options) {
  if (options.search.ranking != SearchOptions::Model)
    return;
  Expected<std::string> library = search::CostModel::getLibrary();
  if (library)
    return;
  options.search.ranking = SearchOptions::DraftOnly;
  outs() << "the draft alone ranks points; the search is better with XGBoost (pip install "
            "'tssa-compiler[tune]', or Debian's libxgboost0), which is not there: "
         << toString(library.takeError()) << '\n';
}

int tuneModel(Options &options) {
  tools::ProgressLine line("tssa-tune");
  tools::LineEraser eraser(line);
  options.progress = [&](const ProgressEvent &event) { line.show(event); };
  scope_exit detach([&] { options.progress = nullptr; });
  options.tell({"start"});
  Expected<Workers> workers = startWorkers(options);
  if (!workers)
    return report("tssa-tune", workers.takeError());
  std::unique_ptr<mlir::MLIRContext> context = createContext();
  mlir::OwningOpRef<mlir::ModuleOp> module;
  if (int code = compileToTE(*context, options, workers->machine, module))
    return code;
  options.tell({"find kernels"});
  Expected<std::vector<TunedPoint>> points = makePoints(options, *module);
  if (!points)
    return report("tssa-tune", points.takeError(), UsageError);
  Expected<ModelTasks> model = collectTasks(*module, workers->machine.model, *points);
  if (!model)
    return report(options.input, model.takeError());
  if (!points->empty())
    outs() << "sizes are open; tuning for "
           << interleaved(
                  map_range(*points, [](const TunedPoint &point) { return print(point.sizes); }),
                  "; ")
           << (options.sizes.empty() ? " (--sizes NAME=N,N for others)\n" : "\n");
  chooseRanking(options);
  if (model->tasks.empty()) {
    outs() << "the model has no kernel that can be tuned: the defaults stay\n";
    return Success;
  }
  Expected<search::Database> database = openDatabase(options);
  if (!database)
    return report("tssa-tune", database.takeError());
  takeInterrupts();
  if (Error error = tune(options, *workers, *database, *module, std::move(*model), *points))
    return report("tssa-tune", std::move(error));
  if (!isInterrupted())
    return Success;
  outs() << "interrupted: --continue searches on\n";
  return Interrupted;
}

int replaySession(const Options &options) {
  Expected<search::Database> database = openExisting(options);
  if (!database)
    return report("tssa-tune", database.takeError());
  std::unique_ptr<mlir::MLIRContext> context = createContext();
  Expected<uint64_t> count = replay(*database, *options.replayed, *context);
  if (!count)
    return report("tssa-tune", count.takeError(), Mismatch);
  outs() << *count << " proposals of session " << *options.replayed << " are derived again\n";
  return Success;
}

} // namespace tssa::tune

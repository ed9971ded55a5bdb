//===- Tune.cpp - tunes the kernels of a model ----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tune.h"
#include "JointSearch.h"
#include "Look.h"
#include "SessionRunner.h"
#include "Tasks.h"
#include "llvm/Support/FileSystem.h"

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

/// Searches layouts and loops together, and then the loops of the program that has the layouts.
static Error tune(Options &options, Workers &workers, search::Database &database,
                  mlir::ModuleOp module, ModelTasks model) {
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
  JointSearch joint(options, machine, runner, module);
  mlir::OwningOpRef<mlir::ModuleOp> changed;
  if (options.joint > 0) {
    auto result = joint.run(getBudget(options.joint));
    if (!result)
      return result.takeError();
    changed = std::move(*result);
  }
  if (changed) {
    auto other = collectTasks(*changed, machine.model);
    if (!other)
      return other.takeError();
    model = std::move(*other);
    open = runner.findOpen(model.tasks);
    if (!open)
      return open.takeError();
    describe(model, open->size());
  }
  Error error = runner.run(*module.getContext(), std::move(*open), getBudget(1));
  if (!options.session)
    options.session = runner.getLastSession();
  return error;
}

int tuneModel(Options &options) {
  Expected<Workers> workers = startWorkers(options);
  if (!workers)
    return report("tssa-tune", workers.takeError());
  std::unique_ptr<mlir::MLIRContext> context = createContext();
  mlir::OwningOpRef<mlir::ModuleOp> module;
  if (int code = compileToTE(*context, options, workers->machine, module))
    return code;
  Expected<ModelTasks> model = collectTasks(*module, workers->machine.model);
  if (!model)
    return report(options.input, model.takeError());
  if (model->tasks.empty()) {
    outs() << "the model has no kernel that can be tuned: the defaults stay\n";
    return Success;
  }
  Expected<search::Database> database = openDatabase(options);
  if (!database)
    return report("tssa-tune", database.takeError());
  if (Error error = tune(options, *workers, *database, *module, std::move(*model)))
    return report("tssa-tune", std::move(error));
  return Success;
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

//===- Tune.cpp - tunes the kernels of a model ----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tune.h"
#include "EndsSearch.h"
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
    return createStringError(error, "cannot make the folder '" + options.folder +
                                        "': " + error.message());
  return search::Database::open(options.folder + "/tune.db");
}

/// Searches the loops of all kernels, and then other layouts for the ends of those that count.
static Error tune(Options &options, const cpu::Machine &machine, search::Database &database,
                  mlir::ModuleOp module, const ModelTasks &model) {
  constexpr uint64_t trialsOfTask = 64;
  // What a search of layouts gets of the budget.
  constexpr double shareOfEnds = 0.25;
  Clock::time_point start = Clock::now();
  SessionRunner runner(options, machine, database, countWeightBytes(module));
  auto open = runner.findOpen(model.tasks);
  if (!open)
    return open.takeError();
  outs() << open->size() << " kernels to tune, " << model.tasks.size() - open->size()
         << " with a record";
  for (auto &[reason, count] : model.obstacles)
    outs() << ", " << count << " that keep the default: " << reason;
  outs() << '\n';
  if (open->empty())
    return Error::success();
  EndsSearch ends(options, machine, runner, module, model);
  double share = ends.hasChoices() ? 1 - shareOfEnds : 1;
  uint64_t trials = options.trials.value_or(trialsOfTask * open->size());
  auto after = [&](double seconds) {
    return start + std::chrono::duration_cast<Clock::duration>(
                       std::chrono::duration<double>(seconds));
  };
  Budget budget{static_cast<uint64_t>(std::ceil(static_cast<double>(trials) * share)), {}};
  if (options.seconds)
    budget.deadline = after(*options.seconds * share);
  Error error = runner.run(*module.getContext(), std::move(*open), budget);
  // The page is about this session, not about those of other layouts.
  if (!options.session)
    options.session = runner.getFirstSession();
  if (error)
    return error;
  if (share == 1)
    return Error::success();
  budget.trials = trials - budget.trials;
  if (options.seconds)
    budget.deadline = after(*options.seconds);
  return ends.run(budget);
}

int tuneModel(Options &options) {
  Expected<cpu::Machine> machine = cpu::resolveMachine("native");
  if (!machine)
    return report("tssa-tune", machine.takeError());
  std::unique_ptr<mlir::MLIRContext> context = createContext();
  mlir::OwningOpRef<mlir::ModuleOp> module;
  if (int code = compileToTE(*context, options, *machine, module))
    return code;
  Expected<ModelTasks> model = collectTasks(*module, machine->model);
  if (!model)
    return report(options.input, model.takeError());
  if (model->tasks.empty()) {
    outs() << "the model has no kernel that can be tuned: the defaults stay\n";
    return Success;
  }
  Expected<search::Database> database = openDatabase(options);
  if (!database)
    return report("tssa-tune", database.takeError());
  if (Error error = tune(options, *machine, *database, *module, *model))
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

//===- Rankings.cpp - compares rankings on recorded trials ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rankings.h"
#include "Look.h"
#include "Tasks.h"
#include "Tune.h"
#include "tssa/Tuner/Judge.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace tssa::tuner;

namespace tssa::tune {

static constexpr unsigned numSeeds = 5;

/// Returns what a database has of other tasks, measured where `trials` were.
static Expected<std::vector<search::Row>>
readOthers(search::Database &database, const TaskSearch &search, ArrayRef<search::Trial> trials) {
  auto model = search::CostModel::create(search.getSpace().getFeatureNames());
  if (!model)
    return model.takeError();
  constexpr size_t mostRows = 2048;
  auto rows = database.readRows(
      {trials.back().machine, trials.back().epoch, model->getFeatureHash(), INT64_MAX, mostRows});
  if (rows)
    llvm::erase_if(*rows, [&](const search::Row &row) { return row.task == search.getNumber(); });
  return rows;
}

/// Prints the judgements of one task, unless it has fewer trials than are searched.
static Error judgeTask(const PlannedTask &planned, search::Database &database,
                       mlir::MLIRContext &context, const cpu::Machine &machine) {
  constexpr size_t fewTrials = 64;
  auto trials = database.readTrials(planned.task.key);
  if (!trials)
    return trials.takeError();
  auto created = TaskSearch::create(planned.task, context, machine.model, {});
  if (!created)
    return created.takeError();
  for (const search::Trial &trial : trials->valid)
    (*created)->addEarlier(trial);
  search::History history = (*created)->getHistory();
  outs() << planned.name << ": " << history.size() << " trials\n";
  if (history.size() < fewTrials)
    return Error::success();
  auto others = readOthers(database, **created, trials->valid);
  if (!others)
    return others.takeError();
  ArrayRef<search::Row> none;
  for (auto [name, ranking, rows] : {std::tuple("random", SearchOptions::None, none),
                                     {"draft", SearchOptions::DraftOnly, none},
                                     {"model", SearchOptions::Model, none},
                                     {"others", SearchOptions::Model, ArrayRef(*others)}}) {
    if (ranking == SearchOptions::Model && others->empty() && name == StringRef("others"))
      continue;
    auto judgements = judge((*created)->getSpace(), history, ranking, numSeeds, rows);
    if (!judgements)
      return judgements.takeError();
    outs() << "  " << left_justify(name, 8);
    for (const Judgement &judgement : *judgements)
      outs() << format("  %zu: %.3f", judgement.trials, judgement.share);
    outs() << '\n';
  }
  return Error::success();
}

int judgeRankings(const Options &options) {
  Expected<cpu::Machine> machine = cpu::resolveMachine("native");
  if (!machine)
    return report("tssa-tune", machine.takeError());
  Expected<search::Database> database = openExisting(options);
  if (!database)
    return report("tssa-tune", database.takeError());
  std::unique_ptr<mlir::MLIRContext> context = createContext();
  mlir::OwningOpRef<mlir::ModuleOp> module;
  if (int code = compileToTE(*context, options, *machine, module))
    return code;
  Expected<ModelTasks> model = collectTasks(*module, machine->model);
  if (!model)
    return report("tssa-tune", model.takeError());
  for (const PlannedTask &planned : model->tasks)
    if (Error error = judgeTask(planned, *database, *context, *machine))
      return report("tssa-tune", std::move(error));
  return Success;
}

} // namespace tssa::tune

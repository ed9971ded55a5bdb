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

/// Prints the judgements of one task, unless it has fewer trials than are searched.
static Error judgeTask(const PlannedTask &planned, ArrayRef<search::Trial> trials,
                       mlir::MLIRContext &context, const cpu::Machine &machine) {
  constexpr size_t fewTrials = 64;
  auto created = TaskSearch::create(planned.task, context, machine.model, {});
  if (!created)
    return created.takeError();
  for (const search::Trial &trial : trials)
    (*created)->addEarlier(trial);
  search::History history = (*created)->getHistory();
  outs() << planned.name << ": " << history.size() << " trials\n";
  if (history.size() < fewTrials)
    return Error::success();
  for (auto [name, ranking] : {std::pair("random", SearchOptions::None),
                               {"draft", SearchOptions::DraftOnly},
                               {"model", SearchOptions::Model}}) {
    auto judgements = judge((*created)->getSpace(), history, ranking, numSeeds);
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
  for (const PlannedTask &planned : model->tasks) {
    auto trials = database->readTrials(planned.task.key);
    if (!trials)
      return report("tssa-tune", trials.takeError());
    if (Error error = judgeTask(planned, trials->valid, *context, *machine))
      return report("tssa-tune", std::move(error));
  }
  return Success;
}

} // namespace tssa::tune

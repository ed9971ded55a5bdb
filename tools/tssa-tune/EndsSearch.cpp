//===- EndsSearch.cpp - other layouts between kernels ---------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EndsSearch.h"
#include "mlir/IR/IRMapping.h"
#include "tssa/Pipeline/Records.h"
#include "tssa/Pipeline/Tasks.h"
#include "tssa/Tuner/Report.h"

using namespace llvm;
using namespace tssa::tuner;
namespace te = mlir::tssa::te;

namespace tssa::tune {

/// How many trials a new task gets.
static constexpr uint64_t trialsOfTask = 16;
/// Times of different sessions differ by some percent: layouts are taken if they gain more.
static constexpr double leastGain = 0.03;
/// Layouts are tried unless the draft predicts this many times the time.
static constexpr double mostPredicted = 1.1;
/// The kernels that are predicted to take the longest are looked at, this many.
static constexpr size_t mostKernels = 8;

EndsSearch::EndsSearch(const Options &options, const cpu::Machine &machine, SessionRunner &runner,
                       mlir::ModuleOp module, const ModelTasks &model)
    : options(options), machine(machine), runner(runner), module(module.clone()),
      tasks(model.tasks) {
  if (!options.loopsOnly)
    findChoices();
}

std::optional<double> EndsSearch::predict(const PlannedTask &task) {
  auto [found, isNew] = predictions.try_emplace(task.task.key);
  if (isNew) {
    auto search = TaskSearch::create(task.task, *module->getContext(), machine.model, {});
    if (search)
      found->second = (*search)->getSpace().getCycles((*search)->getSpace().getDefault());
    else
      consumeError(search.takeError());
  }
  return found->second;
}

mlir::OwningOpRef<mlir::ModuleOp> EndsSearch::change(const Choice &choice) const {
  mlir::OwningOpRef<mlir::ModuleOp> changed = mlir::ModuleOp(*module).clone();
  auto target = changed->lookupSymbol<te::KernelOp>(choice.kernel);
  mlir::IRMapping mapping;
  target.getSchedule().getBlocks().clear();
  te::KernelOp(*choice.ends.kernel).getSchedule().cloneInto(&target.getSchedule(), mapping);
  return changed;
}

/// Finds the layouts that the draft does not predict to be much slower.
void EndsSearch::findChoices() {
  std::map<std::string, double> cycles;
  for (const PlannedTask &task : tasks)
    cycles[task.name] += task.calls * predict(task).value_or(0);
  std::vector<std::pair<double, KernelTask>> kernels;
  for (KernelTask &task : findTasks(*module))
    if (double own = cycles[task.kernel.getSymName().str()]; own > 0)
      kernels.push_back({-own, std::move(task)});
  llvm::sort(kernels, [](auto &a, auto &b) { return a.first < b.first; });
  for (auto &[time, task] : MutableArrayRef(kernels).take_front(mostKernels))
    for (EndsChoice &ends : findEndsChoices(task.kernel, task.constants)) {
      Choice choice{task.kernel.getSymName().str(),
                    std::vector<unsigned>(task.constants.begin(), task.constants.end()),
                    std::move(ends)};
      Expected<ModelTasks> other = collectTasks(*change(choice), machine.model);
      if (!other) { // these layouts do not fit the program
        consumeError(other.takeError());
        continue;
      }
      auto getTime = [&](const PlannedTask &task) -> Expected<std::optional<double>> {
        return predict(task);
      };
      auto difference = cantFail(compare(*other, getTime));
      if (!difference || difference->before == 0 ||
          difference->after > mostPredicted * difference->before)
        continue;
      choice.gain = difference->before - difference->after;
      choices.push_back(std::move(choice));
    }
  llvm::sort(choices, [](const Choice &a, const Choice &b) { return a.gain > b.gain; });
}

Expected<std::optional<EndsSearch::Difference>> EndsSearch::compare(const ModelTasks &other,
                                                                    GetTime getTime) const {
  Difference difference;
  // How many calls are more with the other tasks, by key.
  std::map<std::string, std::pair<double, const PlannedTask *>> calls;
  for (const PlannedTask &task : tasks) {
    calls[task.task.key].first -= task.calls;
    calls[task.task.key].second = &task;
  }
  for (const PlannedTask &task : other.tasks) {
    calls[task.task.key].first += task.calls;
    calls[task.task.key].second = &task;
  }
  for (auto &[key, entry] : calls) {
    auto [more, task] = entry;
    if (more == 0)
      continue;
    Expected<std::optional<double>> time = getTime(*task);
    if (!time)
      return time.takeError();
    if (!*time)
      return std::nullopt;
    (more > 0 ? difference.after : difference.before) += std::abs(more) * **time;
  }
  return difference;
}

Error EndsSearch::record(const Choice &choice, const Difference &difference) const {
  RecordInfo info{getMachineId(machine), getEpoch().str(), options.threads, difference.after,
                  difference.before};
  return writeRecord(options.folder,
                     printRecord(*choice.ends.kernel, choice.constants, info, RecordKind::Ends),
                     RecordKind::Ends);
}

/// Searches the tasks that are new with a choice, and takes it if it gains.
Error EndsSearch::tryChoice(const Choice &choice, Budget &budget) {
  mlir::OwningOpRef<mlir::ModuleOp> changed = change(choice);
  Expected<ModelTasks> other = collectTasks(*changed, machine.model);
  if (!other) { // it fits no more, with what was taken before
    consumeError(other.takeError());
    return Error::success();
  }
  auto open = runner.findOpen(other->tasks);
  if (!open)
    return open.takeError();
  llvm::erase_if(*open, [&](const PlannedTask &task) {
    auto isSame = [&](const PlannedTask &own) { return own.task.key == task.task.key; };
    return llvm::any_of(tasks, isSame);
  });
  if (!open->empty()) {
    Budget own{std::min(budget.trials, trialsOfTask * open->size()), budget.deadline};
    budget.trials -= own.trials;
    outs() << choice.kernel << ", " << choice.ends.name << ":\n";
    if (Error error = runner.run(*module->getContext(), std::move(*open), own))
      return error;
  }
  auto difference = compare(
      *other, [&](const PlannedTask &task) { return runner.getSeconds(task.task.key); });
  if (!difference)
    return difference.takeError();
  if (!*difference || (*difference)->before == 0)
    return Error::success();
  bool gains = (*difference)->after < (*difference)->before * (1 - leastGain);
  outs() << choice.kernel << ", " << choice.ends.name << ": " << printTime((*difference)->before)
         << " -> " << printTime((*difference)->after) << (gains ? ", taken\n" : ", left\n");
  if (!gains)
    return Error::success();
  module = std::move(changed);
  tasks = std::move(other->tasks);
  return record(choice, **difference);
}

Error EndsSearch::run(Budget budget) {
  for (const Choice &choice : choices) {
    bool isLate = budget.deadline && Clock::now() >= *budget.deadline;
    if (isLate || budget.trials == 0)
      break;
    if (Error error = tryChoice(choice, budget))
      return error;
  }
  return Error::success();
}

} // namespace tssa::tune

//===- Report.cpp - reads a recorded session to be looked at --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Tuner/Report.h"
#include "LoopWords.h"
#include "tssa/Pipeline/Records.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace tssa;
using namespace tssa::tuner;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

uint64_t TaskReport::countFailures() const {
  uint64_t count = 0;
  for (auto [status, number] : failures)
    count += number;
  return count;
}

StringRef tuner::getName(search::TrialStatus status) {
  static constexpr llvm::StringLiteral names[] = {"measured", "not built", "wrong results",
                                                  "too slow", "crash",     "out of memory"};
  return names[static_cast<size_t>(status)];
}

std::string tuner::printTime(double seconds) {
  for (auto [unit, scale] : {std::pair("ns", 1e-9), {"us", 1e-6}, {"ms", 1e-3}})
    if (seconds < 1000 * scale) {
      double number = seconds / scale;
      return llvm::formatv(number < 10 ? "{0:F2} {1}" : "{0:F1} {1}", number, unit).str();
    }
  return llvm::formatv("{0:F2} s", seconds).str();
}

namespace {
/// Reads the tasks of one session.
class ReportReader {
public:
  ReportReader(search::Database &database, const search::Session &session, SessionReport &report,
               mlir::MLIRContext &context, const cpu::Machine &machine)
      : database(database), report(report), context(context), machine(machine) {
    const Plan &plan = report.plan;
    StringRef id = plan.machine;
    isHere = id.rsplit("/t").first == getMachineId(machine) && plan.epoch == getEpoch();
    for (const search::Proposal &proposal : session.proposals)
      proposed.insert({proposal.task, proposal.point});
  }

  Error read(const PlannedTask &planned, TaskReport &task);

private:
  Error readTrials(const PlannedTask &planned, TaskReport &task);
  Error readRecord(TaskReport &task);
  void readPoints(const std::string &text, TaskReport &task);
  std::optional<search::Point> findWinner(const TaskSearch &search) const;
  std::string findReason(const TaskReport &task) const;

  search::Database &database;
  SessionReport &report;
  mlir::MLIRContext &context;
  const cpu::Machine &machine;
  bool isHere = false; ///< the session ran on this machine, with this code generator
  std::set<std::pair<std::string, std::string>> proposed; ///< keys and points
  std::vector<search::Trial> trials;                      ///< of the task, as in its report
  std::string record;                                     ///< the text, or empty
  RecordInfo measured;                                    ///< of the record
  std::string obstacle;
};
} // namespace

/// Takes the earlier trials and those that the session proposed.
Error ReportReader::readTrials(const PlannedTask &planned, TaskReport &task) {
  auto all = database.readTrials(task.key);
  if (!all)
    return all.takeError();
  uint64_t number = 0;
  for (search::Trial &trial : all->valid) {
    if (trial.machine != report.plan.machine || trial.epoch != report.plan.epoch)
      continue;
    bool isEarlier = number++ < planned.earlier;
    if (!isEarlier && !proposed.count({task.key, trial.point}))
      continue;
    task.numEarlier += isEarlier;
    if (!isEarlier) {
      report.when = std::max(report.when, trial.when);
      if (!trial.seconds)
        ++task.failures[trial.status];
    }
    task.trials.push_back(trial.seconds);
    if (trial.seconds && (task.bestSeconds == 0 || *trial.seconds < task.bestSeconds))
      task.bestSeconds = *trial.seconds;
    trials.push_back(std::move(trial));
  }
  return Error::success();
}

/// Takes the times of the record, which were measured in turns.
Error ReportReader::readRecord(TaskReport &task) {
  auto found = database.readRecord(task.key, report.plan.machine, report.plan.epoch);
  if (!found) {
    llvm::consumeError(found.takeError()); // a row that is out of range counts as none
    return Error::success();
  }
  if (!*found)
    return Error::success();
  Expected<RecordHeader> header = parseRecordHeader((*found)->schedule);
  if (!header) {
    llvm::consumeError(header.takeError());
    return Error::success();
  }
  record = std::move((*found)->schedule);
  measured = header->info;
  task.defaultSeconds = measured.defaultSeconds;
  task.bestSeconds = measured.seconds;
  task.isTuned = measured.seconds < measured.defaultSeconds;
  task.loops = describeSchedule(record); // unless the point is found
  return Error::success();
}

/// Returns the point whose loops are those of the record, or, without a record, the fastest one.
std::optional<search::Point> ReportReader::findWinner(const TaskSearch &search) const {
  constexpr size_t finalists = 16;
  std::vector<search::Point> points;
  for (const search::Measured &best : search.getBest(finalists))
    points.push_back(best.point);
  points.push_back(search.getSpace().getDefault());
  if (record.empty())
    return points.front();
  for (const search::Point &point : points) {
    auto scheduled = search.getKernel().getScheduled(search.getSpace().decode(point));
    if (printRecord(*scheduled, search.getKernel().getConstants(), measured) == record)
      return point;
  }
  return std::nullopt;
}

/// Opens the space of the task for what depends on it.
void ReportReader::readPoints(const std::string &text, TaskReport &task) {
  task.stores = describeStores(text);
  auto search = TaskSearch::create({task.key, text}, context, machine.model, report.plan.search);
  if (!search) {
    obstacle = llvm::toString(search.takeError());
    return;
  }
  const TaskKernel &kernel = (*search)->getKernel();
  task.roofSeconds = report.plan.roof.getSeconds(kernel.countOperationsOfF32(), kernel.countBytes(),
                                                 report.plan.threads);
  if (!isHere)
    return; // the space may be another one
  for (const search::Trial &trial : trials)
    (*search)->addEarlier(trial);
  if (record.empty())
    task.defaultSeconds = (*search)->getDefaultSeconds().value_or(0);
  if (auto winner = findWinner(**search))
    task.loops = describeLoops(kernel, (*search)->getSpace().decode(*winner));
}

/// Returns why the default stays.
std::string ReportReader::findReason(const TaskReport &task) const {
  if (task.isTuned)
    return {};
  if (!record.empty())
    return "no loops were more than 1 % faster when the best were timed in turns";
  if (!obstacle.empty())
    return obstacle;
  auto first = proposed.lower_bound({task.key, ""});
  bool isProposed = first != proposed.end() && first->first == task.key;
  if (task.countTrials() == 0 && !isProposed)
    return "its turn did not come: kernels that take longer used up the budget";
  if (task.countTrials() == 0)
    return "it could not be measured alone";
  if (isHere && task.defaultSeconds == 0)
    return "the default loops were not measured";
  return "the session ended before the best loops were timed in turns";
}

Error ReportReader::read(const PlannedTask &planned, TaskReport &task) {
  constexpr double mostCalls = 1e12;
  trials.clear();
  record.clear();
  obstacle.clear();
  task.key = planned.task.key;
  task.name = planned.name;
  task.nodes = planned.nodes;
  task.types = planned.types;
  task.calls = planned.calls >= 0 ? std::min(planned.calls, mostCalls) : 0;
  if (Error error = readTrials(planned, task))
    return error;
  if (Error error = readRecord(task))
    return error;
  auto text = database.readTask(task.key);
  if (!text) {
    obstacle = llvm::toString(text.takeError());
  } else if (!*text) {
    obstacle = "the database lacks the kernel";
  } else {
    readPoints((*text)->text, task);
  }
  task.reason = findReason(task);
  return Error::success();
}

Expected<SessionReport> tuner::readReport(search::Database &database, int64_t number,
                                          mlir::MLIRContext &context, const cpu::Machine &machine) {
  auto session = database.readSession(number);
  if (!session)
    return session.takeError();
  if (!*session)
    return llvm::createStringError("the database has no session " + std::to_string(number));
  Expected<Plan> plan = Plan::parse((*session)->options);
  if (!plan)
    return plan.takeError();
  SessionReport report;
  report.number = number;
  report.plan = std::move(*plan);
  report.program = (*session)->program;
  ReportReader reader(database, **session, report, context, machine);
  std::set<std::string> known;
  for (const PlannedTask &planned : report.plan.tasks) {
    if (!known.insert(planned.task.key).second)
      continue; // the plan is damaged
    if (Error error = reader.read(planned, report.tasks.emplace_back()))
      return std::move(error);
  }
  llvm::sort(report.tasks, [](const TaskReport &a, const TaskReport &b) {
    return std::pair(-a.getDefaultOfModel(), a.key) < std::pair(-b.getDefaultOfModel(), b.key);
  });
  return report;
}

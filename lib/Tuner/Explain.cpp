//===- Explain.cpp - a task, its space and its best points ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Tuner/Explain.h"
#include "LoopWords.h"
#include "tssa/Pipeline/Tasks.h"
#include "tssa/Tuner/Report.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>
#include <numeric>

using namespace tssa;
using namespace tssa::tuner;
using llvm::ArrayRef;
using llvm::Expected;
using llvm::format;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// The task
//===----------------------------------------------------------------------===//

/// Returns the plan of the last session, or nothing if there is none that can be read.
static Expected<std::optional<Plan>> readLastPlan(search::Database &database) {
  auto number = database.findLastSession();
  if (!number)
    return number.takeError();
  if (!*number)
    return std::nullopt;
  auto session = database.readSession(**number);
  if (!session)
    return session.takeError();
  Expected<Plan> plan = Plan::parse((*session)->options);
  if (plan)
    return std::move(*plan);
  llvm::consumeError(plan.takeError());
  return std::nullopt;
}

Expected<NamedTask> tuner::findTask(search::Database &database, StringRef text) {
  auto plan = readLastPlan(database);
  if (!plan)
    return plan.takeError();
  std::vector<std::string> keys;
  if (*plan)
    for (const PlannedTask &planned : (*plan)->tasks)
      if (planned.name == text)
        keys.push_back(planned.task.key);
  if (keys.empty()) {
    auto found = database.findKeys(text, 2);
    if (!found)
      return found.takeError();
    keys = std::move(*found);
  }
  std::string quoted = "'" + llvm::StringRef(text).take_front(80).str() + "'";
  if (keys.empty())
    return llvm::createStringError("the database has no task with a key that begins with " +
                                   quoted + ", and the last session no kernel of this name");
  if (keys.size() > 1 && keys.front() != text)
    return llvm::createStringError("several tasks have a key that begins with " + quoted +
                                   " or this name");
  auto task = database.readTask(keys.front());
  if (!task)
    return task.takeError();
  if (!*task || getTaskKey((*task)->text) != keys.front())
    return llvm::createStringError("the database has no kernel or a wrong one under the key " +
                                   keys.front());
  NamedTask named{std::move(**task), {}};
  if (*plan)
    for (const PlannedTask &planned : (*plan)->tasks)
      if (planned.task.key == named.task.key)
        named.name = planned.name;
  return named;
}

//===----------------------------------------------------------------------===//
// Rank correlation
//===----------------------------------------------------------------------===//

/// Returns the rank of each number; equal ones share the mean of their ranks.
static std::vector<double> getRanks(ArrayRef<double> numbers) {
  std::vector<size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t x, size_t y) { return numbers[x] < numbers[y]; });
  std::vector<double> ranks(numbers.size());
  for (size_t first = 0, end = 0; first < order.size(); first = end) {
    while (end < order.size() && numbers[order[end]] == numbers[order[first]])
      ++end;
    for (size_t i = first; i < end; ++i)
      ranks[order[i]] = static_cast<double>(first + end - 1) / 2;
  }
  return ranks;
}

std::optional<double> tuner::getRankCorrelation(ArrayRef<double> a, ArrayRef<double> b) {
  constexpr size_t fewest = 3;
  if (a.size() < fewest)
    return std::nullopt;
  double mean = static_cast<double>(a.size() - 1) / 2, both = 0, first = 0, second = 0;
  for (auto [x, y] : llvm::zip_equal(getRanks(a), getRanks(b))) {
    both += (x - mean) * (y - mean);
    first += (x - mean) * (x - mean);
    second += (y - mean) * (y - mean);
  }
  if (first == 0 || second == 0)
    return std::nullopt;
  return both / std::sqrt(first * second);
}

//===----------------------------------------------------------------------===//
// The text
//===----------------------------------------------------------------------===//

static constexpr size_t columns = 100;

/// Writes words in lines of at most 100 columns that begin with `indent` spaces. The first line has
/// `used` columns already.
static void writeWords(llvm::raw_ostream &stream, StringRef words, size_t indent, size_t used = 0) {
  llvm::SmallVector<StringRef> parts;
  words.split(parts, ' ', -1, /*KeepEmpty=*/false);
  bool isFirst = true;
  if (used == 0)
    stream.indent(used = indent);
  for (StringRef part : parts) {
    if (!isFirst && used + 1 + part.size() > columns) {
      stream << '\n';
      stream.indent(used = indent);
      isFirst = true;
    }
    stream << (isFirst ? "" : " ") << part;
    used += part.size() + !isFirst;
    isFirst = false;
  }
  stream << '\n';
}

namespace {
class Explainer {
public:
  Explainer(const TaskSearch &search, const Plan &plan, llvm::raw_ostream &stream)
      : search(search), space(search.getSpace()), plan(plan), stream(stream) {}

  void writeSizes();
  void writeKnobs();
  void writeCount();
  void writePoint(StringRef label, const search::Measured &measured);
  void writeBest();
  void writeCorrelation();

private:
  double getCycles(const search::Point &point) const { return space.getCycles(point); }

  const TaskSearch &search;
  const KernelSpace &space;
  const Plan &plan;
  llvm::raw_ostream &stream;
};
} // namespace

void Explainer::writeSizes() {
  const TaskKernel &kernel = search.getKernel();
  double operations = kernel.countOperations(), bytes = kernel.countBytes();
  stream << "\nsizes\n" << format("  operations  %.0f\n  bytes       %.0f\n", operations, bytes);
  double roof = plan.roof.getSeconds(kernel.countOperationsOfF32(), bytes, plan.threads);
  stream << "  roof        " << (roof > 0 ? printTime(roof) : "not known") << " with "
         << plan.threads << (plan.threads == 1 ? " thread\n" : " threads\n");
}

void Explainer::writeKnobs() {
  stream << "\nknobs, the number of their values, and the values\n";
  for (const search::Knob &knob : space.getSpace().getKnobs()) {
    std::string values;
    for (int64_t value : knob.values)
      values += " " + std::to_string(value);
    constexpr size_t indent = 24;
    stream << "  " << llvm::left_justify(knob.name, 16) << format("%4zu  ", knob.values.size());
    writeWords(stream, values, indent, indent);
  }
}

/// Counts the legal points of a small space, and draws points of a large one.
void Explainer::writeCount() {
  constexpr uint64_t most = 16384;
  const search::Space &points = space.getSpace();
  uint64_t all = points.countPoints(), legal = 0;
  search::Random random(1, search.getNumber(), 0);
  for (uint64_t i = 0; i < std::min(all, most); ++i)
    legal += points.isLegal(all <= most ? points.getPoint(i) : points.draw(random));
  stream << "\npoints\n";
  if (all <= most) {
    stream << "  " << all << ", " << legal << " of them legal\n";
    return;
  }
  double share = static_cast<double>(legal) / static_cast<double>(most);
  stream << format("  %.3g, about %.2g of them legal: %.2g %% of %llu drawn ones\n",
                   static_cast<double>(all), share * static_cast<double>(all), 100 * share,
                   static_cast<unsigned long long>(most));
}

void Explainer::writePoint(StringRef label, const search::Measured &measured) {
  stream << '\n' << label;
  if (measured.seconds)
    stream << ", " << printTime(*measured.seconds);
  stream << '\n';
  writeWords(stream, describeLoops(search.getKernel(), space.decode(measured.point)), 2);
  writeWords(stream, space.getSpace().print(measured.point), 2);
}

void Explainer::writeBest() {
  constexpr size_t count = 10;
  std::vector<search::Measured> best = search.getBest(count);
  stream << "\nbest of " << search.getHistory().size()
         << " trials; predictions are in cycles\n   measured   predicted   loops\n";
  for (const search::Measured &measured : best) {
    constexpr size_t indent = 26;
    std::string line;
    llvm::raw_string_ostream(line) << format(
        "  %9s   %9.0f   ", printTime(*measured.seconds).c_str(), getCycles(measured.point));
    stream << line;
    writeWords(stream, print(space.decode(measured.point)), indent, line.size());
  }
}

void Explainer::writeCorrelation() {
  std::vector<double> predicted, measured;
  for (const search::Measured &trial : search.getHistory())
    if (trial.seconds) {
      predicted.push_back(getCycles(trial.point));
      measured.push_back(*trial.seconds);
    }
  stream << "\nrank correlation of predicted and measured times: ";
  if (std::optional<double> correlation = getRankCorrelation(predicted, measured))
    stream << format("%.2f of %zu points\n", *correlation, measured.size());
  else
    stream << "not known, there are too few points\n";
}

Expected<std::string> tuner::explain(const NamedTask &named, const Plan &plan,
                                     ArrayRef<search::Trial> trials, mlir::MLIRContext &context,
                                     const cpu::Machine &machine) {
  auto search = TaskSearch::create(named.task, context, machine.model, plan.search);
  if (!search)
    return search.takeError();
  for (const search::Trial &trial : trials)
    if (trial.machine == plan.machine && trial.epoch == plan.epoch)
      (*search)->addEarlier(trial);
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "task " << named.task.key << '\n';
  if (!named.name.empty())
    stream << "kernel " << named.name << " of the last session\n";
  stream << '\n' << StringRef(named.task.text).rtrim() << '\n';
  Explainer explainer(**search, plan, stream);
  explainer.writeSizes();
  explainer.writeKnobs();
  explainer.writeCount();
  const KernelSpace &space = (*search)->getSpace();
  explainer.writePoint("default", {space.getDefault(), (*search)->getDefaultSeconds()});
  std::vector<search::Measured> best = (*search)->getBest(1);
  if (best.empty()) {
    stream << "\nno trial was measured on this machine with this code generator\n";
    return text;
  }
  explainer.writePoint("best", best.front());
  explainer.writeBest();
  explainer.writeCorrelation();
  return text;
}

//===- Progress.cpp - shows a session while it runs -----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Progress.h"
#include "tools/common/ProgressLine.h"
#include "tssa/Tuner/Report.h"
#include "llvm/Support/Format.h"

#include <unistd.h>

using namespace llvm;
using namespace tssa::tuner;

namespace tssa::tune {

namespace {
/// The best time of a task: that of its final, or else of its trials.
struct Times {
  double defaultSeconds = 0, bestSeconds = 0;
};
} // namespace

static Times getTimes(const TaskState &state) {
  if (state.final)
    return {state.final->defaultSeconds, state.final->seconds};
  if (!state.search)
    return {};
  const TaskSearch &search = *state.search;
  return {search.getDefaultSeconds().value_or(0), search.getBestSeconds().value_or(0)};
}

static uint64_t countFailures(const TaskState &state) {
  uint64_t count = 0;
  for (auto [status, number] : state.failures)
    count += number;
  return count;
}

/// The width of the names of kernels and their layouts.
static constexpr unsigned nameWidth = 32;

/// Returns what the table says of a task: `waits`, `searches`, `done` or why it is not tuned.
static std::string describe(const TaskState &state) {
  if (!state.obstacle.empty())
    return state.obstacle;
  if (state.final)
    return state.final->isDefault ? "default" : "tuned";
  return state.search->isFinished() ? "searched" : state.search->getNumRounds() ? "searches" : "";
}

void Progress::printLine(const TaskState &state) {
  auto [defaultSeconds, best] = getTimes(state);
  StringRef name = state.planned.name;
  stream << left_justify(name.take_front(nameWidth), nameWidth)
         << format(" %5.0f", state.planned.calls);
  if (best > 0)
    stream << format("  %9s -> %9s %5.2fx  %3.0f %%", printTime(defaultSeconds).c_str(),
                     printTime(best).c_str(), defaultSeconds / best,
                     100 * state.roofSeconds / best);
  else
    stream << std::string(39, ' ');
  stream << format("  %6llu %5llu  ", static_cast<unsigned long long>(state.trials),
                   static_cast<unsigned long long>(countFailures(state)))
         << describe(state);
}

void Progress::endLine() {
  stream << (isTerminal ? "\x1b[K\n" : "\n");
  ++numLines;
}

/// Prints at most `mostRows` rows: the kernels that take the longest.
void Progress::printTable(const Session &session, std::optional<double> left, size_t mostRows) {
  numLines = 0;
  stream << left_justify("kernel", nameWidth)
         << " calls    default ->      best  gain   roof  trials fails";
  if (left)
    stream << format("   %.0f s left", *left);
  endLine();
  std::vector<std::pair<double, const TaskState *>> order;
  for (const TaskState &state : session.getTasks())
    order.push_back({-state.getModelSeconds(), &state});
  llvm::sort(order);
  for (auto [seconds, state] : ArrayRef(order).take_front(mostRows)) {
    printLine(*state);
    endLine();
  }
  if (order.size() > mostRows) {
    stream << "and " << order.size() - mostRows << " more that take less time";
    endLine();
  }
}

void Progress::erase() {
  if (isTerminal && numLines > 0)
    stream << "\x1b[" << numLines << "A\x1b[J";
  numLines = 0;
}

void Progress::showRound(const Session &session, size_t task, std::optional<double> left) {
  constexpr unsigned others = 4; // the head, the rest, and two lines below the table
  if (isTerminal) {
    if (numLines > 0)
      stream << "\x1b[" << numLines << "A";
    unsigned height = tools::getTerminalHeight(STDOUT_FILENO);
    printTable(session, left, std::max(height, others + 1) - others);
  } else {
    printLine(session.getTasks()[task]);
    stream << '\n';
  }
  stream.flush();
}

void Progress::showEnd(const Session &session) {
  erase();
  printTable(session, std::nullopt, session.getTasks().size());
  numLines = 0;
  double before = 0, after = 0;
  for (const TaskState &state : session.getTasks()) {
    auto [defaultSeconds, best] = getTimes(state);
    before += state.planned.calls * defaultSeconds;
    after += state.planned.calls * best;
  }
  if (after > 0)
    stream << "all measured kernels: " << printTime(before) << " -> " << printTime(after)
           << format(", %.2fx\n", before / after);
  else
    stream << "no kernel was measured: the defaults stay\n";
  stream.flush();
}

} // namespace tssa::tune

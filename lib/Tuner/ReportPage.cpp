//===- ReportPage.cpp - the page of a session -----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chart.h"
#include "tssa/Runtime/Page.h"
#include "tssa/Tuner/Report.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tssa;
using namespace tssa::tuner;
using llvm::ArrayRef;
using llvm::format;
using llvm::raw_ostream;
using llvm::StringRef;

/// A page has at most so many rows, bars and charts: those of the tasks with the longest times.
static constexpr size_t mostRows = 300, mostBars = 40, mostCharts = 60;

/// What this page has beside the rules of all pages.
static constexpr llvm::StringLiteral style = R"(
tr.kernel td { border-top: 1px solid var(--line); }
tr.winner td { padding: 0 0 5px; text-align: left; white-space: normal; color: var(--muted); font-size: 13px; }
tr.winner div { position: sticky; left: 0; max-width: min(1200px, calc(100vw - 40px)); overflow-wrap: anywhere; }
.short { width: auto; } .short th, .short td { padding-right: 28px; }
.bars { grid-template-columns: fit-content(170px) 1fr 56px; }
.bars .gain { text-align: right; font-variant-numeric: tabular-nums; }
.better { color: var(--best); font-weight: 600; }
.key i { display: inline-block; width: 14px; height: 8px; margin: 0 5px 1px 0; border-radius: 2px; }
.key span { margin-right: 16px; white-space: nowrap; }
rect.earlier { fill: var(--line); opacity: 0.35; }
path.crosses { stroke: var(--bad); stroke-width: 1.5; }
)";

namespace {
class PageWriter {
public:
  PageWriter(const SessionReport &report, raw_ostream &stream) : report(report), stream(stream) {}
  void write();

private:
  void writeHead();
  void writeTiles();
  void writeTile(const std::string &value, StringRef label, bool isWide = false);
  void writeBars();
  void writeTable();
  void writeRow(const TaskReport &task);
  void writeCharts();
  void writeChart(const TaskReport &task);
  void writeFailures();
  void writeDefaults();
  void writeRest(size_t shown, size_t all);

  const SessionReport &report;
  raw_ostream &stream;
};
} // namespace

static std::string printGain(double before, double after) {
  return after > 0 ? llvm::formatv("{0:F2}x", before / after).str() : "";
}

static std::string printKnownTime(double seconds) { return seconds > 0 ? printTime(seconds) : ""; }

/// Returns the share of the roof that a time reaches, or nothing if it is not known.
static std::string printShare(double roof, double seconds) {
  constexpr double most = 9.995; // of a kernel that reads few of its bytes
  if (roof <= 0 || seconds <= 0)
    return {};
  return roof > most * seconds ? "&gt; 999 %"
                               : llvm::formatv("{0:F0} %", 100 * roof / seconds).str();
}

/// Returns a date in UTC, or nothing for one that is no usual date.
static std::string printDate(int64_t when) {
  constexpr int64_t last = int64_t(1) << 33;
  if (when <= 0 || when > last)
    return {};
  return llvm::formatv("{0:%Y-%m-%d %H:%M} UTC",
                       llvm::sys::UtcTime<std::chrono::seconds>(std::chrono::seconds(when)))
      .str();
}

static std::string count(uint64_t number, StringRef what) {
  return (llvm::Twine(number) + " " + what + (number == 1 ? "" : "s")).str();
}

void PageWriter::writeHead() {
  const Plan &plan = report.plan;
  std::string title = "Tuning session " + std::to_string(report.number);
  if (!plan.model.empty())
    title = runtime::escapeMarkup(plan.model) + ": tuning session " + std::to_string(report.number);
  stream << runtime::beginPage(title, style) << "<p class=\"note\">machine "
         << runtime::escapeMarkup(plan.machine) << ", " << count(plan.threads, "thread")
         << ", epoch " << runtime::escapeMarkup(plan.epoch);
  if (std::string date = printDate(report.when); !date.empty())
    stream << ", " << date;
  stream << "</p>\n";
}

void PageWriter::writeTile(const std::string &value, StringRef label, bool isWide) {
  stream << "<div class=\"tile" << (isWide ? " wide" : "") << "\"><b>" << value << "</b><span>"
         << label << "</span></div>\n";
}

void PageWriter::writeTiles() {
  double before = 0, after = 0;
  uint64_t trials = 0, earlier = 0, failures = 0, tuned = 0;
  for (const TaskReport &task : report.tasks) {
    if (task.defaultSeconds > 0 && task.bestSeconds > 0) {
      before += task.getDefaultOfModel();
      after += task.getBestOfModel();
    }
    trials += task.countTrials();
    earlier += task.numEarlier;
    failures += task.countFailures();
    tuned += task.isTuned;
  }
  stream << "<div class=\"tiles\">\n";
  auto writeTimes = [&](double standard, double tuned, StringRef what) {
    writeTile(printTime(standard) + " &#8594; " + printTime(tuned), what, true);
    writeTile(printGain(standard, tuned), "as fast as before");
  };
  if (report.program)
    writeTimes(report.program->defaultSeconds, report.program->seconds,
               "one run of the program, by default and with what was found");
  if (after > 0)
    writeTimes(before, after,
               report.program ? "all measured kernels, each alone"
                              : "the model's measured kernels, default and tuned");
  writeTile(std::to_string(trials),
            "trials" + (earlier ? " after " + std::to_string(earlier) + " earlier ones" : "") +
                (failures ? ", " + std::to_string(failures) + " failed" : ""));
  writeTile(std::to_string(tuned) + " of " + std::to_string(report.tasks.size()),
            "kernels have tuned loops");
  stream << "</div>\n";
}

void PageWriter::writeRest(size_t shown, size_t all) {
  if (shown < all)
    stream << "<p class=\"note\">" << all - shown
           << " more that take less time are not shown.</p>\n";
}

//===----------------------------------------------------------------------===//
// All kernels
//===----------------------------------------------------------------------===//

void PageWriter::writeBars() {
  std::vector<const TaskReport *> tasks;
  double longest = 0;
  for (const TaskReport &task : report.tasks)
    if (task.defaultSeconds > 0 && task.bestSeconds > 0) {
      tasks.push_back(&task);
      longest = std::max({longest, task.getDefaultOfModel(), task.getBestOfModel()});
    }
  if (longest == 0)
    return;
  stream << "<h2>Time of each kernel in one run of the model</h2>\n<p class=\"note key\"><span><i "
            "style=\"background:var(--default)\"></i>default loops</span><span><i "
            "style=\"background:var(--best)\"></i>best loops</span><span>the longest bar is "
         << printTime(longest) << "</span></p>\n<div class=\"bars\">\n";
  ArrayRef<const TaskReport *> shown = ArrayRef(tasks).take_front(mostBars);
  for (const TaskReport *task : shown)
    stream << "<span class=\"name\">" << runtime::escapeMarkup(task->name) << "</span>"
           << drawBars(task->getDefaultOfModel() / longest, task->getBestOfModel() / longest)
           << "<span class=\"gain" << (task->isTuned ? " better" : "") << "\">"
           << printGain(task->defaultSeconds, task->bestSeconds) << "</span>\n";
  stream << "</div>\n";
  writeRest(shown.size(), tasks.size());
}

void PageWriter::writeRow(const TaskReport &task) {
  constexpr size_t mostWords = 600;
  auto cell = [&](const std::string &text) { stream << "<td>" << text << "</td>"; };
  stream << "<tr class=\"kernel\">";
  cell(runtime::escapeMarkup(task.name));
  cell(llvm::formatv("{0:F0}", task.calls).str());
  cell(printKnownTime(task.defaultSeconds));
  cell(printKnownTime(task.bestSeconds));
  stream << "<td" << (task.isTuned ? " class=\"better\">" : ">")
         << (task.defaultSeconds > 0 ? printGain(task.defaultSeconds, task.bestSeconds) : "")
         << "</td>";
  cell(printShare(task.roofSeconds, task.bestSeconds));
  cell(std::to_string(task.countTrials()));
  cell(std::to_string(task.countFailures()));
  stream << "</tr>\n<tr class=\"winner\"><td colspan=\"8\"><div>";
  if (!task.types.empty())
    stream << runtime::escapeMarkup(task.types, mostWords) << ". ";
  if (!task.nodes.empty())
    stream << "Computes " << runtime::escapeMarkup(task.nodes, mostWords) << ". ";
  bool isDefault = task.trials.empty() || task.bestSeconds == task.defaultSeconds;
  if (!task.loops.empty())
    stream << (task.isTuned ? "Tuned: "
               : isDefault  ? "Default: "
                            : "Best: ")
           << runtime::escapeMarkup(task.loops, mostWords) << ". ";
  if (!task.stores.empty())
    stream << "Layouts: " << runtime::escapeMarkup(task.stores, mostWords) << '.';
  stream << "</div></td></tr>\n";
}

void PageWriter::writeTable() {
  stream
      << "<h2>Kernels</h2>\n<div class=\"scroll\"><table><thead><tr><th>kernel</th><th>calls</th>"
         "<th>default</th><th>best</th><th>gain</th><th>of the roof</th><th>trials</th>"
         "<th>failed</th></tr></thead><tbody>\n";
  ArrayRef<TaskReport> shown = ArrayRef(report.tasks).take_front(mostRows);
  for (const TaskReport &task : shown)
    writeRow(task);
  stream
      << "</tbody></table></div>\n<p class=\"note\">Times are of one call. The roof is the least "
         "time in which the machine can do the operations or move the bytes of the kernel; more "
         "than 100 % of it means that operations were saved or data was in a nearer cache.</p>\n";
  writeRest(shown.size(), report.tasks.size());
}

//===----------------------------------------------------------------------===//
// Trials
//===----------------------------------------------------------------------===//

void PageWriter::writeChart(const TaskReport &task) {
  constexpr size_t mostNodes = 80;
  stream << "<div class=\"card\"><h3>" << runtime::escapeMarkup(task.name)
         << "</h3>\n<p class=\"note\">";
  if (!task.nodes.empty())
    stream << runtime::escapeMarkup(task.nodes, mostNodes) << "<br/>";
  if (task.bestSeconds > 0)
    stream << "best " << printTime(task.bestSeconds);
  else
    stream << "no trial was measured";
  if (task.defaultSeconds > 0)
    stream << ", default " << printTime(task.defaultSeconds);
  std::string failures;
  for (auto [status, number] : task.failures)
    failures += ", " + std::to_string(number) + " " + getName(status).str();
  stream << failures << "</p>\n"
         << drawTrials({task.trials, task.numEarlier, task.defaultSeconds},
                       "Times of the trials of " + task.name)
         << "</div>\n";
}

void PageWriter::writeCharts() {
  std::vector<const TaskReport *> tasks;
  for (const TaskReport &task : report.tasks)
    if (!task.trials.empty())
      tasks.push_back(&task);
  if (tasks.empty())
    return;
  stream
      << "<h2>Times of the trials</h2>\n<p class=\"note\">A dot is a trial, a cross at the top one "
         "that failed. The line is the best time so far, the dashed one the default. At the end of "
         "a session the default and the best are timed in turns: those are the times above each "
         "chart and the dashed line.</p>\n"
         "<div class=\"cards\">\n";
  ArrayRef<const TaskReport *> shown = ArrayRef(tasks).take_front(mostCharts);
  for (const TaskReport *task : shown)
    writeChart(*task);
  stream << "</div>\n";
  writeRest(shown.size(), tasks.size());
}

void PageWriter::writeFailures() {
  std::map<search::TrialStatus, std::pair<uint64_t, uint64_t>> kinds; // trials and kernels
  for (const TaskReport &task : report.tasks)
    for (auto [status, number] : task.failures) {
      kinds[status].first += number;
      ++kinds[status].second;
    }
  stream << "<h2>Failures</h2>\n";
  if (kinds.empty()) {
    stream << "<p>No trial failed.</p>\n";
    return;
  }
  stream << "<table class=\"short\"><thead><tr><th>kind</th><th>trials</th><th>kernels</th></tr>"
            "</thead><tbody>\n";
  for (auto [status, counts] : kinds)
    stream << "<tr><td>" << getName(status) << "</td><td>" << counts.first << "</td><td>"
           << counts.second << "</td></tr>\n";
  stream << "</tbody></table>\n";
}

void PageWriter::writeDefaults() {
  constexpr size_t mostReason = 300, mostReasons = 50, mostNames = 100;
  std::map<std::string, std::vector<std::string>> kernels; // by reason
  for (const TaskReport &task : report.tasks)
    if (!task.reason.empty())
      kernels[runtime::escapeMarkup(task.reason, mostReason)].push_back(
          runtime::escapeMarkup(task.name));
  stream << "<h2>Kernels that keep the default</h2>\n";
  if (kernels.empty())
    stream << "<p>All kernels have tuned loops.</p>\n";
  size_t number = 0;
  for (auto &[reason, names] : kernels) {
    if (++number > mostReasons)
      break;
    ArrayRef<std::string> shown = ArrayRef(names).take_front(mostNames);
    stream << "<p><b>" << count(names.size(), "kernel") << ":</b> " << reason
           << ".<br/><span class=\"note\">" << llvm::join(shown, ", ")
           << (shown.size() < names.size() ? ", ..." : "") << "</span></p>\n";
  }
}

void PageWriter::write() {
  writeHead();
  writeTiles();
  writeBars();
  writeTable();
  writeCharts();
  writeFailures();
  writeDefaults();
  stream << runtime::endPage();
}

std::string tuner::printPage(const SessionReport &report) {
  std::string page;
  llvm::raw_string_ostream stream(page);
  PageWriter(report, stream).write();
  return page;
}

//===- RunPage.cpp -------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RunPage.h"

#include "Format.h"
#include "Inspect.h"
#include "RunChart.h"

#include "tssa/Runtime/NearName.h"
#include "tssa/Runtime/Page.h"

#include <algorithm>
#include <ctime>
#include <numeric>

using namespace tssa::run;
using namespace tssa::runtime;

/// A page has at most so many bars: those of the launches with the longest times.
static constexpr size_t mostBars = 300;

static constexpr std::string_view style = R"(
.bars { grid-template-columns: minmax(60px, 210px) 1fr auto; grid-auto-flow: dense; }
.bars .name { grid-column: 1; } .bars svg { grid-column: 2; }
.bars .time { grid-column: 3; text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.bars .nodes { grid-column: 1 / -1; margin: 0 0 7px; }
.facts th, .facts td { text-align: left; white-space: normal; overflow-wrap: anywhere; }
.facts th { white-space: nowrap; padding-right: 20px; }
@media (max-width: 600px) { .bars { grid-template-columns: 1fr auto; } .bars .time { grid-column: 2; }
  .bars svg { grid-column: 1 / -1; height: 12px; } }
.card svg text { paint-order: stroke; stroke: var(--card); stroke-width: 3px; }
circle.launch { fill: var(--best); opacity: 0.75; }
)";

namespace {
class PageWriter {
public:
  explicit PageWriter(const RunPage &page) : page(page), report(page.report) {}
  std::string write();

private:
  void writeTiles();
  void writeTile(const std::string &value, const std::string &label);
  void writeFacts();
  void writeFact(const char *name, const std::string &value);
  void writeBars();
  void writeBar(size_t launch, double longest, double total);
  void writeCharts();
  void writeCard(const char *title, const std::string &note, const std::string &chart);
  void writeHistogram();
  void writeMemory();
  void writeRoofline();
  double getMs(size_t launch) const {
    return report.profile[launch].seconds * 1e3 / double(report.profiledRuns);
  }
  double getTotalMs() const;
  std::string nameLaunch(size_t launch) const;

  const RunPage &page;
  const Report &report;
  std::string text;
};
} // namespace

static std::string count(size_t number, const char *what, const char *plural = "s") {
  return std::to_string(number) + " " + what + (number == 1 ? "" : plural);
}

static std::string printMs(double ms) {
  constexpr double least = 0.01;
  if (ms < least)
    return format("%.3g &#181;s", ms * 1e3);
  return ms < 1 ? format("%.4f ms", ms) : format("%.4g ms", ms);
}

static std::string printBytes(double bytes) {
  constexpr double kibi = 1 << 10, mebi = 1 << 20, gibi = 1 << 30;
  if (bytes >= gibi)
    return format("%.2f GiB", bytes / gibi);
  if (bytes >= mebi)
    return format("%.2f MiB", bytes / mebi);
  return bytes >= kibi ? format("%.1f KiB", bytes / kibi) : format("%.0f bytes", bytes);
}

static std::string printShape(const char *dtype, const int64_t *shape, size_t rank) {
  std::string text = std::string(dtype) + "[";
  for (size_t i = 0; i < rank; ++i)
    text += (i ? "," : "") + std::to_string(shape[i]);
  return text + "]";
}

double PageWriter::getTotalMs() const {
  double total = 0;
  for (size_t i = 0; i < report.profile.size(); ++i)
    total += getMs(i);
  return total;
}

std::string PageWriter::nameLaunch(size_t launch) const {
  return std::to_string(launch) + " " + report.variant->launches[launch].kernel;
}

void PageWriter::writeTile(const std::string &value, const std::string &label) {
  text += "<div class=\"tile\"><b>" + value + "</b><span>" + label + "</span></div>\n";
}

void PageWriter::writeTiles() {
  const BenchResult &bench = *report.bench;
  text += "<div class=\"tiles\">\n";
  for (auto [percent, label] :
       {std::pair(50u, "p50, the median"), {95u, "p95"}, {99u, "p99"}, {0u, "the shortest run"}})
    writeTile(printMs(bench.getPercentile(percent)), label);
  double flops = 0, seconds = 0;
  for (const LaunchTime &time : report.profile) {
    flops += time.flops;
    seconds += time.seconds;
  }
  if (seconds > 0 && flops > 0)
    writeTile(format("%.1f GFLOP/s", flops / seconds * 1e-9), "in kernels");
  text += "</div>\n";
}

void PageWriter::writeFact(const char *name, const std::string &value) {
  text += std::string("<tr><th>") + name + "</th><td>" + value + "</td></tr>\n";
}

void PageWriter::writeFacts() {
  constexpr size_t mostText = 300, mostMachine = 1000, mostPorts = 20;
  const Manifest &manifest = *report.manifest;
  const Variant &variant = *report.variant;
  text += "<h2>What ran</h2>\n<table class=\"facts\"><tbody>\n";
  if (!manifest.producer.empty())
    writeFact("exported by", escapeMarkup(manifest.producer, mostText));
  writeFact("compiled", "by " + escapeMarkup(manifest.toolBuild) + " for " +
                            escapeMarkup(variant.target) + ", CPU " + escapeMarkup(variant.cpu));
  if (!variant.machine.empty())
    writeFact("schedules for", escapeMarkup(variant.machine, mostMachine));
  writeFact("ran on", escapeMarkup(report.device) + ", " + count(report.threads, "thread"));
  for (size_t i = 0; i < std::min(page.inputs.size(), mostPorts); ++i) {
    const tssa_tensor &tensor = page.inputs[i].tensor;
    std::optional<DType> type = fromABI(tensor.dtype);
    writeFact("input", escapeMarkup(page.inputs[i].name) + " " +
                           printShape(type ? getName(*type) : "?", tensor.shape, tensor.ndim));
  }
  for (size_t i = 0; i < std::min(report.outputs->size(), mostPorts); ++i) {
    const Tensor &tensor = (*report.outputs)[i];
    writeFact("output",
              escapeMarkup(manifest.outputs[i].name) + " " +
                  printShape(getName(tensor.dtype), tensor.shape.data(), tensor.shape.size()));
  }
  writeFact("weights", printBytes(double(variant.memory.constantBytes)));
  writeFact("program", count(variant.launches.size(), "launch", "es") + " for " +
                           count(manifest.nodes.size(), "node"));
  text += "</tbody></table>\n";
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

void PageWriter::writeBar(size_t number, double longest, double total) {
  constexpr size_t mostNodes = 400;
  const Launch &launch = report.variant->launches[number];
  const LaunchTime &time = report.profile[number];
  double ms = getMs(number);
  text += "<span class=\"name\">" + escapeMarkup(nameLaunch(number)) +
          "</span><span class=\"time\">" + printMs(ms) +
          format(" %5.1f %%</span>\n", total > 0 ? ms / total * 100 : 0);
  text += format("<svg xmlns=\"http://www.w3.org/2000/svg\" aria-hidden=\"true\" viewBox=\"0 0 100 "
                 "16\" preserveAspectRatio=\"none\"><rect class=\"best\" y=\"2\" width=\"%.2f\" "
                 "height=\"12\"/></svg>\n",
                 longest > 0 ? ms / longest * 100 : 0);
  std::string nodes;
  for (int32_t node : launch.nodes) {
    const ModelNode &named = report.manifest->nodes[node];
    nodes += (nodes.empty() ? "" : ", ") + (named.name.empty() ? named.op : named.name);
  }
  text += "<span class=\"note nodes\">" + escapeMarkup(nodes, mostNodes);
  if (time.flops > 0 && time.seconds > 0)
    text += format(" &#183; %.1f GFLOP/s", time.flops / time.seconds * 1e-9);
  if (time.calls != report.profiledRuns)
    text += format(" &#183; %.4g calls in a run", double(time.calls) / double(report.profiledRuns));
  text += "</span>\n";
}

void PageWriter::writeBars() {
  std::vector<size_t> order(report.profile.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::make_pair(-report.profile[a].seconds, a) <
           std::make_pair(-report.profile[b].seconds, b);
  });
  if (order.empty())
    return;
  double total = getTotalMs(), longest = getMs(order.front());
  text += "<h2>Launches, the longest first</h2>\n<p class=\"note\">The mean of " +
          std::to_string(report.profiledRuns) + " runs: " + printMs(total) +
          " in kernels. The numbers are those of tssa-run --inspect and --profile.</p>\n"
          "<div class=\"bars\">\n";
  size_t shown = std::min(order.size(), mostBars);
  for (size_t i = 0; i < shown; ++i)
    writeBar(order[i], longest, total);
  text += "</div>\n";
  if (shown < order.size())
    text += "<p class=\"note\">" + std::to_string(order.size() - shown) +
            " more that take less time are not shown.</p>\n";
}

//===----------------------------------------------------------------------===//
// Charts
//===----------------------------------------------------------------------===//

void PageWriter::writeCard(const char *title, const std::string &note, const std::string &chart) {
  text += std::string("<div class=\"card\"><h3>") + title + "</h3>\n<p class=\"note\">" + note +
          "</p>\n" + chart + "</div>\n";
}

void PageWriter::writeHistogram() {
  const BenchResult &bench = *report.bench;
  std::vector<std::pair<std::string, double>> percentiles;
  for (unsigned percent : {50, 95, 99})
    percentiles.emplace_back("p" + std::to_string(percent), bench.getPercentile(percent));
  std::string note =
      std::to_string(bench.sorted.size()) + " runs, " + printMs(bench.sorted.front()) + " to " +
      printMs(bench.sorted.back()) + ", " +
      (bench.clock == Clock::CPU ? "CPU time of all threads of the process" : "wall-clock time") +
      ".";
  if (std::string few = describeFewRuns(bench.sorted.size()); !few.empty())
    note += " O" + few.substr(1) + ".";
  writeCard("Times of the runs", note, drawHistogram(bench.sorted, percentiles));
}

void PageWriter::writeMemory() {
  const TraceEvent &run = page.trace.getEvent(0);
  std::vector<std::pair<double, double>> steps = {{0, 0}};
  double most = 0;
  for (size_t i = 0; i < page.trace.getNumEvents(); ++i)
    if (const TraceEvent &event = page.trace.getEvent(i);
        event.kind == TraceEvent::Memory && event.run == run.run) {
      steps.emplace_back(double(event.begin - run.begin) * 1e-6, double(event.value));
      most = std::max(most, double(event.value));
    }
  writeCard("Memory of the first run",
            "Arena, memory that grows with the data, and results that are not the caller's; at "
            "most " +
                printBytes(most) + ".",
            drawMemory(steps, double(run.end - run.begin) * 1e-6));
}

void PageWriter::writeRoofline() {
  std::vector<RooflinePoint> points;
  for (size_t i = 0; i < report.profile.size(); ++i) {
    const LaunchTime &time = report.profile[i];
    double bytes = double(report.variant->launches[i].bytes) * double(time.calls);
    if (bytes > 0 && time.flops > 0 && time.seconds > 0)
      points.push_back({time.flops / bytes, time.flops / time.seconds, nameLaunch(i)});
  }
  if (page.roof.flopsPerSecond <= 0) {
    writeCard("Roofline", "The roof of this device is not measured.", "");
    return;
  }
  std::string note =
      format("The roof is measured on one thread and multiplied by %u. ", report.threads);
  size_t unknown = report.profile.size() - points.size();
  if (unknown)
    note += std::to_string(unknown) + " of " + std::to_string(report.profile.size()) +
            " launches are not in it: the artifact does not say how many bytes they move, or they "
            "have no floating-point operations.";
  double threads = report.threads;
  std::vector<RooflineMemory> memories;
  const std::vector<tssa::tuner::Roof::Bandwidth> &known = page.roof.bandwidths;
  if (known.size() >= 2) {
    memories.push_back({"memory", known.back().bytesPerSecond * threads});
    memories.push_back({"L2 cache", known[1].bytesPerSecond * threads});
  }
  if (points.empty())
    note += format(" The machine does at most %.0f GFLOP/s.",
                   page.roof.flopsPerSecond * threads * 1e-9);
  writeCard("Roofline", note,
            points.empty() ? ""
                           : drawRoofline(points, page.roof.flopsPerSecond * threads, memories));
}

void PageWriter::writeCharts() {
  text += "<h2>Runs</h2>\n<div class=\"cards\">\n";
  writeHistogram();
  writeMemory();
  writeRoofline();
  text += "</div>\n";
}

/// Returns a date in UTC.
static std::string printDate(int64_t when) {
  time_t seconds = when;
  tm parts{};
  char text[64] = "";
  if (gmtime_r(&seconds, &parts))
    std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &parts);
  return text;
}

std::string PageWriter::write() {
  const std::string &model = report.manifest->modelName;
  text = beginPage((model.empty() ? "" : escapeMarkup(model) + ": ") +
                       count(report.bench->sorted.size(), "run"),
                   style);
  text += "<p class=\"note\">" + escapeMarkup(report.device) + ", " +
          count(report.threads, "thread") + ", " + printDate(page.when) + "</p>\n";
  writeTiles();
  writeCharts();
  writeBars();
  writeFacts();
  return text + endPage();
}

tssa::tuner::Roof tssa::run::measureRoof(const Report &report) {
  constexpr unsigned wide = 64, narrow = 32;
  if (report.device != "cpu")
    return {};
  const std::vector<std::string> &features = report.variant->cpuFeatures;
  bool isWide = std::find(features.begin(), features.end(), "avx512f") != features.end();
  return tuner::measureRoof(isWide ? wide : narrow);
}

std::string tssa::run::printPage(const RunPage &page) { return PageWriter(page).write(); }

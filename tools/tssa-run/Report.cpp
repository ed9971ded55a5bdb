//===- Report.cpp --------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Report.h"

#include "Format.h"

#include "tssa/Runtime/Elements.h"
#include "tssa/Runtime/Json.h"
#include "tssa/Runtime/NearName.h"

#include <algorithm>
#include <numeric>

using namespace tssa::run;
using namespace tssa::runtime;

static std::string showOutput(const Port &port, const Tensor &tensor) {
  constexpr int64_t shown = 8;
  std::string text = printable(port.name) + "  " + describe(tensor) + "  [";
  int64_t count = tensor.getByteSize() / getByteSize(tensor.dtype);
  for (int64_t i = 0; i < std::min(shown, count); ++i)
    text += format(i ? ", %.6g" : "%.6g", getElement(tensor, i));
  return text + (count > shown ? ", ...]\n" : "]\n");
}

static std::string showDifference(const Difference &difference) {
  std::string text = printable(difference.name) + "  ";
  if (!difference.incomparable.empty())
    return text + "differs: " + difference.incomparable + "\n";
  return text + format("%s: max abs error %.3g, max rel error %.3g, largest reference "
                       "%.3g, %lld of %lld elements differ\n",
                       difference.matches() ? "matches" : "differs", difference.maxAbsolute,
                       difference.maxRelative, difference.maxReference,
                       (long long)difference.mismatches, (long long)difference.count);
}

/// Returns the indexes of the launches, sorted by time, longest first.
static std::vector<size_t> byTime(const std::vector<LaunchTime> &profile) {
  std::vector<size_t> order(profile.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::make_pair(-profile[a].seconds, a) < std::make_pair(-profile[b].seconds, b);
  });
  return order;
}

static std::string nodeNames(const Manifest &manifest, const Launch &launch) {
  constexpr size_t shown = 4;
  std::string text;
  for (size_t i = 0; i < std::min(shown, launch.nodes.size()); ++i)
    text += (i ? " " : "") + printable(manifest.nodes[launch.nodes[i]].name);
  return launch.nodes.size() > shown ? text + " ..." : text;
}

static std::string showProfile(const Report &report) {
  double total = 0;
  for (const LaunchTime &time : report.profile)
    total += time.seconds;
  std::string text =
      format("launch %9s %6s %8s %7s  kernel and nodes\n", "ms", "%", "calls", "GFLOP/s");
  double runs = double(report.profiledRuns);
  for (size_t i : byTime(report.profile)) {
    const LaunchTime &time = report.profile[i];
    const Launch &launch = report.variant->launches[i];
    double rate = time.seconds > 0 ? time.flops / time.seconds * 1e-9 : 0;
    text += format("%6zu %9.4f %6.1f %8.1f ", i, time.seconds * 1e3 / runs,
                   total > 0 ? time.seconds / total * 100 : 0, double(time.calls) / runs) +
            (time.flops > 0 ? format("%7.1f  ", rate) : "      -  ") + printable(launch.kernel) +
            ": " + nodeNames(*report.manifest, launch) + "\n";
  }
  return text + format("all    %9.4f ms in kernels\n", total * 1e3 / runs);
}

std::string tssa::run::describeFewRuns(size_t runs) {
  constexpr size_t enoughForP95 = 20, enoughForP99 = 100;
  if (runs >= enoughForP99)
    return "";
  return std::string("of so few runs, ") + (runs < enoughForP95 ? "p95 and p99 are" : "p99 is") +
         " the slowest";
}

static std::string showBench(const Report &report) {
  const BenchResult &bench = *report.bench;
  std::string text = format("p50 %.4f ms, p95 %.4f ms, p99 %.4f ms, min %.4f ms of %zu runs on ",
                            bench.getPercentile(50), bench.getPercentile(95),
                            bench.getPercentile(99), bench.getPercentile(0), bench.sorted.size());
  text += report.device == "cpu" ? std::to_string(report.threads) + " threads" : report.device;
  if (bench.clock == Clock::CPU)
    text += ", CPU time of all threads of the process";
  std::string few = describeFewRuns(bench.sorted.size());
  return text + (few.empty() ? "" : " (" + few + ")") + "\n";
}

static bool areCounted(const LaunchTime &time) { return time.counters.blocks != 0; }

/// Returns the emulator's counters for each launch of the launch table. The ratio sectors / global
/// shows how well the accesses of a warp coalesce. The ratio conflicts / shared shows how much
/// shared memory serialises accesses.
static std::string showCounters(const Report &report) {
  std::string text = format("launch %9s %9s %9s %9s %9s %9s %9s  kernel\n", "blocks", "global",
                            "sectors", "shared", "conflicts", "barriers", "shuffles");
  for (size_t i = 0; i < report.profile.size(); ++i) {
    const LaunchCounters &counters = report.profile[i].counters;
    text += format("%6zu ", i);
    for (uint64_t count : {counters.blocks, counters.globalAccesses, counters.globalTransactions,
                           counters.sharedAccesses, counters.sharedConflicts, counters.barriers,
                           counters.warpOperations})
      text += format("%9.0f ", double(count) / double(report.profiledRuns));
    text += " " + printable(report.variant->launches[i].kernel) + "\n";
  }
  return text;
}

std::string tssa::run::reportText(const Report &report) {
  std::string text;
  if (!report.bench && report.differences.empty() && report.profile.empty())
    for (size_t i = 0; i < report.outputs->size(); ++i)
      text += showOutput(report.manifest->outputs[i], (*report.outputs)[i]);
  for (const Difference &difference : report.differences)
    text += showDifference(difference);
  if (report.bench)
    text += showBench(report);
  if (!report.profile.empty())
    text += showProfile(report);
  if (std::any_of(report.profile.begin(), report.profile.end(), areCounted))
    text += showCounters(report);
  return text;
}

static void writeOutputs(Json &json, const Report &report) {
  json.key("outputs").beginArray();
  for (size_t i = 0; i < report.outputs->size(); ++i) {
    const Tensor &tensor = (*report.outputs)[i];
    json.beginObject().key("name").string(report.manifest->outputs[i].name);
    json.key("dtype").string(getName(tensor.dtype));
    json.key("shape").beginArray();
    for (int64_t size : tensor.shape)
      json.integer(size);
    json.endArray().endObject();
  }
  json.endArray();
}

static void writeDifferences(Json &json, const Report &report) {
  bool match = true;
  json.key("expect").beginArray();
  for (const Difference &difference : report.differences) {
    match &= difference.matches();
    json.beginObject().key("name").string(difference.name);
    json.key("matches").boolean(difference.matches());
    if (!difference.incomparable.empty())
      json.key("reason").string(difference.incomparable);
    json.key("max_abs").number(difference.maxAbsolute);
    json.key("max_rel").number(difference.maxRelative);
    json.key("max_reference").number(difference.maxReference);
    json.key("mismatches").integer(difference.mismatches);
    json.key("count").integer(difference.count).endObject();
  }
  json.endArray().key("matches").boolean(match);
}

static void writeCounters(Json &json, const LaunchCounters &counters, double runs) {
  json.key("counters").beginObject();
  json.key("blocks").number(double(counters.blocks) / runs);
  json.key("accesses").number(double(counters.accesses) / runs);
  json.key("global_accesses").number(double(counters.globalAccesses) / runs);
  json.key("global_transactions").number(double(counters.globalTransactions) / runs);
  json.key("shared_accesses").number(double(counters.sharedAccesses) / runs);
  json.key("shared_conflicts").number(double(counters.sharedConflicts) / runs);
  json.key("barriers").number(double(counters.barriers) / runs);
  json.key("warp_operations").number(double(counters.warpOperations) / runs).endObject();
}

static void writeProfile(Json &json, const Report &report) {
  json.key("profile").beginArray();
  for (size_t i = 0; i < report.profile.size(); ++i) {
    const Launch &launch = report.variant->launches[i];
    double runs = double(report.profiledRuns);
    json.beginObject().key("launch").integer(int64_t(i));
    json.key("kernel").string(launch.kernel);
    json.key("nodes").beginArray();
    for (int32_t node : launch.nodes)
      json.string(report.manifest->nodes[node].name);
    json.endArray();
    json.key("calls").number(double(report.profile[i].calls) / runs);
    json.key("ms").number(report.profile[i].seconds * 1e3 / runs);
    json.key("flops").number(report.profile[i].flops / runs);
    if (areCounted(report.profile[i]))
      writeCounters(json, report.profile[i].counters, runs);
    json.endObject();
  }
  json.endArray();
}

std::string tssa::run::reportJson(const Report &report) {
  Json json;
  json.beginObject();
  if (report.bench) {
    json.key("median_ms").number(report.bench->getPercentile(50));
    for (int percent : {90, 95, 99})
      json.key("p" + std::to_string(percent) + "_ms").number(report.bench->getPercentile(percent));
    json.key("min_ms").number(report.bench->getPercentile(0));
    json.key("runs").integer(int64_t(report.bench->sorted.size()));
    json.key("clock").string(report.bench->clock == Clock::CPU ? "cpu" : "wall");
  }
  json.key("threads").integer(report.threads);
  json.key("device").string(report.device);
  writeOutputs(json, report);
  if (!report.differences.empty())
    writeDifferences(json, report);
  if (!report.profile.empty())
    writeProfile(json, report);
  return json.endObject().get();
}

//===- TraceText.cpp - writes a trace as JSON ----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The format is the Trace Event format, which Perfetto and chrome://tracing show:
///  1. The events of the runs that succeeded are sorted by time, an event before those within it.
///  2. Metadata events name the process and the threads.
///  3. Runs, launches and parts are complete events on the track of their thread, and the memory is
///     a counter: the sum over the runs in progress.
///
//===----------------------------------------------------------------------===//
#include "tssa/Runtime/Json.h"
#include "tssa/Runtime/Trace.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unistd.h>

using namespace tssa::runtime;

namespace {
class TraceWriter {
public:
  TraceWriter(const Trace &trace, const Manifest &manifest, const Variant &variant,
              const TraceTextOptions &options);
  std::string write();

private:
  using Style = TraceTextOptions::Style;

  void writeChrome();
  void writeMetadata(const char *name, int32_t thread, const std::string &value);
  void writeThreads();
  void writeLimit();
  void writeEvent(const TraceEvent &event);
  void beginEvent(const char *phase, const char *category, const std::string &name, int32_t thread);
  void writeRun(const TraceEvent &event);
  void writeLaunch(const TraceEvent &event);
  void writePart(const TraceEvent &event);
  void writeMemory(const TraceEvent &event);
  void writeTimes(const TraceEvent &event);
  /// Writes what ONNX Runtime says of a node.
  void writeNodeOfONNXRuntime(const TraceEvent &event, const Launch &launch);
  void writeNodes(const Launch &launch);
  std::string joinOperators(const Launch &launch) const;
  std::string nameLaunch(int32_t launch) const;
  bool isChrome() const { return options.style == Style::Chrome; }

  const Trace &trace;
  const Manifest &manifest;
  const Variant &variant;
  const TraceTextOptions &options;
  std::vector<const TraceEvent *> events;
  int64_t origin = 0;
  int32_t process = getpid();
  std::map<uint64_t, int64_t> held; ///< the memory of each run in progress
  int64_t heldByAll = 0;
  Json json;
};
} // namespace

TraceWriter::TraceWriter(const Trace &trace, const Manifest &manifest, const Variant &variant,
                         const TraceTextOptions &options)
    : trace(trace), manifest(manifest), variant(variant), options(options) {
  std::set<uint64_t> failed;
  for (size_t i = 0; i < trace.getNumEvents(); ++i)
    if (const TraceEvent &event = trace.getEvent(i);
        event.kind == TraceEvent::Run && event.value != TSSA_OK)
      failed.insert(event.run);
  for (size_t i = 0; i < trace.getNumEvents(); ++i)
    if (failed.count(trace.getEvent(i).run) == 0)
      events.push_back(&trace.getEvent(i));
  std::sort(events.begin(), events.end(), [](const TraceEvent *a, const TraceEvent *b) {
    // Of events with equal times, the order in which they were added decides.
    return std::make_tuple(a->begin, -a->end, a->kind, a) <
           std::make_tuple(b->begin, -b->end, b->kind, b);
  });
  origin = options.origin.value_or(events.empty() ? 0 : events.front()->begin);
}

std::string TraceWriter::nameLaunch(int32_t launch) const {
  return launch < 0 ? "parallel loop" : variant.launches[launch].kernel;
}

std::string TraceWriter::joinOperators(const Launch &launch) const {
  std::string text;
  std::set<std::string> seen;
  for (int32_t node : launch.nodes)
    if (const std::string &op = manifest.nodes[node].op; seen.insert(op).second)
      text += (text.empty() ? "" : "+") + op;
  return text;
}

void TraceWriter::writeNodes(const Launch &launch) {
  json.key("nodes").beginArray();
  for (int32_t node : launch.nodes)
    json.string(manifest.nodes[node].name);
  json.endArray();
}

/// Writes what every event has; its arguments follow, and then two ends of objects.
void TraceWriter::beginEvent(const char *phase, const char *category, const std::string &name,
                             int32_t thread) {
  json.beginObject().key("ph").string(phase).key("cat").string(category);
  json.key("name").string(name);
  json.key("pid").integer(process).key("tid").integer(thread);
}

void TraceWriter::writeTimes(const TraceEvent &event) {
  int64_t begin = event.begin - origin, end = event.end - origin;
  // ONNX Runtime writes whole microseconds. Rounding both ends down keeps events within others.
  if (isChrome())
    json.key("ts").thousandths(begin).key("dur").thousandths(end - begin);
  else
    json.key("ts").integer(begin / 1000).key("dur").integer(end / 1000 - begin / 1000);
  json.key("args").beginObject();
}

void TraceWriter::writeRun(const TraceEvent &event) {
  beginEvent("X", isChrome() ? "run" : "Session", isChrome() ? "run" : "model_run", event.thread);
  writeTimes(event);
  json.key("run").integer(int64_t(event.run));
  json.endObject().endObject();
}

void TraceWriter::writeNodeOfONNXRuntime(const TraceEvent &event, const Launch &launch) {
  json.key("op_name").string(joinOperators(launch));
  json.key("provider")
      .string(variant.target == "cpu" ? "CPUExecutionProvider" : "CUDAExecutionProvider");
  json.key("node_index").string(std::to_string(event.launch));
}

void TraceWriter::writeLaunch(const TraceEvent &event) {
  const Launch &launch = variant.launches[event.launch];
  if (isChrome())
    beginEvent("X", "launch", launch.kernel, event.thread);
  else
    beginEvent("X", "Node", launch.kernel + "_kernel_time", event.thread);
  writeTimes(event);
  json.key("run").integer(int64_t(event.run)).key("launch").integer(event.launch);
  if (isChrome())
    json.key("kernel").string(launch.kernel).key("operators").string(joinOperators(launch));
  else
    writeNodeOfONNXRuntime(event, launch);
  writeNodes(launch);
  if (int64_t flops = event.value >= 0 ? event.value : launch.flops; flops >= 0)
    json.key("flops").integer(flops);
  if (launch.bytes >= 0)
    json.key("bytes").integer(launch.bytes);
  json.endObject().endObject();
}

void TraceWriter::writePart(const TraceEvent &event) {
  beginEvent("X", isChrome() ? "part" : "Part", nameLaunch(event.launch), event.thread);
  writeTimes(event);
  json.key("run").integer(int64_t(event.run)).key("launch").integer(event.launch);
  json.key("iterations").integer(event.value);
  json.endObject().endObject();
}

void TraceWriter::writeMemory(const TraceEvent &event) {
  int64_t &mine = held[event.run];
  heldByAll += event.value - mine;
  mine = event.value;
  beginEvent("C", "memory", "memory", event.thread);
  json.key("ts").thousandths(event.begin - origin);
  json.key("args").beginObject().key("bytes").integer(heldByAll).endObject().endObject();
}

void TraceWriter::writeEvent(const TraceEvent &event) {
  switch (event.kind) {
  case TraceEvent::Run:
    return writeRun(event);
  case TraceEvent::Launch:
    return writeLaunch(event);
  case TraceEvent::Part:
    return writePart(event);
  case TraceEvent::Memory:
    return isChrome() ? writeMemory(event) : void();
  }
}

void TraceWriter::writeMetadata(const char *name, int32_t thread, const std::string &value) {
  beginEvent("M", "__metadata", name, thread);
  json.key("ts").integer(0);
  json.key("args").beginObject().key("name").string(value).endObject().endObject();
}

/// Names the threads: those that called runs, and workers in the order of their numbers, which is
/// that in which they began.
void TraceWriter::writeThreads() {
  std::map<int32_t, bool> threads; // whether it called a run
  for (const TraceEvent *event : events)
    threads[event->thread] |= event->kind == TraceEvent::Run;
  int callers = 0, workers = 0;
  for (auto [thread, isCaller] : threads) {
    std::string name = thread == process ? "main thread"
                       : isCaller        ? "caller " + std::to_string(++callers)
                                         : "worker " + std::to_string(++workers);
    writeMetadata("thread_name", thread, name);
  }
}

void TraceWriter::writeLimit() {
  if (!trace.isCut())
    return;
  beginEvent("i", "trace",
             "the limit of " + std::to_string(trace.getMaxEvents()) +
                 " events is reached: later ones are not here",
             process);
  json.key("s").string("g").key("ts").thousandths(events.empty() ? 0 : events.back()->end - origin);
  json.endObject();
}

void TraceWriter::writeChrome() {
  json.beginObject().key("displayTimeUnit").string("ms");
  json.key("otherData").beginObject();
  json.key("model").string(manifest.modelName).key("compiler").string(manifest.toolBuild);
  json.key("target").string(variant.target).endObject();
  json.key("traceEvents").beginArray();
  writeMetadata("process_name", process,
                manifest.modelName.empty() ? "tssa" : "tssa: " + manifest.modelName);
  writeThreads();
  for (const TraceEvent *event : events)
    writeEvent(*event);
  writeLimit();
  json.endArray().endObject();
}

std::string TraceWriter::write() {
  if (isChrome()) {
    writeChrome();
    return json.get();
  }
  json.beginArray();
  for (const TraceEvent *event : events)
    writeEvent(*event);
  return json.endArray().get();
}

std::string tssa::runtime::writeTrace(const Trace &trace, const Manifest &manifest,
                                      const Variant &variant, const TraceTextOptions &options) {
  return TraceWriter(trace, manifest, variant, options).write();
}

//===- Trace.h - what happened in runs, and when -------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A trace holds the events of runs: the runs, their launches, the parts of parallel loops that
/// each thread ran, and the memory that the runs hold. Its memory is allocated once, and adding an
/// event takes no lock. When it is full, later events are left out.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_TRACE_H
#define TSSA_RUNTIME_TRACE_H

#include "tssa/Runtime/Manifest.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>

namespace tssa::runtime {

/// Times are nanoseconds of CLOCK_MONOTONIC.
struct TraceEvent {
  enum Kind : int32_t {
    Run = 0,    ///< a run; `value` is its tssa_code
    Launch = 1, ///< a launch; `value` is its floating-point operations, -1 if unknown
    Part = 2,   ///< what a thread ran of a parallel loop; `value` is its iterations
    Memory = 3  ///< from `begin` on, the run holds `value` bytes
  };
  Kind kind = Run;
  int32_t thread = 0;  ///< its number in the operating system
  int32_t launch = -1; ///< of the variant's launch table; -1: the event belongs to none
  uint64_t run = 0;    ///< the number of the run in the trace
  int64_t begin = 0, end = 0;
  int64_t value = 0;
};

/// Any number of runs of one session may add events at once. All other functions must be called
/// while no run adds events.
class Trace {
public:
  /// Throws std::bad_alloc if there is no memory for so many events.
  explicit Trace(size_t maxEvents);

  /// Adds the event of a run, which begins now. Until the run sets its end and outcome, it is one
  /// that failed. Returns the index of the event, or nothing if the trace is full.
  std::optional<size_t> beginRun();
  /// Leaves out the event if the trace is full.
  void add(const TraceEvent &event) noexcept;
  /// The event of index `index`, for the run that began it.
  TraceEvent &getEvent(size_t index) { return events[index]; }

  size_t getMaxEvents() const { return maxEvents; }
  size_t getNumEvents() const;
  const TraceEvent &getEvent(size_t index) const { return events[index]; }
  /// Returns whether an event was left out.
  bool isCut() const { return next.load() > maxEvents; }
  void clear();

  /// Returns the present time.
  static int64_t now();
  /// Returns the number of the calling thread in the operating system.
  static int32_t getThread();

private:
  struct Free {
    void operator()(TraceEvent *events) const;
  };
  size_t maxEvents;
  std::unique_ptr<TraceEvent[], Free> events;
  std::atomic<size_t> next{0};
  std::atomic<uint64_t> runs{0};
};

/// How a trace is written.
struct TraceTextOptions {
  /// An object of Chrome's Trace Event format, with the names of threads and the memory; or an
  /// array of complete events under the names that ONNX Runtime gives them.
  enum Style { Chrome, ONNXRuntime };
  Style style = Chrome;
  /// The time that is 0 in the text; if it is not given, that of the first event.
  std::optional<int64_t> origin;
};

/// Writes the events of the runs that succeeded as JSON, in the order of their times. `variant` is
/// the one that ran.
std::string writeTrace(const Trace &trace, const Manifest &manifest, const Variant &variant,
                       const TraceTextOptions &options);

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_TRACE_H

//===- RunTrace.h - adds the events of one run to a trace ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_RUNTRACE_H
#define TSSA_LIB_RUNTIME_RUNTRACE_H

#include "tssa/Runtime/Trace.h"

namespace tssa::runtime {

/// The part of a trace that belongs to one run, which begins and ends with the object. If there is
/// no trace, or it is full, it is off and its functions must not be called.
class RunTrace {
public:
  explicit RunTrace(Trace *trace); ///< `trace` may be null
  ~RunTrace();
  RunTrace(const RunTrace &) = delete;
  RunTrace &operator=(const RunTrace &) = delete;

  bool isOn() const { return index.has_value(); }
  /// Says how the run ended; without it, it has failed.
  void setOutcome(tssa_code code) { outcome = code; }

  /// Between the two calls, parts of loops belong to `launch`. The caller's thread calls them.
  void beginLaunch(int32_t launch);
  void endLaunch(int32_t launch, int64_t begin, int64_t end);
  /// Says that the launch that begins next has so many floating-point operations.
  void countFlops(int64_t count) { flops = count; }
  /// Says that the run holds `bytes` bytes from now on. Only one thread at a time may call it.
  void setMemory(uint64_t bytes);

  /// A parallel loop whose parts are recorded: `run` is its body, this object the body's context.
  struct Loop {
    RunTrace &trace;
    int32_t launch;
    tssa_body body;
    void *context;
    static void run(void *loop, int64_t begin, int64_t end);
  };
  Loop makeLoop(tssa_body body, void *context) { return {*this, launch, body, context}; }

private:
  Trace *trace;
  std::optional<size_t> index; ///< of the run's event
  uint64_t run = 0;
  tssa_code outcome = TSSA_CANCELLED;
  int32_t launch = -1;
  int64_t flops = -1;
  uint64_t memory = 0;

  void add(TraceEvent::Kind kind, int32_t launch, int64_t begin, int64_t end, int64_t value);
};

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_RUNTRACE_H

//===- RunClock.cpp - cancellation, time limit, profile and trace --------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RunState.h"

#include <charconv>

using namespace tssa::runtime;
using Clock = std::chrono::steady_clock;

/// Formats seconds with a decimal point in every locale.
static std::string formatSeconds(double seconds) {
  char text[400];
  char *end = std::to_chars(text, text + sizeof(text), seconds, std::chars_format::fixed, 6).ptr;
  return std::string(text, end);
}

bool RunState::shouldStop() {
  if (failed.load(std::memory_order_relaxed) || outOfMemory.load(std::memory_order_relaxed))
    return true;
  if (context.run.cancel && context.run.cancel->load(std::memory_order_relaxed))
    return true;
  if (context.run.timeoutSeconds > 0 && Clock::now() >= deadline)
    timedOut.store(true, std::memory_order_relaxed);
  return timedOut.load(std::memory_order_relaxed);
}

void RunState::recordLaunch(int32_t launch, int32_t phase) {
  if (launch < 0 || uint64_t(launch) >= context.variant.launches.size())
    return;
  int64_t now = Trace::now();
  if (phase == 0) {
    launchStart = now;
    if (context.trace.isOn())
      context.trace.beginLaunch(launch);
    return;
  }
  if (context.trace.isOn())
    context.trace.endLaunch(launch, launchStart, now);
  if (context.run.profile) {
    LaunchTime &time = (*context.run.profile)[launch];
    ++time.calls;
    time.seconds += double(now - launchStart) * 1e-9;
  }
}

void RunState::recordFlops(int32_t launch, int64_t flops) {
  if (launch < 0 || uint64_t(launch) >= context.variant.launches.size())
    return;
  if (context.trace.isOn())
    context.trace.countFlops(flops);
  if (context.run.profile)
    (*context.run.profile)[launch].flops += double(flops);
}

void RunState::traceMemory() {
  if (context.trace.isOn())
    context.trace.setMemory(held);
}

void RunState::installWatchingCallbacks() {
  if (watchesLaunches()) {
    host.profile = [](const tssa_host *host, int32_t launch, int32_t phase) {
      static_cast<RunState *>(host->user)->recordLaunch(launch, phase);
    };
    host.count_flops = [](const tssa_host *host, int32_t launch, int64_t flops) {
      static_cast<RunState *>(host->user)->recordFlops(launch, flops);
    };
  }
  // With one thread, the only part of a loop would be all of it.
  if (context.trace.isOn() && context.threads > 1)
    host.parallel_for = [](const tssa_host *host, int64_t n, int64_t grain, tssa_body body,
                           void *data) {
      RunState &state = *static_cast<RunState *>(host->user);
      RunTrace::Loop loop = state.context.trace.makeLoop(body, data);
      state.runLoop(n, grain, RunTrace::Loop::run, &loop);
    };
}

Status RunState::whyStopped() const {
  if (outOfMemory.load())
    return makeError(TSSA_OUT_OF_MEMORY, "out of memory");
  if (timedOut.load())
    return makeError(TSSA_CANCELLED, "stopped: the run took longer than " +
                                         formatSeconds(context.run.timeoutSeconds) + " s");
  return makeError(TSSA_CANCELLED, "cancelled");
}

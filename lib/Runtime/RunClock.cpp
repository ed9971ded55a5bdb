//===- RunClock.cpp - cancellation, time limit and profile of a run -----===//
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
  std::vector<LaunchTime> &times = *context.run.profile;
  if (launch < 0 || uint64_t(launch) >= times.size())
    return;
  Clock::time_point now = Clock::now();
  if (phase == 0) {
    launchStart = now;
    return;
  }
  ++times[launch].calls;
  times[launch].seconds += std::chrono::duration<double>(now - launchStart).count();
}

void RunState::recordFlops(int32_t launch, int64_t flops) {
  std::vector<LaunchTime> &times = *context.run.profile;
  if (launch >= 0 && uint64_t(launch) < times.size())
    times[launch].flops += double(flops);
}

Status RunState::whyStopped() const {
  if (outOfMemory.load())
    return makeError(TSSA_OUT_OF_MEMORY, "out of memory");
  if (timedOut.load())
    return makeError(TSSA_CANCELLED, "stopped: the run took longer than " +
                                         formatSeconds(context.run.timeoutSeconds) + " s");
  return makeError(TSSA_CANCELLED, "cancelled");
}

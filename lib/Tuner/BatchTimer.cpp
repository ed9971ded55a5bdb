//===- BatchTimer.cpp - how long a call takes -----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BatchTimer.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <ctime>
#include <sys/resource.h>

using namespace tssa::tuner;

static constexpr double leastBatch = 1e-3;
static constexpr int64_t leastCalls = 2, maxCalls = 1 << 24;
/// The largest wall time per CPU time of a batch during which no other thread had the CPU.
static constexpr double maxWallOverCPU = 1.03;

static double readClock(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Returns how often the calling thread had to leave its CPU to another one.
static long countPreemptions() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

BatchTimer::BatchTimer(std::function<void()> call, unsigned threads, unsigned repeats)
    : call(std::move(call)), threads(threads), repeats(repeats) {}

BatchTimer::Batch BatchTimer::runBatch() const {
  clockid_t clock = threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID;
  long preemptions = countPreemptions();
  double wallStart = readClock(CLOCK_MONOTONIC), cpuStart = readClock(clock);
  for (int64_t i = 0; i < calls; ++i)
    call();
  double cpuEnd = readClock(clock), wallEnd = readClock(CLOCK_MONOTONIC);
  Batch batch{wallEnd - wallStart, cpuEnd - cpuStart, countPreemptions() != preemptions};
  batch.isDisturbed |= threads == 1 && batch.wall > maxWallOverCPU * batch.cpu;
  return batch;
}

void BatchTimer::calibrate() {
  for (unsigned longBatches = 0; longBatches < 2;) {
    double seconds = runBatch().wall;
    if (seconds >= leastBatch || calls >= maxCalls) {
      ++longBatches;
      calls = std::max(calls, leastCalls);
      continue;
    }
    longBatches = 0;
    // A little more than seems enough, and no more than 16 times as many: the first calls are slow.
    double factor = std::min(1.1 * leastBatch / std::max(seconds, 1e-9), 16.0);
    calls = std::min<int64_t>(std::ceil(static_cast<double>(calls) * factor), maxCalls);
  }
}

void BatchTimer::run() {
  Batch batch = runBatch();
  for (; batch.isDisturbed && repeats > 0; --repeats)
    batch = runBatch();
  wall += batch.wall;
  cpu += batch.cpu;
  double seconds = (threads == 1 ? batch.cpu : batch.wall) / static_cast<double>(calls);
  times.push_back(std::max(seconds, 1e-9));
}

std::vector<double> BatchTimer::sortTimes() const {
  std::vector<double> sorted = times;
  llvm::sort(sorted);
  return sorted;
}

double BatchTimer::getMedian() const {
  std::vector<double> sorted = sortTimes();
  size_t half = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

double BatchTimer::getLeast() const { return sortTimes().front(); }

double BatchTimer::getHalfWidth() const {
  std::vector<double> sorted = sortTimes();
  // The number of times below the median is binomial, and nearly normal.
  double count = static_cast<double>(sorted.size());
  auto skipped = static_cast<size_t>(std::max(0.0, (count - 1.96 * std::sqrt(count)) / 2));
  return (sorted[sorted.size() - 1 - skipped] - sorted[skipped]) / 2 / getMedian();
}

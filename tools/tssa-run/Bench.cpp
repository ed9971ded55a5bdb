//===- Bench.cpp ---------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench.h"

#include <algorithm>
#include <chrono>
#include <ctime>

using namespace tssa::run;
using namespace tssa::runtime;
using Wall = std::chrono::steady_clock;

static constexpr double warmUpSeconds = 0.2;
static constexpr uint64_t leastWarmUps = 3;
static constexpr double enoughSeconds = 1, mostSeconds = 2;
static constexpr uint64_t leastRuns = 20, fewestRuns = 3;

static double since(Wall::time_point start) {
  return std::chrono::duration<double>(Wall::now() - start).count();
}

/// Returns requests that write the outputs to the memory of `results`.
static std::vector<OutputRequest> reuse(const Manifest &manifest, std::vector<Tensor> &results) {
  std::vector<OutputRequest> requests;
  for (size_t i = 0; i < results.size(); ++i) {
    requests.push_back({manifest.outputs[i].name, {}});
    if (manifest.outputs[i].kind == Port::Out)
      requests.back().into = results[i].asABI();
  }
  return requests;
}

static bool goOn(std::optional<uint64_t> wanted, uint64_t runs, double seconds) {
  if (wanted)
    return runs < *wanted;
  if (seconds >= mostSeconds)
    return runs < fewestRuns;
  return runs < leastRuns || seconds < enoughSeconds;
}

static bool isWarm(std::optional<uint64_t> wanted, uint64_t runs, double seconds) {
  if (wanted)
    return runs >= *wanted;
  return runs > 0 && (seconds >= mostSeconds || (runs >= leastWarmUps && seconds >= warmUpSeconds));
}

/// Returns the seconds that `clock` shows.
static double read(tssa::run::Clock clock) {
  timespec time{};
  clock_gettime(clock == tssa::run::Clock::CPU ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

double BenchResult::getPercentile(unsigned percent) const {
  size_t rank = (sorted.size() * percent + 99) / 100;
  return sorted[std::max<size_t>(rank, 1) - 1];
}

namespace {
/// Runs of one session on the same inputs, which write the same memory.
class RepeatedRun {
public:
  RepeatedRun(Session &session, const std::vector<NamedTensor> &inputs,
              std::vector<Tensor> &results)
      : session(session), inputs(inputs), results(results) {}

  Status run(const RunOptions &options) {
    if (hasMemory)
      return session.run(inputs, requests, options, views);
    Status status = session.run(inputs, {}, options, results);
    if (status.ok())
      requests = reuse(session.getManifest(), results);
    hasMemory = status.ok();
    return status;
  }

private:
  Session &session;
  const std::vector<NamedTensor> &inputs;
  std::vector<Tensor> &results;
  std::vector<Tensor> views;
  std::vector<OutputRequest> requests;
  bool hasMemory = false;
};
} // namespace

Status tssa::run::bench(Session &session, const std::vector<NamedTensor> &inputs,
                        const RunOptions &options, const BenchOptions &timing,
                        std::vector<Tensor> &results, BenchResult &result) {
  RunOptions warmUp = options;
  warmUp.profile = nullptr;
  warmUp.trace = nullptr;
  RepeatedRun repeated(session, inputs, results);
  Wall::time_point start = Wall::now();
  for (uint64_t i = 0; !isWarm(timing.warmUps, i, since(start)); ++i)
    if (Status status = repeated.run(warmUp); !status.ok())
      return status;
  std::vector<double> &times = result.sorted;
  start = Wall::now();
  while (goOn(timing.runs, times.size(), since(start))) {
    if (timing.beforeRun)
      timing.beforeRun(times.size());
    double begin = read(timing.clock);
    if (Status status = repeated.run(options); !status.ok())
      return status;
    times.push_back((read(timing.clock) - begin) * 1e3);
  }
  std::sort(times.begin(), times.end());
  result.clock = timing.clock;
  return Status::success();
}

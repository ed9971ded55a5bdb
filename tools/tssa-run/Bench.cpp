//===- Bench.cpp ---------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench.h"

#include <algorithm>
#include <chrono>

using namespace tssa::run;
using namespace tssa::runtime;
using Clock = std::chrono::steady_clock;

static constexpr double warmUpSeconds = 0.2;
static constexpr uint64_t leastWarmUps = 3;
static constexpr double enoughSeconds = 1, mostSeconds = 2;
static constexpr uint64_t leastRuns = 20, fewestRuns = 3;

static double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
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

Status tssa::run::bench(Session &session, const std::vector<NamedTensor> &inputs,
                        const RunOptions &options, const BenchOptions &timing,
                        std::vector<Tensor> &results, BenchResult &result) {
  RunOptions warmUp = options;
  warmUp.profile = nullptr;
  if (Status status = session.run(inputs, {}, warmUp, results); !status.ok())
    return status;
  std::vector<OutputRequest> requests = reuse(session.getManifest(), results);
  std::vector<Tensor> views;
  Clock::time_point start = Clock::now();
  for (uint64_t i = 1; i < leastWarmUps || since(start) < warmUpSeconds; ++i) {
    if (Status status = session.run(inputs, requests, warmUp, views); !status.ok())
      return status;
    if (since(start) >= mostSeconds)
      break;
  }
  std::vector<double> times;
  start = Clock::now();
  while (goOn(timing.runs, times.size(), since(start))) {
    if (timing.beforeRun)
      timing.beforeRun(times.size());
    Clock::time_point begin = Clock::now();
    if (Status status = session.run(inputs, requests, options, views); !status.ok())
      return status;
    times.push_back(since(begin) * 1e3);
  }
  std::sort(times.begin(), times.end());
  size_t count = times.size();
  result.runs = count;
  result.minMs = times.front();
  result.p90Ms = times[std::min(count - 1, count * 9 / 10)];
  result.medianMs = count % 2 ? times[count / 2] : (times[count / 2 - 1] + times[count / 2]) / 2;
  return Status::success();
}

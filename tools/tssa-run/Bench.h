//===- Bench.h - measures the time of a run ------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TOOLS_TSSA_RUN_BENCH_H
#define TSSA_TOOLS_TSSA_RUN_BENCH_H

#include "tssa/Runtime/Session.h"

#include <functional>

namespace tssa::run {

/// What the time of a run is: wall-clock time, or the CPU time of all threads of the process
/// (CLOCK_PROCESS_CPUTIME_ID).
enum class Clock { Wall, CPU };

struct BenchResult {
  Clock clock = Clock::Wall;
  std::vector<double> sorted; ///< the time of each run in ms, the shortest first; at least one

  /// Returns the nearest-rank percentile: the shortest time that at least `percent` of 100 runs do
  /// not exceed. 0 stands for the shortest time.
  double getPercentile(unsigned percent) const;
};

struct BenchOptions {
  /// The number of runs. If it is not given, there are as many as fit into a second and at least
  /// 20, but no more than fit into about two seconds.
  std::optional<uint64_t> runs;
  /// The number of runs before the timed ones. If it is not given, there are at least three, and as
  /// many as fit into a fifth of a second.
  std::optional<uint64_t> warmUps;
  Clock clock = Clock::Wall;
  /// Is told the number of each timed run before it begins; may be empty.
  std::function<void(uint64_t)> beforeRun;
};

/// Measures the time of runs after a warm-up. The first run of all makes the memory of the outputs,
/// which the others use again. `results` gets the outputs of the last run.
runtime::Status bench(runtime::Session &session, const std::vector<runtime::NamedTensor> &inputs,
                      const runtime::RunOptions &options, const BenchOptions &timing,
                      std::vector<runtime::Tensor> &results, BenchResult &result);

} // namespace tssa::run

#endif // TSSA_TOOLS_TSSA_RUN_BENCH_H

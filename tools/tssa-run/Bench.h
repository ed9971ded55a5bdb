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

struct BenchResult {
  double medianMs = 0, p90Ms = 0, minMs = 0;
  uint64_t runs = 0;
};

struct BenchOptions {
  /// The number of runs. If it is not given, there are as many as fit into a second and at least
  /// 20, but no more than fit into about two seconds.
  std::optional<uint64_t> runs;
  /// Is told the number of each timed run before it begins; may be empty.
  std::function<void(uint64_t)> beforeRun;
};

/// Measures the time of runs after a warm-up. All runs use the same output memory. `results` gets
/// the outputs of the last run.
runtime::Status bench(runtime::Session &session, const std::vector<runtime::NamedTensor> &inputs,
                      const runtime::RunOptions &options, const BenchOptions &timing,
                      std::vector<runtime::Tensor> &results, BenchResult &result);

} // namespace tssa::run

#endif // TSSA_TOOLS_TSSA_RUN_BENCH_H

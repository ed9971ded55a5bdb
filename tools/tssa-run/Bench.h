//===- Bench.h - how long a run takes ------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TOOLS_TSSA_RUN_BENCH_H
#define TSSA_TOOLS_TSSA_RUN_BENCH_H

#include "tssa/Runtime/Session.h"

namespace tssa::run {

struct BenchResult {
  double medianMs = 0, p90Ms = 0, minMs = 0;
  uint64_t runs = 0;
};

/// Times runs after a warm-up, each into the same output memory: `runs` of them,
/// or as many as fit a second and at least 20, but no longer than about two
/// seconds where one run is slow. The last run's outputs are in `results`.
runtime::Status bench(runtime::Session &session, const std::vector<runtime::NamedTensor> &inputs,
                      const runtime::RunOptions &options, std::optional<uint64_t> runs,
                      std::vector<runtime::Tensor> &results, BenchResult &result);

} // namespace tssa::run

#endif // TSSA_TOOLS_TSSA_RUN_BENCH_H

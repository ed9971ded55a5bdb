//===- Bench.h - measures the time of a run ------------------------------===//
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

/// Measures the time of runs after a warm-up. All runs use the same output memory. `runs` is the
/// number of runs. If it is not given, there are as many runs as fit into a second and at least 20,
/// but no more than fit into about two seconds. `results` gets the outputs of the last run.
runtime::Status bench(runtime::Session &session, const std::vector<runtime::NamedTensor> &inputs,
                      const runtime::RunOptions &options, std::optional<uint64_t> runs,
                      std::vector<runtime::Tensor> &results, BenchResult &result);

} // namespace tssa::run

#endif // TSSA_TOOLS_TSSA_RUN_BENCH_H

//===- Report.h - prints the report of a run -----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TOOLS_TSSA_RUN_REPORT_H
#define TSSA_TOOLS_TSSA_RUN_REPORT_H

#include "Bench.h"
#include "Compare.h"

namespace tssa::run {

/// What is reported of a run. Parts that were not requested are absent.
struct Report {
  const runtime::Manifest *manifest = nullptr;
  const runtime::Variant *variant = nullptr; ///< the one that ran
  std::vector<runtime::Tensor> *outputs = nullptr;
  unsigned threads = 0;
  std::string device; ///< as Session::getDeviceName
  std::optional<BenchResult> bench;
  std::vector<Difference> differences;
  std::vector<runtime::LaunchTime> profile;
  uint64_t profiledRuns = 1;
};

/// Says which percentiles are no more than the slowest run; "" if there are enough runs.
std::string describeFewRuns(size_t runs);

std::string reportText(const Report &report);
std::string reportJson(const Report &report);

} // namespace tssa::run

#endif // TSSA_TOOLS_TSSA_RUN_REPORT_H

//===- ForkedBuilds.h - builds candidates in child processes ----*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TUNER_FORKEDBUILDS_H
#define LIB_TUNER_FORKEDBUILDS_H

#include "tssa/Pipeline/VerifyKernel.h"
#include "tssa/Tuner/Outcome.h"

namespace tssa::tuner {

/// What came of building a candidate.
struct Build {
  /// Why there is no code; `Measured` if there is.
  search::TrialStatus status = search::TrialStatus::Measured;
  std::string error; ///< one sentence
  KernelObject object;
  bool isMarked = false; ///< what `work` has said of the candidate
  double seconds = 0;    ///< of the wall clock

  bool hasCode() const { return status == search::TrialStatus::Measured; }
};

/// Builds `count` candidates, each in a process that is forked from this one, at most `processes`
/// of them at a time. `work(i, isMarked)` runs in such a process. It may crash, take the memory
/// that the process may have, or need more than `limitSeconds`: that is what came of candidate i.
/// Its standard output goes nowhere. The processes die with this one.
std::vector<Build>
buildInChildren(size_t count, unsigned processes, double limitSeconds,
                llvm::function_ref<llvm::Expected<KernelObject>(size_t, bool &isMarked)> work);

} // namespace tssa::tuner

#endif // LIB_TUNER_FORKEDBUILDS_H

//===- Outcome.h - how a candidate did --------------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TUNER_OUTCOME_H
#define TSSA_TUNER_OUTCOME_H

#include "tssa/Search/Database.h"

namespace tssa::tuner {

/// What came of a candidate.
struct Outcome {
  search::TrialStatus status = search::TrialStatus::Measured;
  /// Why it was not measured; one sentence.
  std::string error;
  /// The median and the least time of a call, in seconds: of the calling thread's CPU clock with
  /// one thread, else of the wall clock.
  double seconds = 0, minSeconds = 0;
  /// Half the width of an interval that holds the median with a probability of 95 %, relative to
  /// the median.
  double halfWidth = 0;
  /// CPU time per wall time while it was timed.
  double cpuOverWall = 0;
  /// How fast a burst of arithmetic was before it was timed, as a share of the fastest one.
  double canary = 1;
  /// How long it took to compile, to check and to time, in seconds of the wall clock.
  double buildSeconds = 0, checkSeconds = 0, timingSeconds = 0;

  bool isMeasured() const { return status == search::TrialStatus::Measured; }
};

} // namespace tssa::tuner

#endif // TSSA_TUNER_OUTCOME_H

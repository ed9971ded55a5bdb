//===- Chart.h - charts as SVG ----------------------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TUNER_CHART_H
#define LIB_TUNER_CHART_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tssa::tuner {

/// What the trials of a task came to.
struct TrialChart {
  /// The time of each trial in seconds, none for one that failed.
  llvm::ArrayRef<std::optional<double>> trials;
  /// The first trials, which are shown as those of an earlier session.
  size_t numEarlier = 0;
  double defaultSeconds = 0; ///< 0 if unknown
};

/// Draws a dot for each measured trial, a cross for each one that failed, a step line for the best
/// time so far, and a dashed line for the default. The axis of times is logarithmic if it spans
/// more than a factor of 4. `title` is escaped. Colours come from classes of the page.
std::string drawTrials(const TrialChart &chart, llvm::StringRef title);

/// Draws two bars below each other, of these shares of the width.
std::string drawBars(double defaultShare, double bestShare);

} // namespace tssa::tuner

#endif // LIB_TUNER_CHART_H

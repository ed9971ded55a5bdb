//===- RunChart.h - charts of runs as SVG --------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Colours come from classes of the page (Page.h). A title is what a screen reader says of a chart.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_TOOLS_TSSA_RUN_RUNCHART_H
#define TSSA_TOOLS_TSSA_RUN_RUNCHART_H

#include <string>
#include <utility>
#include <vector>

namespace tssa::run {

/// Draws how many runs took how long, with a line at each percentile. `sorted` are the times of the
/// runs in ms, the shortest first; at least one.
std::string drawHistogram(const std::vector<double> &sorted,
                          const std::vector<std::pair<std::string, double>> &percentiles);

/// Draws bytes over time. A step is a time in ms and the bytes from then on; at least one.
std::string drawMemory(const std::vector<std::pair<double, double>> &steps, double endMs);

/// A launch in a roofline.
struct RooflinePoint {
  double intensity = 0; ///< operations for each byte
  double rate = 0;      ///< operations per second
  std::string name;     ///< shown by a browser that points at it
};

/// A straight part of the roof: what a memory of this speed allows.
struct RooflineMemory {
  std::string name;
  double bytesPerSecond = 0;
};

/// Draws launches below a roof, both axes logarithmic; at least one point.
std::string drawRoofline(const std::vector<RooflinePoint> &points, double flopsPerSecond,
                         const std::vector<RooflineMemory> &memories);

} // namespace tssa::run

#endif // TSSA_TOOLS_TSSA_RUN_RUNCHART_H

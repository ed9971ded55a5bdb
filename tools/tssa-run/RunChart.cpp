//===- RunChart.cpp ------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RunChart.h"

#include "Format.h"

#include "tssa/Runtime/Page.h"

#include <algorithm>
#include <cmath>

using namespace tssa::run;
using tssa::runtime::escapeMarkup;

/// The size of a chart, and of its plot within it.
static constexpr double width = 360, height = 200, left = 52, right = 350, top = 14, bottom = 164;

namespace {
/// Where values are on an axis that goes from `from` to `to` on the picture.
class Axis {
public:
  Axis(double low, double high, bool isLog, double from, double to)
      : low(low), high(high > low ? high : low + 1), isLog(isLog), from(from), to(to) {}

  double place(double value) const {
    value = std::clamp(value, low, high);
    double share =
        isLog ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    return from + share * (to - from);
  }

  /// Round values on the axis, about five of them.
  std::vector<double> getTicks() const {
    constexpr double wanted = 5;
    std::vector<double> ticks;
    if (isLog) {
      double stride = std::max(1.0, std::ceil(std::log10(high / low) / (wanted + 1)));
      for (double power = std::ceil(std::log10(low)); power <= std::log10(high); power += stride)
        ticks.push_back(std::pow(10, power));
      return ticks;
    }
    double step = std::pow(10, std::floor(std::log10((high - low) / wanted)));
    for (double factor : {2.0, 2.5, 2.0})
      if ((high - low) / step > wanted)
        step *= factor;
    for (double number = std::ceil(low / step); number * step <= high; ++number)
      ticks.push_back(number * step);
    return ticks;
  }

private:
  double low, high;
  bool isLog;
  double from, to;
};

/// A picture with two axes.
class Drawing {
public:
  Drawing(const char *title, Axis x, Axis y) : x(x), y(y) {
    text = format("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 %.0f "
                  "%.0f\">\n<title>%s</title>\n",
                  width, height, title);
  }

  void drawText(double atX, double atY, const char *anchor, const std::string &what) {
    text += format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", atX, atY, anchor) + what +
            "</text>\n";
  }

  void drawAxes(const char *nameOfX, const char *nameOfY) {
    for (double tick : y.getTicks()) {
      text += format("<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>\n", left, y.place(tick), right);
      drawText(left - 5, y.place(tick) + 3.5, "end", format("%.4g", tick));
    }
    for (double tick : x.getTicks())
      drawText(x.place(tick), bottom + 14, "middle", format("%.4g", tick));
    drawText((left + right) / 2, height - 6, "middle", nameOfX);
    drawText(4, 9, "start", nameOfY);
  }

  void drawPath(const char *style, const std::string &path) {
    text += format("<path class=\"%s\" d=\"", style) + path + "\"/>\n";
  }

  void add(const std::string &markup) { text += markup; }
  std::string finish() { return text + "</svg>\n"; }

  const Axis x, y;

private:
  std::string text;
};
} // namespace

std::string
tssa::run::drawHistogram(const std::vector<double> &sorted,
                         const std::vector<std::pair<std::string, double>> &percentiles) {
  constexpr size_t mostBins = 30;
  double low = sorted.front(), high = std::max(sorted.back(), low * 1.001 + 1e-9);
  size_t bins = std::clamp<size_t>(sorted.size() / 3, 1, mostBins);
  std::vector<size_t> counts(bins);
  for (double time : sorted)
    ++counts[std::min(bins - 1, size_t((time - low) / (high - low) * double(bins)))];
  double most = double(*std::max_element(counts.begin(), counts.end()));
  Drawing drawing("Times of the runs", {low, high, false, left, right},
                  {0, most * 1.15, false, bottom, top});
  drawing.drawAxes("ms", "runs");
  for (size_t i = 0; i < bins; ++i) {
    double begin = drawing.x.place(low + (high - low) * double(i) / double(bins));
    double end = drawing.x.place(low + (high - low) * double(i + 1) / double(bins));
    double y = drawing.y.place(double(counts[i]));
    drawing.add(format("<rect class=\"best\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                       "height=\"%.1f\"/>\n",
                       begin, y, std::max(end - begin - 0.8, 0.5), bottom - y));
  }
  double lowest = top + 8, line = 11;
  for (const auto &[name, time] : percentiles) {
    double x = drawing.x.place(time);
    drawing.drawPath("default", format("M%.1f %.1fV%.1f", x, lowest - 8, bottom));
    bool isRight = x > (left + right) / 2;
    drawing.drawText(isRight ? x - 3 : x + 3, lowest, isRight ? "end" : "start", name);
    lowest += line; // so that names of equal times do not cover each other
  }
  return drawing.finish();
}

std::string tssa::run::drawMemory(const std::vector<std::pair<double, double>> &steps,
                                  double endMs) {
  double most = 0;
  for (const auto &[time, bytes] : steps)
    most = std::max(most, bytes);
  constexpr double mebi = 1 << 20, kibi = 1 << 10;
  bool isLarge = most >= mebi;
  double unit = isLarge ? mebi : kibi;
  Drawing drawing("Memory over the time of a run", {0, endMs, false, left, right},
                  {0, std::max(most / unit * 1.1, 0.1), false, bottom, top});
  drawing.drawAxes("ms", isLarge ? "MiB" : "KiB");
  std::string path = format("M%.1f %.1f", left, bottom);
  for (const auto &[time, bytes] : steps)
    path += format("H%.1fV%.1f", drawing.x.place(time), drawing.y.place(bytes / unit));
  drawing.drawPath("best", path + format("H%.1f", drawing.x.place(endMs)));
  return drawing.finish();
}

/// Writes the name of a memory to the right of its line, below it. `lowX` and `lowY` are where the
/// axes begin, and `peak` is the roof in GFLOP/s.
static void nameMemory(Drawing &drawing, const RooflineMemory &memory, double lowX, double lowY,
                       double peak) {
  constexpr double share = 0.4, giga = 1e9;
  double speed = memory.bytesPerSecond / giga;
  double begin = std::max(lowX, lowY / speed);
  double named = begin * std::pow(peak / speed / begin, share);
  drawing.drawText(drawing.x.place(named) + 6, drawing.y.place(named * speed) + 8, "start",
                   memory.name + format(" %.0f GB/s", speed));
}

std::string tssa::run::drawRoofline(const std::vector<RooflinePoint> &points, double flopsPerSecond,
                                    const std::vector<RooflineMemory> &memories) {
  constexpr double giga = 1e9;
  double lowX = 0.1, highX = 100, lowY = flopsPerSecond / giga / 100, highY = flopsPerSecond / giga;
  for (const RooflinePoint &point : points) {
    lowX = std::min(lowX, point.intensity / 1.5);
    highX = std::max(highX, point.intensity * 1.5);
    lowY = std::min(lowY, point.rate / giga / 1.5);
    highY = std::max(highY, point.rate / giga);
  }
  Drawing drawing("Rates of the launches below the roof of the machine",
                  {lowX, highX, true, left, right}, {lowY, highY * 2, true, bottom, top});
  drawing.drawAxes("operations for each byte", "GFLOP/s");
  double peak = drawing.y.place(flopsPerSecond / giga);
  for (const RooflineMemory &memory : memories) {
    double speed = memory.bytesPerSecond / giga;
    double begin = std::max(lowX, lowY / speed), knee = flopsPerSecond / giga / speed;
    double end = std::min(knee, highX);
    drawing.drawPath("default", format("M%.1f %.1fL%.1f %.1f", drawing.x.place(begin),
                                       drawing.y.place(begin * speed), drawing.x.place(end),
                                       drawing.y.place(end * speed)));
  }
  double first = memories.empty() ? lowX : highX;
  for (const RooflineMemory &memory : memories)
    first = std::min(first, flopsPerSecond / memory.bytesPerSecond);
  drawing.drawPath("best", format("M%.1f %.1fH%.1f", drawing.x.place(first), peak, right));
  drawing.drawText(right, peak - 4, "end", format("%.0f GFLOP/s", flopsPerSecond / giga));
  for (const RooflineMemory &memory : memories)
    nameMemory(drawing, memory, lowX, lowY, flopsPerSecond / giga);
  for (const RooflinePoint &point : points)
    drawing.add(format("<circle class=\"launch\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>",
                       drawing.x.place(point.intensity), drawing.y.place(point.rate / giga)) +
                escapeMarkup(point.name) +
                format(": %.1f GFLOP/s, %.2f operations for each byte</title></circle>\n",
                       point.rate / giga, point.intensity));
  return drawing.finish();
}

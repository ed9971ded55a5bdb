//===- Chart.cpp - charts as SVG ------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chart.h"
#include "tssa/Runtime/Page.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace tssa::tuner;
using llvm::format;
using llvm::StringRef;

/// The size of a chart of trials, and of its plot within it.
static constexpr double width = 360, height = 190, left = 50, right = 350, top = 20, bottom = 158;

namespace {
/// Where times are on the axis.
class TimeAxis {
public:
  /// `low` and `high` are positive.
  TimeAxis(double low, double high) {
    constexpr double mostOfLinear = 4, gap = 0.06;
    isLog = high > mostOfLinear * low;
    double span = high - low, narrow = 0.1 * high;
    if (isLog)
      span = std::log(high / low);
    else if (span < narrow)
      span = narrow;
    begin = isLog ? low * std::exp(-gap * span) : std::max(low - gap * span, 0.0);
    end = isLog ? high * std::exp(gap * span) : high + gap * span;
  }

  double place(double seconds) const {
    seconds = std::clamp(seconds, begin, end);
    double share = isLog ? std::log(seconds / begin) / std::log(end / begin)
                         : (seconds - begin) / (end - begin);
    return bottom - share * (bottom - top);
  }

  /// Round times on the axis, not too many.
  std::vector<double> getTicks() const {
    constexpr size_t mostTicks = 7;
    constexpr double fewTicks = 3, wide = 100;
    if (isLog)
      for (std::vector<int> digits : {std::vector<int>{1, 2, 5}, {1, 3}, {1}})
        if (std::vector<double> ticks = getLogTicks(digits, 1);
            ticks.size() >= 2 && ticks.size() <= mostTicks)
          return ticks;
    if (isLog && end > wide * begin)
      return getLogTicks({1}, std::ceil(std::log10(end / begin) / mostTicks));
    double step = getRoundStep((end - begin) / fewTicks);
    std::vector<double> ticks;
    for (double number = std::ceil(begin / step); number * step <= end; ++number)
      ticks.push_back(number * step);
    return ticks;
  }

  /// The largest 1, 2 or 5 times a power of ten that is at most `step`.
  static double getRoundStep(double step) {
    double power = std::pow(10, std::floor(std::log10(step)));
    for (double digit : {5, 2})
      if (digit * power <= step)
        return digit * power;
    return power;
  }

  std::string printTick(double seconds) const {
    std::string text;
    llvm::raw_string_ostream stream(text);
    for (auto [unit, scale] : {std::pair("ns", 1e-9), {"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}})
      if (end < 1000 * scale || scale == 1) {
        stream << format("%.4g ", seconds / scale) << unit;
        break;
      }
    return text;
  }

private:
  /// These digits times the powers of ten, of which each is 10^`stride` times the one before.
  std::vector<double> getLogTicks(llvm::ArrayRef<int> digits, double stride) const {
    std::vector<double> ticks;
    for (double power = std::floor(std::log10(begin)); std::pow(10, power) <= end; power += stride)
      for (int digit : digits)
        if (double tick = digit * std::pow(10, power); tick >= begin && tick <= end)
          ticks.push_back(tick);
    return ticks;
  }

  bool isLog = false;
  double begin = 0, end = 1;
};

/// Draws one chart of trials.
class TrialDrawing {
public:
  TrialDrawing(const TrialChart &chart, TimeAxis axis, llvm::raw_ostream &stream)
      : chart(chart), axis(axis), stream(stream) {}

  void draw() {
    drawEarlier();
    drawAxes();
    drawDefault();
    drawMarks();
    drawBest();
  }

private:
  /// Where a trial is, from the left; number 0 is the first one.
  double placeTrial(double number) const {
    return left + (number + 0.5) * (right - left) / static_cast<double>(chart.trials.size());
  }

  void drawText(double x, double y, const char *anchor, StringRef text) {
    stream << format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor) << text
           << "</text>\n";
  }

  void drawEarlier() {
    if (chart.numEarlier == 0)
      return;
    double end = placeTrial(static_cast<double>(chart.numEarlier) - 0.5);
    stream << format("<rect class=\"earlier\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                     "height=\"%.1f\"/>\n",
                     left, top, end - left, bottom - top);
    drawText((left + end) / 2, bottom - 5, "middle", "earlier");
  }

  void drawAxes() {
    for (double tick : axis.getTicks()) {
      double y = axis.place(tick);
      stream << format("<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>\n", left, y, right);
      drawText(left - 5, y + 3.5, "end", axis.printTick(tick));
    }
    constexpr double mostTicks = 6;
    double count = static_cast<double>(chart.trials.size());
    double step = std::max(1.0, 2 * TimeAxis::getRoundStep(count / mostTicks));
    for (double number = std::max(step, 1.0); number <= count; number += step)
      drawText(placeTrial(number - 1), bottom + 14, "middle", std::to_string(std::llround(number)));
    drawText((left + right) / 2, height - 4, "middle", "trial");
  }

  void drawDefault() {
    if (chart.defaultSeconds <= 0)
      return;
    double y = axis.place(chart.defaultSeconds);
    stream << format("<path class=\"default\" d=\"M%.1f %.1fH%.1f\"/>\n", left, y, right);
  }

  /// Of very many trials, not all are drawn.
  void drawMarks() {
    constexpr size_t mostMarks = 1000;
    size_t stride = chart.trials.size() / mostMarks + 1;
    std::string dots, crosses;
    llvm::raw_string_ostream dotStream(dots), crossStream(crosses);
    for (size_t i = 0; i < chart.trials.size(); i += stride) {
      double x = placeTrial(static_cast<double>(i));
      if (chart.trials[i])
        dotStream << format("M%.1f %.1fh0", x, axis.place(*chart.trials[i]));
      else
        crossStream << format("M%.1f %.1fl6 6m-6 0l6-6", x - 3, top - 12);
    }
    if (!dots.empty())
      stream << "<path class=\"dots\" d=\"" << dots << "\"/>\n";
    if (!crosses.empty())
      stream << "<path class=\"crosses\" d=\"" << crosses << "\"/>\n";
  }

  void drawBest() {
    double best = HUGE_VAL;
    std::string steps;
    llvm::raw_string_ostream line(steps);
    for (auto [i, seconds] : llvm::enumerate(chart.trials))
      if (seconds && *seconds < best) {
        double x = placeTrial(static_cast<double>(i)), y = axis.place(*seconds);
        line << (steps.empty() ? format("M%.1f %.1f", x, y) : format("H%.1fV%.1f", x, y));
        best = *seconds;
      }
    if (!steps.empty())
      stream << "<path class=\"best\" d=\"" << steps << format("H%.1f\"/>\n", right);
  }

  const TrialChart &chart;
  TimeAxis axis;
  llvm::raw_ostream &stream;
};
} // namespace

std::string tssa::tuner::drawTrials(const TrialChart &chart, StringRef title) {
  double low = HUGE_VAL, high = 0;
  auto include = [&](double seconds) {
    seconds = std::clamp(seconds, 1e-12, 1e6); // a damaged database has any
    low = std::min(low, seconds);
    high = std::max(high, seconds);
  };
  if (chart.defaultSeconds > 0)
    include(chart.defaultSeconds);
  for (const std::optional<double> &seconds : chart.trials)
    if (seconds)
      include(*seconds);
  if (high == 0) // all of them failed
    low = high = 1e-6;
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << format("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 %.0f "
                   "%.0f\">\n<title>",
                   width, height)
         << tssa::runtime::escapeMarkup(title, 200) << "</title>\n";
  TrialDrawing(chart, TimeAxis(low, high), stream).draw();
  stream << "</svg>\n";
  return text;
}

std::string tssa::tuner::drawBars(double defaultShare, double bestShare) {
  auto limit = [](double share) { // a damaged database has any
    return std::isfinite(share) ? 100 * std::clamp(share, 0.0, 1.0) : 0;
  };
  std::string text;
  llvm::raw_string_ostream(text) << format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" aria-hidden=\"true\" viewBox=\"0 0 100 "
      "16\" preserveAspectRatio=\"none\"><rect class=\"default\" y=\"1\" "
      "width=\"%.2f\" height=\"6\"/><rect class=\"best\" y=\"8\" width=\"%.2f\" "
      "height=\"6\"/></svg>",
      limit(defaultShare), limit(bestShare));
  return text;
}

//===- ReportTest.cpp - pages, charts and explanations --------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Tuner/Report.h"
#include "TunerTest.h"
#include "lib/Tuner/Chart.h"
#include "lib/Tuner/LoopWords.h"
#include "tssa/Tuner/Explain.h"
#include "tssa/Tuner/KernelSpace.h"

using namespace tssa::tuner;

namespace {
size_t countText(llvm::StringRef text, llvm::StringRef part) { return text.count(part); }

class ReportTest : public TunerTest {};

TEST_F(ReportTest, SaysLoopsInWords) {
  auto kernel = createTask(productTask);
  KernelPoint point = llvm::cantFail(
      parseKernelPoint("vector d1 2x16, rows d0 4, unroll d2 8, outer d0 d1, reduce d2"));
  EXPECT_EQ(describeLoops(*kernel, point),
            "2 x 16 lanes along d1 (out), 4 rows of d0 (image), d2 (in) "
            "unrolled 8 times, loops d0 d1, then d2");
  point = llvm::cantFail(parseKernelPoint("scalar, outer d1 d0, reduce d2"));
  EXPECT_EQ(describeLoops(*kernel, point), "scalar code, loops d1 d0, then d2");
  EXPECT_EQ(describeStores(productTask), "as in the model");
  EXPECT_EQ(describeStores(convolutionTask),
            "@y as reorder(0, 2, 3, 1), parameter 0 as reorder(0, 2, 3, 1)");
  EXPECT_EQ(describeSchedule("te.kernel {\n} schedule {\n  layout.store @y as map<reorder(1, 0)>\n"
                             "  %0:2 = layout.loops @y : !layout.loop, !layout.loop\n"
                             "  layout.vectorize %0#1\n}\n"),
            "%0:2 = layout.loops @y; layout.vectorize %0#1");
}

TEST_F(ReportTest, PrintsTimes) {
  EXPECT_EQ(printTime(2.5e-9), "2.50 ns");
  EXPECT_EQ(printTime(81.24e-6), "81.2 us");
  EXPECT_EQ(printTime(3), "3.00 s");
}

TEST_F(ReportTest, DrawsTrials) {
  std::optional<double> none;
  std::string chart = drawTrials({{2e-6, none, 1e-6, 3e-6, none}, 1, 2e-6}, "of <a>");
  EXPECT_EQ(countText(chart, "M"), countText(chart, "class=\"grid\"") + 1 + 3 + 2 + 1);
  EXPECT_EQ(countText(chart, "h0"), 3u);
  EXPECT_EQ(countText(chart, "l6 6"), 2u);
  EXPECT_EQ(countText(chart, "class=\"best\""), 1u);
  EXPECT_EQ(countText(chart, ">earlier<"), 1u);
  EXPECT_EQ(countText(chart, "of &lt;a&gt;"), 1u);
  EXPECT_EQ(countText(chart, ">2 us<"), 1u);
  EXPECT_EQ(countText(drawTrials({{none}, 0, 0}, ""), "class=\"best\""), 0u);
  // Of a linear axis, the middle is the mean; of a logarithmic one it is the geometric mean.
  EXPECT_EQ(countText(drawTrials({{1e-6, 2e-6, 3e-6}, 0, 0}, ""), " 89.0h0"), 1u);
  EXPECT_EQ(countText(drawTrials({{1e-6, 1e-5, 1e-4}, 0, 0}, ""), " 89.0h0"), 1u);
}

TEST_F(ReportTest, DrawsDamagedTrials) {
  std::string chart = drawTrials({{5e-324, 1e308, 1e-9}, 0, HUGE_VAL}, "");
  EXPECT_EQ(countText(chart, "nan"), 0u);
  EXPECT_EQ(countText(chart, "inf"), 0u);
  EXPECT_LE(countText(chart, "class=\"grid\""), 7u);
  EXPECT_EQ(countText(drawBars(NAN, HUGE_VAL), "width=\"0.00\""), 2u);
}

TEST_F(ReportTest, LimitsThePage) {
  SessionReport report;
  TaskReport task;
  task.name = std::string(1 << 20, '<');
  task.defaultSeconds = task.bestSeconds = 1;
  task.trials.assign(100000, 1e-6);
  report.tasks.assign(1000, task);
  std::string page = printPage(report);
  EXPECT_LT(page.size(), size_t(2) << 20);
  EXPECT_EQ(countText(page, "more that take less time are not shown"), 3u);
}

TEST_F(ReportTest, ShowsTheProgram) {
  SessionReport report;
  EXPECT_EQ(countText(printPage(report), "of the program"), 0u);
  report.program = ::tssa::search::ProgramTimes{4e-3, 2e-3};
  std::string page = printPage(report);
  EXPECT_EQ(countText(page, "4.00 ms &#8594; 2.00 ms"), 1u);
  EXPECT_EQ(countText(page, "one run of the program, by default and with what was found"), 1u);
}

TEST_F(ReportTest, CorrelatesRanks) {
  EXPECT_FALSE(getRankCorrelation({1, 2}, {1, 2}));
  EXPECT_FALSE(getRankCorrelation({1, 1, 1}, {1, 2, 3}));
  EXPECT_DOUBLE_EQ(*getRankCorrelation({1, 2, 9}, {10, 20, 21}), 1);
  EXPECT_DOUBLE_EQ(*getRankCorrelation({1, 2, 9}, {3, 2, 1}), -1);
  // Two equal numbers share rank 1.5.
  EXPECT_NEAR(*getRankCorrelation({1, 1, 2}, {1, 2, 3}), 0.8660254, 1e-6);
}
} // namespace

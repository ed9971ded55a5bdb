//===- RunPageTest.cpp - percentiles and pages of tssa-run ---------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tools/tssa-run/RunPage.h"

#include <gtest/gtest.h>

using namespace tssa::run;
using namespace tssa::runtime;

TEST(BenchResultTest, PercentilesAreOfTheNearestRank) {
  BenchResult result;
  for (int i = 1; i <= 10; ++i)
    result.sorted.push_back(i);
  EXPECT_EQ(result.getPercentile(0), 1);
  EXPECT_EQ(result.getPercentile(10), 1);
  EXPECT_EQ(result.getPercentile(11), 2);
  EXPECT_EQ(result.getPercentile(50), 5);
  EXPECT_EQ(result.getPercentile(95), 10);
  EXPECT_EQ(result.getPercentile(100), 10);
  result.sorted = {3};
  for (unsigned percent : {0, 50, 99, 100})
    EXPECT_EQ(result.getPercentile(percent), 3);
}

namespace {
/// A report of three runs of a program with as many launches as there are numbers of bytes.
struct RunPageTest : ::testing::Test {
  Manifest manifest;
  std::vector<Tensor> outputs;
  std::vector<NamedTensor> inputs;
  Report report;
  Trace trace{16};
  tssa::tuner::Roof roof{1e11, {{512 << 10, 1e11}, {64 << 20, 1e10}}};

  void fill(const std::vector<int64_t> &bytes) {
    manifest.variants.resize(1);
    manifest.nodes = {{"<node>", "Add"}};
    report.manifest = &manifest;
    report.outputs = &outputs;
    report.device = "cpu";
    report.threads = 1;
    report.bench.emplace().sorted = {1, 2, 3};
    report.profiledRuns = 3;
    for (int64_t number : bytes) {
      manifest.variants[0].launches.push_back({"kernel", {0}, 1000, number});
      double seconds = double(report.profile.size() + 1) * 1e-3;
      report.profile.push_back({3, seconds, 3e6, {}});
    }
    report.variant = &manifest.variants[0];
    ASSERT_TRUE(trace.beginRun());
  }
  std::string print() { return printPage({report, trace, inputs, roof, 0}); }
};
} // namespace

static size_t count(const std::string &text, const std::string &what) {
  size_t number = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++number;
  return number;
}

TEST_F(RunPageTest, LaunchesOfUnknownBytesAreNotInTheRoofline) {
  fill({4000, -1});
  std::string page = print();
  EXPECT_EQ(count(page, "<circle class=\"launch\""), 1u);
  EXPECT_EQ(count(page, "1 of 2 launches are not in it"), 1u);
  EXPECT_EQ(count(page, "memory 10 GB/s"), 1u);
}

TEST_F(RunPageTest, NoLaunchHasKnownBytes) {
  fill({-1});
  std::string page = print();
  EXPECT_EQ(count(page, "<circle"), 0u);
  EXPECT_EQ(count(page, "The machine does at most 100 GFLOP/s."), 1u);
}

TEST_F(RunPageTest, LongestFirstAndEscaped) {
  fill({1, 1});
  std::string page = print();
  EXPECT_LT(page.find(">1 kernel</span>"), page.find(">0 kernel</span>"));
  EXPECT_EQ(count(page, "<node>"), 0u);
  EXPECT_EQ(count(page, "&lt;node&gt;"), 2u);
  EXPECT_EQ(count(page, "<th>schedules for</th>"), 0u);
  manifest.variants[0].machine = "{cpu = \"some\"}";
  EXPECT_EQ(count(print(), "<th>schedules for</th><td>{cpu = &quot;some&quot;}</td>"), 1u);
}

TEST_F(RunPageTest, OfManyLaunchesNotAllAreShown) {
  fill(std::vector<int64_t>(302, 1));
  EXPECT_EQ(count(print(), "2 more that take less time are not shown."), 1u);
}

TEST_F(RunPageTest, EqualTimes) {
  fill({});
  report.bench->sorted = {0, 0, 0};
  EXPECT_EQ(count(print(), "nan"), 0u);
}

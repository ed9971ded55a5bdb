//===- WorkerTest.cpp - workers that misbehave ----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Tuner/Worker.h"
#include "gtest/gtest.h"

using namespace tssa;
using namespace tssa::tuner;
using search::TrialStatus;

namespace {
/// Measures by a shell script in the place of the worker.
class WorkerTest : public testing::Test {
protected:
  std::unique_ptr<Measurer> makeMeasurer(llvm::StringRef script) {
    WorkerOptions options;
    options.command = {"/bin/sh", "-c", script.str()};
    options.openSeconds = openSeconds;
    options.buildSeconds = options.runSeconds = runSeconds;
    return createWorkerMeasurer(options);
  }

  std::string open(Measurer &measurer) {
    return llvm::toString(measurer.open({"key", "text"}, "default"));
  }
  std::string getOpenError(llvm::StringRef script) { return open(*makeMeasurer(script)); }

  /// Opens a task and measures a point.
  Outcome measure(llvm::StringRef answer) {
    auto measurer = makeMeasurer("read a; echo '{\"ok\": true}'; read a; " + answer.str());
    EXPECT_EQ(open(*measurer), "");
    return llvm::cantFail(measurer->measure({"point"}, std::nullopt)).front();
  }

  double openSeconds = 60, runSeconds = 60;
};
} // namespace

TEST_F(WorkerTest, CannotBeStarted) {
  WorkerOptions options;
  options.command = {"/no/such/program"};
  EXPECT_EQ(open(*createWorkerMeasurer(options)), "the worker ended with exit code 72");
}

TEST_F(WorkerTest, EndsWhileItPrepares) {
  EXPECT_EQ(getOpenError("exit 3"), "the worker ended with exit code 3");
  EXPECT_EQ(getOpenError("exit 71"), "the worker needs more memory than its limit");
  EXPECT_EQ(getOpenError("kill -9 $$"), "the worker ended by a signal: Killed");
}

TEST_F(WorkerTest, AnswersWithAnError) {
  EXPECT_EQ(getOpenError("read a; echo '{\"error\": \"no kernel\"}'"), "no kernel");
}

TEST_F(WorkerTest, AnswersWithGarbage) {
  EXPECT_NE(getOpenError("read a; echo garbage"), "");
  EXPECT_NE(getOpenError("read a; yes x | tr -d '\\n'"), "");
}

TEST_F(WorkerTest, IsSilent) {
  openSeconds = 0.1;
  EXPECT_EQ(getOpenError("sleep 1000"), "preparing the kernel takes too long");
}

TEST_F(WorkerTest, DiesWithACandidate) {
  Outcome outcome = measure("kill -SEGV $$");
  EXPECT_EQ(outcome.status, TrialStatus::Crash);
  EXPECT_EQ(outcome.error, "the worker ended by a signal: Segmentation fault");
  EXPECT_EQ(measure("exit 71").status, TrialStatus::OutOfMemory);
  EXPECT_EQ(measure("echo garbage").status, TrialStatus::Crash);
  EXPECT_EQ(measure("echo '{\"error\": \"no\"}'").status, TrialStatus::BuildFailed);
}

TEST_F(WorkerTest, NeverEndsACandidate) {
  runSeconds = 0.1;
  EXPECT_EQ(measure("sleep 1000").error, "building takes too long");
  Outcome outcome = measure("echo '{\"built\": true}'; sleep 1000");
  EXPECT_EQ(outcome.status, TrialStatus::Timeout);
  EXPECT_EQ(outcome.error, "the candidate does not end");
}

TEST_F(WorkerTest, AnotherNumberOfOutcomesIsNone) {
  EXPECT_FALSE(measure("echo '{\"outcomes\": []}'").isMeasured());
  EXPECT_FALSE(measure("echo '{\"ok\": true}'").isMeasured());
}

/// An outcome that was measured, as a worker prints it.
static constexpr llvm::StringLiteral measured =
    "echo '{\"outcomes\": [{\"status\": 0, \"error\": \"\", \"seconds\": 1, \"min\": 1, "
    "\"half_width\": 0, \"cpu_over_wall\": 1, \"canary\": 1, \"build\": 1, \"check\": 1, "
    "\"timing\": 1}]}'; ";
static constexpr llvm::StringLiteral built = "echo '{\"built\": true}'; ";

// Each worker measures one point, and ends when the next one runs. That is what became of this one,
// and the others get a new worker.
TEST_F(WorkerTest, OnePointDoesNotTakeOthersWithIt) {
  auto measurer = makeMeasurer(
      ("read a; echo '{\"ok\": true}'; read a; " + built + measured + built + "exit 3").str());
  EXPECT_EQ(open(*measurer), "");
  auto outcomes = llvm::cantFail(measurer->measure({"a", "b", "c", "d", "e"}, std::nullopt));
  ASSERT_EQ(outcomes.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(outcomes[i].isMeasured(), i % 2 == 0) << i;
    EXPECT_EQ(outcomes[i].error, i % 2 == 0 ? "" : "the worker ended with exit code 3");
  }
}

// A worker that ends before any code runs gets the points one by one.
TEST_F(WorkerTest, PointsThatEndBuildingAreFoundOneByOne) {
  auto measurer = makeMeasurer(("read a; echo '{\"ok\": true}'; while read a; do case $a in *bad*) "
                                "exit 3;; esac; " +
                                built + measured + "done")
                                   .str());
  EXPECT_EQ(open(*measurer), "");
  auto outcomes = llvm::cantFail(measurer->measure({"a", "bad", "c"}, std::nullopt));
  ASSERT_EQ(outcomes.size(), 3u);
  EXPECT_TRUE(outcomes[0].isMeasured());
  EXPECT_EQ(outcomes[1].error, "the worker ended with exit code 3");
  EXPECT_TRUE(outcomes[2].isMeasured());
}

// The next candidate gets a worker of its own.
TEST_F(WorkerTest, IsStartedAgain) {
  auto measurer = makeMeasurer("read a; echo '{\"ok\": true}'; read a; exit 1");
  EXPECT_EQ(open(*measurer), "");
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(llvm::cantFail(measurer->measure({"point"}, std::nullopt)).front().error,
              "the worker ended with exit code 1");
  EXPECT_EQ(llvm::cantFail(measurer->compare({"a", "b"})).size(), 2u);
}

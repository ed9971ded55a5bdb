//===- SessionTest.cpp ---------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RuntimeTest.h"

#include <cmath>
#include <fstream>

using namespace tssa::runtime;
using namespace tssa::runtime::test;

namespace {
class SessionTest : public ::testing::Test {
protected:
  TemporaryFolder folder;
  std::string path = folder.file("add.so");
  std::unique_ptr<Session> session;

  void SetUp() override {
    writeAddArtifact(path);
    load({});
  }
  void load(const SessionOptions &options) { ASSERT_OK(Session::load(path, options, session)); }
  Status run(AddArguments &arguments, std::vector<Tensor> &results,
             const RunOptions &options = {}) {
    return session->run(arguments.get(), {}, options, results);
  }
};
} // namespace

static void expectSum(const AddArguments &arguments, const float *sum, float extra = 0) {
  const float bias[3] = {0.5f, 1, 2};
  for (size_t i = 0; i < arguments.a.size(); ++i)
    ASSERT_FLOAT_EQ(sum[i], arguments.a[i] + arguments.b[i] + bias[i % 3] + extra);
}

TEST_F(SessionTest, AnySize) {
  for (int64_t rows : {1, 0, 2, 7, 1000, 3}) {
    AddArguments arguments(rows);
    std::vector<Tensor> results;
    ASSERT_OK(run(arguments, results));
    ASSERT_EQ(results.size(), 2u);
    EXPECT_EQ(results[0].shape, (std::vector<int64_t>{rows, 3}));
    expectSum(arguments, static_cast<float *>(results[0].data));
    EXPECT_EQ(results[1].shape, std::vector<int64_t>{std::max<int64_t>(rows * 3 - 1, 0)});
    EXPECT_NE(results[1].data, nullptr);
  }
}

TEST_F(SessionTest, ResultsInTheCallersMemory) {
  AddArguments arguments(4);
  std::vector<float> sum(12);
  std::vector<int64_t> found(20), foundShape = {20};
  std::vector<Tensor> results;
  ASSERT_OK(session->run(arguments.get(),
                         {{"found", view(DType::I64, foundShape, found.data())},
                          {"sum", view(DType::F32, arguments.shape, sum.data())}},
                         {}, results));
  expectSum(arguments, sum.data());
  EXPECT_EQ(results[0].data, found.data());
  EXPECT_EQ(results[0].shape, std::vector<int64_t>{11});
  EXPECT_EQ(found[10], 11);
  EXPECT_EQ(results[1].data, sum.data());
}

TEST_F(SessionTest, OnlyOneOutput) {
  AddArguments arguments(2);
  std::vector<Tensor> results;
  ASSERT_OK(session->run(arguments.get(), {{"found", {}}}, {}, results));
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].dtype, DType::I64);
}

TEST_F(SessionTest, MathOfTheHost) {
  AddArguments arguments(1, UseMath);
  std::vector<Tensor> results;
  ASSERT_OK(run(arguments, results));
  expectSum(arguments, static_cast<float *>(results[0].data), float(std::erf(1.0)));
}

TEST_F(SessionTest, FaultsOfTheProgram) {
  auto expectFault = [&](int32_t mode, tssa_code code, const char *text) {
    AddArguments arguments(2, mode);
    std::vector<Tensor> results;
    EXPECT_FAULT(code, text, run(arguments, results));
    EXPECT_TRUE(results.empty());
    arguments.mode = Normal;
    EXPECT_OK(run(arguments, results)); // the session goes on
  };
  expectFault(FailAtNode, TSSA_OUT_OF_RANGE, "node 'pick' (NonZero): index 7 is not below 3");
  expectFault(SilentFailure, TSSA_OUT_OF_RANGE, "code 2 and no message");
  expectFault(NoResult, TSSA_INTERNAL, "output 'sum' was not produced");
  expectFault(WrongShape, TSSA_INTERNAL,
              "output 'sum': expected f32[N,3], the program made f32[3,3]");
}

TEST_F(SessionTest, FaultNamesTheNode) {
  AddArguments arguments(1, FailAtNode);
  std::vector<Tensor> results;
  EXPECT_EQ(run(arguments, results).node, "pick");
}

TEST_F(SessionTest, MemoryLimit) {
  SessionOptions options;
  options.memoryLimit = 64 << 20;
  load(options);
  AddArguments greedy(1, GrowForEver);
  std::vector<Tensor> results;
  EXPECT_FAULT(TSSA_OUT_OF_MEMORY, "limit of 67108864 bytes", run(greedy, results));
  AddArguments arguments(1000);
  EXPECT_OK(run(arguments, results));
  options.memoryLimit = 1000;
  load(options);
  EXPECT_FAULT(TSSA_OUT_OF_MEMORY,
               "the run with N = 1000 takes 12000 bytes, "
               "the limit is 1000",
               run(arguments, results));
  // The arena fits into the limit, but the results do not.
  AddArguments fits(70);
  EXPECT_FAULT(TSSA_OUT_OF_MEMORY, "output 'sum' of 840 bytes exceeds the limit",
               run(fits, results));
}

TEST_F(SessionTest, ReleasedResultsGiveTheirMemoryToTheNextRun) {
  AddArguments arguments(10000);
  std::vector<Tensor> results, more;
  ASSERT_OK(run(arguments, results));
  void *sum = results[0].data, *found = results[1].data;
  ASSERT_OK(run(arguments, more)); // the first results are still in use
  EXPECT_NE(more[0].data, sum);
  EXPECT_NE(more[1].data, found);
  expectSum(arguments, static_cast<float *>(results[0].data));
  results.clear();
  ASSERT_OK(run(arguments, results));
  EXPECT_EQ(results[0].data, sum);
  EXPECT_EQ(results[1].data, found);
  expectSum(arguments, static_cast<float *>(results[0].data));
  session.reset();
  expectSum(arguments, static_cast<float *>(more[0].data));
}

TEST_F(SessionTest, AFailedRunGivesItsMemoryBack) {
  AddArguments arguments(10000), wrong(10000, NoResult);
  std::vector<Tensor> results;
  ASSERT_OK(run(arguments, results));
  void *found = results[1].data;
  results.clear();
  EXPECT_FAULT(TSSA_INTERNAL, "output 'sum' was not produced", run(wrong, results));
  ASSERT_OK(run(arguments, results));
  EXPECT_EQ(results[1].data, found);
}

TEST_F(SessionTest, IdleMemoryOfResultsCountsAgainstTheLimit) {
  // The arena, `sum`, what the program asks for to make `found`, and `found`.
  auto most = [](uint64_t rows) { return 2 * 12 * rows + 2 * 24 * rows - 8; };
  SessionOptions options;
  options.memoryLimit = most(12000);
  load(options);
  AddArguments small(12000), large(15000);
  std::vector<Tensor> results;
  ASSERT_OK(run(small, results));
  void *sum = results[0].data, *found = results[1].data;
  results.clear();
  ASSERT_OK(run(small, results)); // counts idle memory once, though it is then in use
  EXPECT_EQ(results[0].data, sum);
  EXPECT_EQ(results[1].data, found);
  options.memoryLimit = most(15000);
  load(options);
  ASSERT_OK(run(small, results));
  results.clear();
  EXPECT_OK(run(large, results)); // idle memory that is in the way is freed
  options.memoryLimit -= 1;
  load(options);
  EXPECT_FAULT(TSSA_OUT_OF_MEMORY, "output 'found' of 359992 bytes exceeds", run(large, results));
}

TEST_F(SessionTest, TimeLimit) {
  AddArguments arguments(1, LoopForEver);
  RunOptions options;
  options.timeoutSeconds = 0.02;
  std::vector<Tensor> results;
  EXPECT_FAULT(TSSA_CANCELLED, "took longer than 0.02", run(arguments, results, options));
}

TEST_F(SessionTest, CancelFromAnotherThread) {
  for (int i = 0; i < 20; ++i) {
    AddArguments arguments(1, LoopForEver);
    std::atomic<bool> cancel{false};
    RunOptions options;
    options.cancel = &cancel;
    std::thread canceller([&cancel, i] {
      std::this_thread::sleep_for(std::chrono::microseconds(100 * i));
      cancel = true;
    });
    std::vector<Tensor> results;
    EXPECT_FAULT(TSSA_CANCELLED, "cancelled", run(arguments, results, options));
    canceller.join();
  }
}

TEST_F(SessionTest, ManyThreadsOneSession) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        int32_t mode = i % 10 == 9 ? FailAtNode : Normal;
        AddArguments arguments(1 + (t * 31 + i) % 50, mode);
        std::vector<Tensor> results;
        Status status = run(arguments, results);
        ASSERT_EQ(status.ok(), mode == Normal) << status.message;
        if (mode == Normal)
          expectSum(arguments, static_cast<float *>(results[0].data));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(SessionTest, ProfileCountsLaunches) {
  std::vector<LaunchTime> profile;
  RunOptions options;
  options.profile = &profile;
  AddArguments arguments(100);
  std::vector<Tensor> results;
  for (int i = 0; i < 3; ++i)
    ASSERT_OK(run(arguments, results, options));
  ASSERT_EQ(profile.size(), 1u);
  EXPECT_EQ(profile[0].calls, 3u);
  EXPECT_GE(profile[0].seconds, 0);
  EXPECT_EQ(profile[0].flops, 3 * 300);
}

TEST_F(SessionTest, EmbeddersThreads) {
  SessionOptions options;
  int loops = 0;
  options.parallelForUser = &loops;
  options.parallelFor = [](void *user, int64_t n, int64_t, tssa_body body, void *context) {
    ++*static_cast<int *>(user);
    body(context, 0, n);
  };
  load(options);
  AddArguments arguments(5);
  std::vector<Tensor> results;
  ASSERT_OK(run(arguments, results));
  EXPECT_EQ(loops, 1);
}

// A part of the arena for each thread is planned, counted and used.
TEST_F(SessionTest, MemoryOfThreads) {
  Manifest manifest = makeAddManifest();
  manifest.variants[0].memory.scratchBytes = 128;
  static const float bias[3] = {0.5f, 1, 2};
  ASSERT_OK(
      writeArtifact(path, readModel("add_model"), manifest, content({{0, sizeof(bias), bias}})));
  SessionOptions options;
  options.threads = 3;
  load(options);
  AddArguments arguments(10, UseScratch);
  int64_t bytes;
  ASSERT_OK(session->planMemory(arguments.get(), bytes));
  EXPECT_EQ(bytes, 128 + 3 * 128);
  std::vector<Tensor> results;
  ASSERT_OK(run(arguments, results));
  expectSum(arguments, static_cast<float *>(results[0].data));
  options.memoryLimit = 511;
  load(options);
  EXPECT_FAULT(TSSA_OUT_OF_MEMORY, "takes 512 bytes", run(arguments, results));
}

// What a program asks for replaces parts that are smaller, and counts too.
TEST_F(SessionTest, MemoryThatThreadsAskFor) {
  for (int64_t scratchBytes : {0, 64, 1 << 20}) {
    Manifest manifest = makeAddManifest();
    manifest.variants[0].memory.scratchBytes = scratchBytes;
    static const float bias[3] = {0.5f, 1, 2};
    ASSERT_OK(
        writeArtifact(path, readModel("add_model"), manifest, content({{0, sizeof(bias), bias}})));
    SessionOptions options;
    options.threads = 3;
    load(options);
    std::vector<Tensor> results;
    for (int64_t rows : {0, 10, 1000}) {
      AddArguments arguments(rows, AskForScratch);
      ASSERT_OK(run(arguments, results));
      expectSum(arguments, static_cast<float *>(results[0].data));
    }
    if (scratchBytes == 1 << 20) // enough
      break;
    options.memoryLimit = 12000 + 3 * 12032 - 1;
    load(options);
    AddArguments arguments(1000, AskForScratch);
    EXPECT_FAULT(TSSA_OUT_OF_MEMORY, "36096 more bytes exceed the limit", run(arguments, results));
  }
}

TEST_F(SessionTest, PlansWithoutRunning) {
  AddArguments arguments(10, LoopForEver);
  int64_t bytes;
  ASSERT_OK(session->planMemory(arguments.get(), bytes));
  EXPECT_EQ(bytes, 120);
}

TEST_F(SessionTest, OutlivesTheFile) {
  ASSERT_OK(writeArtifact(path, readModel("trap_model"), makeAddManifest(), content()));
  AddArguments arguments(10);
  std::vector<Tensor> results;
  ASSERT_OK(run(arguments, results));
  expectSum(arguments, static_cast<float *>(results[0].data));
}

// Two sessions of one file load two copies of the program, and closing the sessions unloads both.
TEST_F(SessionTest, OpenAndCloseManyTimes) {
  auto countMaps = [] {
    std::ifstream maps("/proc/self/maps");
    std::string line;
    int count = 0;
    while (std::getline(maps, line))
      count +=
          line.find("tssa-model") != std::string::npos || line.find("add.so") != std::string::npos;
    return count;
  };
  int before = countMaps();
  for (int i = 0; i < 50; ++i) {
    std::unique_ptr<Session> one, two;
    ASSERT_OK(Session::load(path, {}, one));
    ASSERT_OK(Session::load(path, {}, two));
    AddArguments arguments(3);
    std::vector<Tensor> results;
    ASSERT_OK(one->run(arguments.get(), {}, {}, results));
    one.reset();
    ASSERT_OK(two->run(arguments.get(), {}, {}, results));
  }
  EXPECT_EQ(countMaps(), before);
}

TEST_F(SessionTest, RefusesAnotherMachinesProgram) {
  Manifest manifest = makeAddManifest();
  manifest.variants[0].triple = "aarch64-unknown-linux-gnu";
  ASSERT_OK(writeArtifact(path, readModel("add_model"), manifest, content()));
  std::unique_ptr<Session> other;
  EXPECT_FAULT(TSSA_INCOMPATIBLE, "add.so': the program is for 'aarch64",
               Session::load(path, {}, other));
}

//===- TraceTest.cpp - the events of runs --------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RuntimeTest.h"

#include "tssa/Runtime/Trace.h"

#include <map>
#include <thread>

using namespace tssa::runtime;
using namespace tssa::runtime::test;

namespace {
class SessionTraceTest : public ::testing::Test {
protected:
  TemporaryFolder folder;
  std::string path = folder.file("add.so");
  std::unique_ptr<Session> session;
  Trace trace{10000};

  void SetUp() override {
    writeAddArtifact(path);
    load(2);
  }
  void load(unsigned threads) {
    SessionOptions options;
    options.threads = threads;
    ASSERT_OK(Session::load(path, options, session));
  }
  Status run(int64_t rows, int32_t mode = Normal) {
    AddArguments arguments(rows, mode);
    RunOptions options;
    options.trace = &trace;
    std::vector<Tensor> results;
    return session->run(arguments.get(), {}, options, results);
  }
  std::string write(const TraceTextOptions &options = {}) const {
    return writeTrace(trace, session->getManifest(), session->getVariant(), options);
  }
  std::vector<TraceEvent> get(TraceEvent::Kind kind) const {
    std::vector<TraceEvent> events;
    for (size_t i = 0; i < trace.getNumEvents(); ++i)
      if (trace.getEvent(i).kind == kind)
        events.push_back(trace.getEvent(i));
    return events;
  }
};
} // namespace

static bool contains(const TraceEvent &outer, const TraceEvent &inner) {
  return outer.begin <= inner.begin && inner.end <= outer.end;
}

static size_t count(const std::string &text, const std::string &what) {
  size_t number = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++number;
  return number;
}

TEST_F(SessionTraceTest, EventsAreWithinTheirRuns) {
  for (int i = 0; i < 3; ++i)
    ASSERT_OK(run(100));
  std::vector<TraceEvent> runs = get(TraceEvent::Run), launches = get(TraceEvent::Launch);
  ASSERT_EQ(runs.size(), 3u);
  ASSERT_EQ(launches.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(runs[i].run, i);
    EXPECT_EQ(runs[i].value, TSSA_OK);
    EXPECT_EQ(launches[i].run, i);
    EXPECT_EQ(launches[i].launch, 0);
    EXPECT_EQ(launches[i].value, 300);
    EXPECT_TRUE(contains(runs[i], launches[i]));
  }
  std::map<uint64_t, int64_t> iterations;
  for (const TraceEvent &part : get(TraceEvent::Part)) {
    EXPECT_EQ(part.launch, 0);
    EXPECT_TRUE(contains(launches[part.run], part));
    iterations[part.run] += part.value;
  }
  EXPECT_EQ(iterations, (std::map<uint64_t, int64_t>{{0, 100}, {1, 100}, {2, 100}}));
}

TEST_F(SessionTraceTest, MemoryReturnsToZero) {
  ASSERT_OK(run(100));
  std::vector<TraceEvent> memory = get(TraceEvent::Memory);
  ASSERT_GE(memory.size(), 3u);
  EXPECT_EQ(memory.front().value, 1200); // the arena
  int64_t most = 0;
  for (const TraceEvent &event : memory)
    most = std::max(most, event.value);
  EXPECT_GE(most, 1200 + 300 * 8); // and the list of the positive elements
  EXPECT_EQ(memory.back().value, 0);
}

TEST_F(SessionTraceTest, OneThreadHasNoParts) {
  load(1);
  ASSERT_OK(run(100));
  EXPECT_EQ(get(TraceEvent::Launch).size(), 1u);
  EXPECT_TRUE(get(TraceEvent::Part).empty());
}

TEST_F(SessionTraceTest, ProfileAndTraceAgree) {
  AddArguments arguments(100);
  std::vector<LaunchTime> profile;
  RunOptions options;
  options.trace = &trace;
  options.profile = &profile;
  std::vector<Tensor> results;
  ASSERT_OK(session->run(arguments.get(), {}, options, results));
  TraceEvent launch = get(TraceEvent::Launch).at(0);
  EXPECT_EQ(profile.at(0).calls, 1u);
  EXPECT_DOUBLE_EQ(profile.at(0).seconds, double(launch.end - launch.begin) * 1e-9);
}

TEST_F(SessionTraceTest, RunsThatFailAreNotWritten) {
  EXPECT_FAULT(TSSA_OUT_OF_RANGE, "index 7", run(5, FailAtNode));
  ASSERT_OK(run(5));
  EXPECT_EQ(get(TraceEvent::Run).at(0).value, TSSA_OUT_OF_RANGE);
  std::string text = write();
  EXPECT_EQ(count(text, "\"name\":\"run\""), 1u);
  EXPECT_EQ(count(text, "\"run\":0"), 0u);
}

TEST_F(SessionTraceTest, TheLimitIsSaid) {
  Trace small(4);
  RunOptions options;
  options.trace = &small;
  AddArguments arguments(100);
  std::vector<Tensor> results;
  for (int i = 0; i < 3; ++i)
    ASSERT_OK(session->run(arguments.get(), {}, options, results));
  EXPECT_EQ(small.getNumEvents(), 4u);
  EXPECT_TRUE(small.isCut());
  EXPECT_EQ(small.getEvent(0).value, TSSA_OK); // the run's own event has a place from its begin on
  std::string text = writeTrace(small, session->getManifest(), session->getVariant(), {});
  EXPECT_EQ(count(text, "the limit of 4 events is reached: later ones are not here"), 1u);
  small.clear();
  EXPECT_FALSE(small.isCut());
  EXPECT_EQ(small.getNumEvents(), 0u);
}

TEST_F(SessionTraceTest, ThreadsShareATrace) {
  constexpr int callers = 4, runsOfEach = 20;
  std::vector<std::thread> threads;
  for (int i = 0; i < callers; ++i)
    threads.emplace_back([&] {
      for (int number = 0; number < runsOfEach; ++number)
        EXPECT_OK(run(64));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(get(TraceEvent::Run).size(), size_t(callers * runsOfEach));
  EXPECT_EQ(get(TraceEvent::Launch).size(), size_t(callers * runsOfEach));
  int64_t iterations = 0;
  for (const TraceEvent &part : get(TraceEvent::Part))
    iterations += part.value;
  EXPECT_EQ(iterations, callers * runsOfEach * 64);
  EXPECT_FALSE(trace.isCut());
  EXPECT_GE(count(write(), "\"name\":\"caller "), size_t(callers));
}

TEST_F(SessionTraceTest, LoopsOnTheThreadsOfAnEmbedder) {
  SessionOptions options;
  options.threads = 2;
  options.parallelFor = [](void *, int64_t n, int64_t, tssa_body body, void *context) {
    std::thread other([=] { body(context, 0, n / 2); });
    body(context, n / 2, n);
    other.join();
  };
  ASSERT_OK(Session::load(path, options, session));
  ASSERT_OK(run(100));
  std::vector<TraceEvent> parts = get(TraceEvent::Part);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_NE(parts[0].thread, parts[1].thread);
  EXPECT_EQ(count(write(), "\"name\":\"worker 1\""), 1u);
}

TEST_F(SessionTraceTest, LaunchesOfADevice) {
  std::string device = folder.file("device.so");
  writeDeviceArtifact(device, {"cuda-emu"});
  ASSERT_OK(Session::load(device, {}, session));
  std::vector<float> x(100, 1), y(100, 2);
  std::vector<int64_t> shape = {100}, scalar;
  int32_t how = InPlace;
  RunOptions options;
  options.trace = &trace;
  std::vector<NamedTensor> inputs = {{"x", view(DType::F32, shape, x.data())},
                                     {"y", view(DType::F32, shape, y.data())},
                                     {"how", view(DType::I32, scalar, &how)}};
  std::vector<Tensor> results;
  ASSERT_OK(session->run(inputs, {}, options, results));
  EXPECT_EQ(get(TraceEvent::Launch).size(), session->getVariant().launches.size());
  EXPECT_EQ(get(TraceEvent::Memory).back().value, 0);
}

TEST_F(SessionTraceTest, TheNamesOfONNXRuntime) {
  load(1);
  ASSERT_OK(run(5));
  TraceEvent event = get(TraceEvent::Run).at(0);
  std::string text = write({TraceTextOptions::ONNXRuntime, event.begin - 5000});
  EXPECT_EQ(text.substr(0, 2), "[{");
  EXPECT_EQ(count(text, "\"ph\":\"X\""), 2u);
  EXPECT_EQ(count(text, "\"ts\":5,"), 1u);
  EXPECT_EQ(count(text, "\"name\":\"model_run\""), 1u);
  EXPECT_EQ(count(text, "_kernel_time\""), 1u);
  EXPECT_EQ(count(text, "\"provider\":\"CPUExecutionProvider\",\"node_index\":\"0\""), 1u);
}

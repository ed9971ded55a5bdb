//===- DeviceTest.cpp - programs on the emulator --------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RuntimeTest.h"

#include <cstdlib>
#include <thread>

using namespace tssa::runtime;
using namespace tssa::runtime::test;

namespace {
class DeviceTest : public ::testing::Test {
protected:
  TemporaryFolder folder;
  std::string path = folder.file("x.so");
  std::unique_ptr<Session> session;
  SessionOptions options;
  std::vector<float> x = std::vector<float>(100, 1), y = std::vector<float>(100, 2);
  std::vector<int64_t> shape = {100}, scalar;
  int32_t how = AsResult;
  std::vector<Tensor> results;

  void SetUp() override { load({"cuda-emu"}); }
  void load(const std::vector<std::string> &targets) {
    writeDeviceArtifact(path, targets);
    ASSERT_OK(Session::load(path, options, session));
  }
  Status run(const RunOptions &runOptions = {}) {
    return session->run({{"x", view(DType::F32, shape, x.data())},
                         {"y", view(DType::F32, shape, y.data())},
                         {"how", view(DType::I32, scalar, &how)}},
                        {}, runOptions, results);
  }
};
} // namespace

TEST_F(DeviceTest, AutoTakesWhatIsThere) {
  EXPECT_EQ(session->getDeviceName(), "cuda-emu");
  ASSERT_OK(run());
  EXPECT_EQ(x[99], 3);
  EXPECT_EQ(static_cast<float *>(results[2].data)[99], 3.5f);
  load({"cuda-emu", "cpu"});
  EXPECT_EQ(session->getDeviceName(), "cpu");
  EXPECT_EQ(session->getVariant().target, "cpu");
  ASSERT_OK(run());
  EXPECT_EQ(x[99], 5);
}

TEST_F(DeviceTest, AskedFor) {
  options.device = "cuda-emu";
  load({"cpu", "cuda-emu"});
  EXPECT_EQ(session->getVariant().target, "cuda-emu");
  options.device = "cpu";
  load({"cpu", "cuda-emu"});
  EXPECT_EQ(session->getVariant().target, "cpu");
  auto expectFault = [&](const char *device, tssa_code code, const char *text) {
    options.device = device;
    EXPECT_FAULT(code, text, Session::load(path, options, session));
  };
  expectFault("cuda:0", TSSA_INCOMPATIBLE,
              "the program has no variant for cuda:sm_90, it has cpu, cuda-emu; compile one "
              "with tssa-compile --target=cuda:sm_90");
  for (const char *text : {"gpu", "cuda", "cuda:", "cuda:x", "cuda:-1", "cuda:0 "})
    expectFault(text, TSSA_INVALID_ARGUMENT, "expected auto, cpu, cuda:<number> or cuda-emu");
  writeDeviceArtifact(path, {"cuda-emu"});
  expectFault("cpu", TSSA_INCOMPATIBLE, "has no variant for cpu, it has cuda-emu; compile one");
}

TEST_F(DeviceTest, ErrorWordsNameTheNode) {
  how = IndexError;
  for (int i = 0; i < 3; ++i) { // the error words are cleared for each run
    EXPECT_FAULT(TSSA_OUT_OF_RANGE, "node 'total' (Add): an index in the data is out of bounds",
                 run());
    EXPECT_EQ(run().node, "total");
    how = AsResult;
    float before = x[0];
    ASSERT_OK(run());
    EXPECT_EQ(x[0], before + 2); // the runs that failed left x as it was
    how = IndexError;
  }
}

TEST_F(DeviceTest, FaultOfAKernel) {
  how = OutOfBounds;
  Status status = run();
  EXPECT_EQ(status.node, "turn");
  EXPECT_NE(status.message.find("node 'turn' (Mirror): kernel 'mirror'"), std::string::npos)
      << status.message;
  how = AsResult;
  EXPECT_OK(run()); // the emulator survives
}

TEST_F(DeviceTest, MemoryOfTheHostWhereAskedFor) {
  how = OnHost;
  ASSERT_OK(run());
  EXPECT_EQ(x[0], 3);
}

TEST_F(DeviceTest, UnknownLaunch) {
  how = NoLaunch;
  EXPECT_FAULT(TSSA_INTERNAL, "there is no launch 9", run());
}

TEST_F(DeviceTest, StopsBetweenLaunches) {
  how = Endless;
  RunOptions run;
  run.timeoutSeconds = 0.02;
  EXPECT_FAULT(TSSA_CANCELLED, "took longer than 0.02", this->run(run));
  std::atomic<bool> cancel{false};
  run.timeoutSeconds = 0;
  run.cancel = &cancel;
  std::thread canceller([&] { cancel = true; });
  EXPECT_FAULT(TSSA_CANCELLED, "cancelled", this->run(run));
  canceller.join();
}

TEST_F(DeviceTest, LimitCountsDeviceMemory) {
  // x and y, of 400 bytes each; `how`; the arena; `sum` on the device and the host; and the new
  // contents of x.
  options.memoryLimit = 4 + 6 * 400;
  load({"cuda-emu"});
  EXPECT_OK(run());
  options.memoryLimit -= 1;
  load({"cuda-emu"});
  EXPECT_FAULT(TSSA_OUT_OF_MEMORY, "output 'x_new' of 400 bytes exceeds the limit of 2403", run());
  how = InPlace;
  EXPECT_FAULT(TSSA_OUT_OF_MEMORY, "400 more bytes exceed the limit", run());
  options.memoryLimit = 500;
  load({"cuda-emu"});
  EXPECT_FAULT(TSSA_OUT_OF_MEMORY, "input 'y' of 400 bytes exceeds the limit", run());
}

TEST_F(DeviceTest, ProfileCounts) {
  std::vector<LaunchTime> profile;
  RunOptions run;
  run.profile = &profile;
  ASSERT_OK(this->run(run));
  ASSERT_EQ(profile.size(), 2u);
  for (const LaunchTime &time : profile) {
    EXPECT_EQ(time.calls, 1u);
    EXPECT_EQ(time.counters.blocks, 4u);
  }
  EXPECT_EQ(profile[0].counters.accesses, 400u);
  EXPECT_EQ(profile[1].counters.accesses, 300u);
}

TEST_F(DeviceTest, ManyRunsAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        std::vector<float> own(size_t(1 + t * 20 + i), 1), other(own.size(), 4);
        std::vector<int64_t> size = {int64_t(own.size())};
        int32_t mode = i % 5 == 4 ? IndexError : InPlace;
        std::vector<int64_t> none;
        std::vector<Tensor> mine;
        Status status = session->run({{"x", view(DType::F32, size, own.data())},
                                      {"y", view(DType::F32, size, other.data())},
                                      {"how", view(DType::I32, none, &mode)}},
                                     {}, {}, mine);
        ASSERT_EQ(status.ok(), mode == InPlace) << status.message;
        for (float value : own)
          ASSERT_EQ(value, mode == InPlace ? 5 : 1);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(DeviceTest, OptionsOfTheEmulator) {
  ::setenv("TSSA_EMULATOR_SEED", "some", 1);
  EXPECT_FAULT(TSSA_INVALID_ARGUMENT, "TSSA_EMULATOR_SEED must be a number, got 'some'",
               Session::load(path, options, session));
  ::unsetenv("TSSA_EMULATOR_SEED");
}

TEST_F(DeviceTest, KernelsAsTheManifestHasThem) {
  Manifest manifest;
  manifest.variants.emplace_back();
  manifest.variants[0].target = "cuda-emu";
  manifest.variants[0].suffix = "_2";
  manifest.variants[0].triple = hostTriple;
  auto expectFault = [&](tssa_code code, const char *text) {
    ASSERT_OK(writeArtifact(path, readModel("device_model"), manifest, content()));
    EXPECT_FAULT(code, text, Session::load(path, {}, session));
  };
  manifest.variants[0].kernels = {{"add", 3, 32}};
  expectFault(TSSA_INTERNAL, "emulated kernel 'add' has 7 parameters, the manifest says 3");
  manifest.variants[0].kernels.clear();
  manifest.variants[0].launches = {{"add", {}}};
  expectFault(TSSA_CORRUPT, "launches 'add', which is not one of its kernels");
}

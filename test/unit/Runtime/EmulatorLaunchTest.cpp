//===- EmulatorLaunchTest.cpp - what ends a launch: vain waiting, limits, requests -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorTest.h"

using namespace tssa::runtime;
using namespace tssa::runtime::emulator;

namespace {

TEST_F(SharedTest, BarrierThatOthersLeaveOut) {
  blocks = 1;
  EXPECT_EQ(runToFault([](Emu emu, void *const *) {
              if (emu->thread < 40)
                emu->barrier(emu, 2);
            }),
            "kernel 'k': barrier by thread 0 of block 0 waits for thread 40, which has ended");
}

TEST_F(SharedTest, TwoBarriers) {
  addSite(TSSA_EMU_BARRIER);
  std::string message =
      runToFault([](Emu emu, void *const *) { emu->barrier(emu, emu->thread < 40 ? 2 : 5); });
  EXPECT_NE(message.find("is divergent: thread"), std::string::npos) << message;
}

TEST_F(SharedTest, ShuffleWithAbsentLane) {
  addSite(TSSA_EMU_SHUFFLE_XOR);
  blocks = 1;
  EXPECT_EQ(runToFault([](Emu emu, void *const *) {
              if (emu->thread % 32 != 20)
                emu->shuffle(emu, 0xFFFFFFFF, 0, 1, 31, 5);
            }),
            "kernel 'k': shuffle by thread 0 of block 0 waits for thread 20, which has ended");
}

TEST_F(SharedTest, ShuffleWithWrongMask) {
  addSite(TSSA_EMU_SHUFFLE_XOR);
  std::string message =
      runToFault([](Emu emu, void *const *) { emu->shuffle(emu, 0xFFFF, 0, 1, 31, 5); });
  EXPECT_NE(message.find("has mask 0x0000ffff, which leaves out its own lane"), std::string::npos)
      << message;
}

TEST_F(SharedTest, ShuffleFromALaneThatTakesNoPart) {
  addSite(TSSA_EMU_SHUFFLE_XOR);
  std::string message = runToFault([](Emu emu, void *const *) {
    if (emu->thread % 32 < 16)
      emu->shuffle(emu, 0xFFFF, 0, 16, 31, 5);
  });
  EXPECT_NE(message.find("which takes no part: its mask is 0x0000ffff"), std::string::npos)
      << message;
}

TEST_F(SharedTest, LanesAtTwoShuffles) {
  addSite(TSSA_EMU_SHUFFLE_XOR);
  addSite(TSSA_EMU_SHUFFLE_XOR);
  std::string message = runToFault([](Emu emu, void *const *) {
    emu->shuffle(emu, 0xFFFFFFFF, 0, 1, 31, emu->thread % 2 ? 5 : 6);
  });
  EXPECT_NE(message.find("is divergent: lane"), std::string::npos) << message;
}

TEST_F(SharedTest, HalvesOfAWarpMayShuffleApart) {
  addSite(TSSA_EMU_SHUFFLE_XOR);
  addSite(TSSA_EMU_SHUFFLE_XOR);
  Status status = run([](Emu emu, void *const *) {
    bool low = emu->thread % 32 < 16;
    uint64_t got = emu->shuffle(emu, low ? 0xFFFF : 0xFFFF0000, emu->thread, 1, 31, low ? 5 : 6);
    if (uint32_t(got) != (emu->thread ^ 1))
      emu->trap(emu, 0);
  });
  EXPECT_TRUE(status.ok()) << status.message;
}

TEST_F(SharedTest, StopsWhenAsked) {
  options.shouldStop = [] { return true; };
  EXPECT_EQ(run([](Emu emu, void *const *) {}).code, TSSA_CANCELLED);
}

TEST_F(SharedTest, EndlessLoopsAreStopped) {
  int polls = 0;
  options.shouldStop = [&] { return ++polls > 2; };
  EXPECT_EQ(run([](Emu emu, void *const *) {
              for (;;)
                store(emu, sharedInts(emu) + emu->thread, 0, 0);
            }).code,
            TSSA_CANCELLED);
}

TEST_F(SharedTest, LimitsOfLaunches) {
  auto nothing = [](Emu, void *const *) {};
  threads = 1025;
  EXPECT_EQ(runToFault(nothing), "kernel 'k': expected 1 to 1024 threads in a block, got 1025");
  threads = 64;
  blocks = int64_t(1) << 31;
  EXPECT_EQ(runToFault(nothing), "kernel 'k': expected at most 2147483647 blocks, got 2147483648");
  blocks = 1;
  sharedBytes = 300000;
  EXPECT_EQ(runToFault(nothing),
            "kernel 'k': expected at most 232448 bytes of shared memory, got 300000");
}

TEST(EmulatorOptions, ComeFromTheEnvironment) {
  Options options;
  setenv("TSSA_EMULATOR_SEED", "42", 1);
  setenv("TSSA_EMULATOR_RACES", "0", 1);
  ASSERT_TRUE(Options::fromEnvironment(options).ok());
  EXPECT_EQ(options.seed, 42u);
  EXPECT_FALSE(options.checkRaces);
  setenv("TSSA_EMULATOR_SEED", "4x", 1);
  EXPECT_EQ(Options::fromEnvironment(options).message,
            "TSSA_EMULATOR_SEED must be a number, got '4x'");
  setenv("TSSA_EMULATOR_SEED", "4", 1);
  setenv("TSSA_EMULATOR_RACES", "yes", 1);
  EXPECT_EQ(Options::fromEnvironment(options).message,
            "TSSA_EMULATOR_RACES must be 0 or 1, got 'yes'");
  setenv("TSSA_EMULATOR_RACES", "1", 1);
  for (auto [name, sums] :
       {std::pair("fast", MatrixSums::Fast), std::pair("sm_80", MatrixSums::SM80),
        std::pair("sm_90", MatrixSums::SM90)}) {
    setenv("TSSA_EMULATOR_MMA", name, 1);
    ASSERT_TRUE(Options::fromEnvironment(options).ok());
    EXPECT_EQ(options.matrixSums, sums);
  }
  setenv("TSSA_EMULATOR_MMA", "sm_70", 1);
  EXPECT_EQ(Options::fromEnvironment(options).message,
            "TSSA_EMULATOR_MMA must be fast, sm_80 or sm_90, got 'sm_70'");
  unsetenv("TSSA_EMULATOR_SEED");
  unsetenv("TSSA_EMULATOR_RACES");
  unsetenv("TSSA_EMULATOR_MMA");
}

} // namespace

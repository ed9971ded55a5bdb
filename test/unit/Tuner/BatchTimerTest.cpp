//===- BatchTimerTest.cpp - how long a call takes -------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Tuner/BatchTimer.h"
#include "gtest/gtest.h"

using namespace tssa::tuner;

TEST(BatchTimer, CountsBatches) {
  int64_t calls = 0;
  BatchTimer timer([&] { ++calls; }, /*threads=*/1, /*repeats=*/3);
  timer.calibrate();
  EXPECT_EQ(timer.getNumBatches(), 0u);
  EXPECT_GT(calls, 1);
  for (unsigned i = 0; i < 4; ++i)
    timer.run();
  EXPECT_EQ(timer.getNumBatches(), 4u);
  EXPECT_GT(timer.getLeast(), 0);
  EXPECT_GE(timer.getMedian(), timer.getLeast());
  EXPECT_GE(timer.getHalfWidth(), 0);
  EXPECT_GT(timer.getCPUOverWall(), 0);
}

TEST(BatchTimer, NoMoreRepeatsThanAllowed) {
  int64_t calls = 0;
  // A call that waits: its CPU time is no measure of its wall time, so all batches are repeated.
  auto wait = [&] {
    ++calls;
    timespec time{0, 2'000'000};
    nanosleep(&time, nullptr);
  };
  BatchTimer timer(wait, /*threads=*/1, /*repeats=*/3);
  for (unsigned i = 0; i < 2; ++i)
    timer.run();
  EXPECT_EQ(timer.getNumBatches(), 2u);
  EXPECT_EQ(calls, 5);
}

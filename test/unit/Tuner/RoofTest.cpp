//===- RoofTest.cpp - the least times of kernels --------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Tuner/Roof.h"
#include "gtest/gtest.h"

using namespace tssa::tuner;

TEST(Roof, TheSlowerOfOperationsAndBytesCounts) {
  Roof roof{1e9, {{1000, 4e9}, {100000, 1e9}}};
  EXPECT_DOUBLE_EQ(roof.getSeconds(2e9, 100, 1), 2);
  EXPECT_DOUBLE_EQ(roof.getSeconds(0, 1000, 1), 1000 / 4e9);
  // What lies between two blocks may be as fast as the smaller one.
  EXPECT_DOUBLE_EQ(roof.getSeconds(0, 50000, 1), 50000 / 4e9);
  EXPECT_DOUBLE_EQ(roof.getSeconds(10, 100000, 1), 1e-4);
}

TEST(Roof, BytesBeyondTheLastBlockComeAsFastAsItsOwn) {
  Roof roof{1e9, {{1000, 4e9}, {100000, 1e9}}};
  EXPECT_DOUBLE_EQ(roof.getSeconds(0, 5e9, 1), 5);
}

TEST(Roof, ThreadsShareTheWork) {
  Roof roof{1e9, {{1000, 4e9}}};
  EXPECT_DOUBLE_EQ(roof.getSeconds(2e9, 100, 4), 0.5);
}

TEST(Roof, WhatIsNotKnownTakesNoTime) {
  EXPECT_EQ(Roof().getSeconds(1e9, 1e9, 1), 0);
  Roof operations{1e9, {}};
  EXPECT_DOUBLE_EQ(operations.getSeconds(1e9, 1e12, 1), 1);
  // A block without a rate: the next larger one has one.
  Roof unknown{0, {{1000, 0}, {100000, 1e9}}};
  EXPECT_DOUBLE_EQ(unknown.getSeconds(1e9, 500, 1), 500 / 1e9);
}

TEST(Roof, IsMeasured) {
  Roof roof = measureRoof(32);
  EXPECT_GE(roof.flopsPerSecond, 0);
  ASSERT_FALSE(roof.bandwidths.empty());
  for (const Roof::Bandwidth &bandwidth : roof.bandwidths)
    EXPECT_GT(bandwidth.bytesPerSecond, 0);
}

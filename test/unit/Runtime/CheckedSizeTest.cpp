//===- CheckedSizeTest.cpp - sizes that cannot wrap ------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Support/CheckedSize.h"

#include <gtest/gtest.h>
#include <vector>

using tssa::CheckedSize;

namespace {

constexpr int64_t most = INT64_MAX;

TEST(CheckedSize, CountsUpToTheLastNumber) {
  EXPECT_EQ((CheckedSize(most) + CheckedSize(0)).get(), most);
  EXPECT_EQ((CheckedSize(most - 1) + CheckedSize(1)).get(), most);
  EXPECT_FALSE((CheckedSize(most) + CheckedSize(1)).isValid());
  EXPECT_EQ((CheckedSize(int64_t(1) << 31) * CheckedSize(int64_t(1) << 31)).get(), int64_t(1)
                                                                                       << 62);
  EXPECT_FALSE((CheckedSize(int64_t(1) << 32) * CheckedSize(int64_t(1) << 31)).isValid());
}

TEST(CheckedSize, RefusesWhatIsNoSize) {
  EXPECT_FALSE(CheckedSize(-1).isValid());
  EXPECT_FALSE(CheckedSize(INT64_MIN).isValid());
  EXPECT_FALSE(CheckedSize(UINT64_MAX).isValid());
  EXPECT_FALSE(CheckedSize(uint64_t(1) << 63).isValid());
  EXPECT_FALSE((CheckedSize(1) - CheckedSize(2)).isValid());
  EXPECT_FALSE(CheckedSize(std::optional<int64_t>()).isValid());
  EXPECT_EQ(CheckedSize(uint64_t(7)).get(), 7);
}

TEST(CheckedSize, StaysInvalid) {
  CheckedSize bad = CheckedSize::none();
  EXPECT_FALSE((bad + CheckedSize(1)).isValid());
  EXPECT_FALSE((CheckedSize(0) * bad).isValid());
  EXPECT_FALSE((bad - bad).isValid());
  EXPECT_FALSE(bad.alignTo(64).isValid());
  EXPECT_FALSE(bad.fits(UINT64_MAX));
  EXPECT_FALSE(bad.get().has_value());
}

TEST(CheckedSize, Aligns) {
  EXPECT_EQ(CheckedSize(0).alignTo(64).get(), 0);
  EXPECT_EQ(CheckedSize(1).alignTo(64).get(), 64);
  EXPECT_EQ(CheckedSize(64).alignTo(64).get(), 64);
  EXPECT_FALSE(CheckedSize(most).alignTo(64).isValid());
}

TEST(CheckedSize, MultipliesShapes) {
  EXPECT_EQ(CheckedSize::product(std::vector<int64_t>{}).get(), 1);
  EXPECT_EQ(CheckedSize::product(std::vector<int64_t>{2, 3, 5}, 4).get(), 120);
  EXPECT_EQ(CheckedSize::product(std::vector<int64_t>{2, 0, 5}, 4).get(), 0);
  EXPECT_FALSE(CheckedSize::product(std::vector<int64_t>{2, -1}).isValid());
  EXPECT_FALSE(CheckedSize::product(std::vector<int64_t>{0, -1}).isValid());
  EXPECT_FALSE(CheckedSize::product(std::vector<int64_t>{0, most, 2}).isValid());
  EXPECT_FALSE(CheckedSize::product(std::vector<int64_t>{most}, 2).isValid());
}

} // namespace

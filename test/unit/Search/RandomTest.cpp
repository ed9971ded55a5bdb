//===- RandomTest.cpp - tests of Philox and what is drawn from it -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Search/Random.h"
#include "gtest/gtest.h"

#include <set>

using namespace tssa::search;

namespace {

using Block = std::array<uint32_t, 4>;

// Random123's tests/kat_vectors, the lines of philox4x32 with 10 rounds.
TEST(RandomTest, AgreesWithPublishedVectors) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// http://www.isthe.com/chongo/tech/comp/fnv/ gives these hashes.
TEST(RandomTest, HashesBytes) {
  EXPECT_EQ(hashBytes(""), 0xcbf29ce484222325u);
  EXPECT_EQ(hashBytes("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(hashBytes("foobar"), 0x85944171f73967e8u);
}

TEST(RandomTest, StreamsAreKeyed) {
  Random first(1, 2, 3), again(1, 2, 3);
  Block block = philox({0, 3, 2, 0}, {1, 0});
  for (uint32_t word : block)
    EXPECT_EQ(first.next(), word);
  for (uint32_t word : block)
    EXPECT_EQ(again.next(), word);
  EXPECT_EQ(first.next(), philox({1, 3, 2, 0}, {1, 0})[0]);
  std::set<uint64_t> starts;
  for (uint64_t seed : {uint64_t(1), uint64_t(1) << 32})
    for (uint64_t task : {uint64_t(1), uint64_t(1) << 32})
      for (uint32_t round : {0, 1})
        starts.insert(Random(seed, task, round).next64());
  EXPECT_EQ(starts.size(), 8u);
}

TEST(RandomTest, IntegersAreEquallyLikely) {
  Random random(7, 0, 0);
  std::array<unsigned, 6> counts{};
  for (int i = 0; i < 60000; ++i)
    ++counts[random.below(6)];
  // Standard deviation 91.
  for (unsigned count : counts)
    EXPECT_NEAR(count, 10000, 400);
  EXPECT_EQ(random.below(1), 0u);
  // Without drawing again, the lower third would be drawn half of the time.
  uint64_t third = uint64_t(1) << 62;
  unsigned low = 0;
  for (int i = 0; i < 30000; ++i)
    low += random.below(3 * third) < third;
  EXPECT_NEAR(low, 10000, 400);
}

TEST(RandomTest, DoublesFillTheUnitInterval) {
  Random random(7, 0, 1);
  double sum = 0, least = 1, most = 0;
  for (int i = 0; i < 20000; ++i) {
    double drawn = random.uniform();
    sum += drawn;
    least = std::min(least, drawn);
    most = std::max(most, drawn);
  }
  EXPECT_NEAR(sum / 20000, 0.5, 0.01);
  EXPECT_GE(least, 0);
  EXPECT_LT(least, 0.001);
  EXPECT_LT(most, 1);
  EXPECT_GT(most, 0.999);
}

TEST(RandomTest, SamplesAreDifferent) {
  Random random(7, 0, 2);
  std::vector<uint64_t> all = random.sample(100, 10);
  EXPECT_EQ(all.size(), 10u);
  EXPECT_EQ(std::set<uint64_t>(all.begin(), all.end()).size(), 10u);
  EXPECT_EQ(*std::max_element(all.begin(), all.end()), 9u);
  EXPECT_EQ(random.sample(1000, UINT64_MAX).size(), 1000u);
  EXPECT_TRUE(random.sample(3, 0).empty());
  // Each number is in a sample of 2 of 5 with probability 0.4; standard deviation 49.
  std::array<unsigned, 5> counts{};
  for (int i = 0; i < 10000; ++i)
    for (uint64_t number : random.sample(2, 5))
      ++counts[number];
  for (unsigned count : counts)
    EXPECT_NEAR(count, 4000, 250);
}

} // namespace

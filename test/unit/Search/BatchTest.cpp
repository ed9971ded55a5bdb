//===- BatchTest.cpp - tests of the choice of a batch -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Search/Batch.h"
#include "gtest/gtest.h"

#include <set>

using namespace tssa::search;

namespace {

std::vector<Candidate> makeCandidates(std::vector<Point> points) {
  std::vector<Candidate> candidates;
  for (Point &point : points)
    candidates.push_back({std::move(point), -double(candidates.size())});
  return candidates;
}

TEST(BatchTest, TakesThoseFarApart) {
  auto candidates =
      makeCandidates({{0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {1, 1, 0}, {1, 1, 1}, {1, 1, 2}, {2, 2, 2}});
  Random random(1, 2, 3);
  // The best; the first at distance 3; the first at distance 2 from both; of distance 1, the first.
  EXPECT_EQ(chooseBatch(candidates, {5, 6, 0}, random), (std::vector<size_t>{0, 4, 1, 2, 3}));
  // The last is in no pool of six.
  EXPECT_EQ(chooseBatch(candidates, {3, 7, 0}, random), (std::vector<size_t>{0, 4, 6}));
}

TEST(BatchTest, TakesAllThereAre) {
  auto candidates = makeCandidates({{0}, {1}, {2}});
  Random random(1, 2, 3);
  EXPECT_EQ(chooseBatch(candidates, {7, 32, 1}, random).size(), 3u);
  EXPECT_EQ(chooseBatch(candidates, {7, 2, 0}, random), (std::vector<size_t>{0, 1}));
  EXPECT_EQ(chooseBatch({}, {}, random), std::vector<size_t>());
}

TEST(BatchTest, AddsARandomOne) {
  std::vector<Point> points;
  for (uint32_t i = 0; i < 100; ++i)
    points.push_back({i, i, i});
  auto candidates = makeCandidates(points);
  std::set<size_t> extras;
  for (uint32_t round = 0; round < 200; ++round) {
    Random random(1, 2, round), again(1, 2, round);
    std::vector<size_t> chosen = chooseBatch(candidates, {}, random);
    EXPECT_EQ(chosen, chooseBatch(candidates, {}, again));
    EXPECT_EQ(std::set<size_t>(chosen.begin(), chosen.end()).size(), 8u);
    EXPECT_EQ(chosen[0], 0u);
    extras.insert(chosen.back());
  }
  EXPECT_GT(extras.size(), 60u);
  EXPECT_GE(*extras.begin(), 7u);
  EXPECT_GT(*extras.rbegin(), 90u);
}

} // namespace

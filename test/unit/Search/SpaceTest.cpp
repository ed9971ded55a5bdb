//===- SpaceTest.cpp - tests of spaces and points -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Messages.h"

#include "tssa/Search/Random.h"
#include "tssa/Search/Space.h"
#include "gtest/gtest.h"

#include <set>

using namespace tssa::search;

namespace {

Space makeSpace() {
  return llvm::cantFail(
      Space::create({{"rows", {1, 2, 4, 6}}, {"vectors", {1, 2}}, {"pad", {-1}}},
                    [](llvm::ArrayRef<int64_t> values) { return values[0] * values[1] <= 8; }));
}

std::string refuseSpace(std::vector<Knob> knobs) {
  return getMessage(Space::create(std::move(knobs)));
}

std::string refusePoint(llvm::StringRef text) { return getMessage(makeSpace().parse(text)); }

TEST(SpaceTest, RefusesWhatIsNoSpace) {
  EXPECT_EQ(refuseSpace(std::vector<Knob>()), "a space has 1 to 256 knobs, not 0");
  EXPECT_EQ(refuseSpace(std::vector<Knob>(257)), "a space has 1 to 256 knobs, not 257");
  EXPECT_EQ(refuseSpace({{"a b", {1}}}), "'a b' is no name of a knob");
  EXPECT_EQ(refuseSpace({{"", {1}}}), "'' is no name of a knob");
  EXPECT_EQ(refuseSpace({{"a", {1}}, {"a", {2}}}), "two knobs have the name a");
  EXPECT_EQ(refuseSpace({{"a", {}}}), "the knob a has no values");
  EXPECT_EQ(refuseSpace({{"a", {3, 1, 3}}}), "the knob a has the value 3 twice");
  EXPECT_EQ(refuseSpace({{"a", std::vector<int64_t>(65537)}}),
            "the knob a has 65537 values, at most 65536 are possible");
}

TEST(SpaceTest, CountsPoints) {
  EXPECT_EQ(makeSpace().countPoints(), 8u);
  std::vector<Knob> knobs;
  for (int i = 0; i < 63; ++i)
    knobs.push_back({"k" + std::to_string(i), {0, 1}});
  EXPECT_EQ(llvm::cantFail(Space::create(knobs)).countPoints(), uint64_t(1) << 63);
  knobs.push_back({"more", {0, 1, 2}});
  EXPECT_EQ(llvm::cantFail(Space::create(knobs)).countPoints(), UINT64_MAX);
}

TEST(SpaceTest, NumbersPoints) {
  Space space = makeSpace();
  std::set<Point> points;
  for (uint64_t number = 0; number < space.countPoints(); ++number) {
    Point point = space.getPoint(number);
    EXPECT_TRUE(space.contains(point));
    points.insert(point);
  }
  EXPECT_EQ(points.size(), 8u);
  EXPECT_EQ(space.getPoint(3), (Point{1, 1, 0}));
  EXPECT_FALSE(space.contains(Point{1, 1}));
  EXPECT_FALSE(space.contains(Point{1, 2, 0}));
  Random random(1, 2, 3);
  std::set<Point> drawn;
  for (int i = 0; i < 200; ++i)
    drawn.insert(space.draw(random));
  EXPECT_EQ(drawn, points);
}

TEST(SpaceTest, AsksForLegality) {
  Space space = makeSpace();
  EXPECT_TRUE(space.isLegal(Point{2, 1, 0}));
  EXPECT_FALSE(space.isLegal(Point{3, 1, 0}));
  EXPECT_EQ(space.getValues(Point{3, 1, 0}), (std::vector<int64_t>{6, 2, -1}));
}

TEST(SpaceTest, FindsNeighbours) {
  EXPECT_EQ(makeSpace().getNeighbours(Point{1, 0, 0}),
            (std::vector<Point>{{0, 0, 0}, {2, 0, 0}, {1, 1, 0}}));
  EXPECT_EQ(makeSpace().getNeighbours(Point{3, 1, 0}), (std::vector<Point>{{2, 1, 0}, {3, 0, 0}}));
  EXPECT_EQ(countDifferences(Point{1, 2, 3}, Point{1, 0, 0}), 2u);
}

TEST(SpaceTest, HashesPoints) {
  EXPECT_EQ(hashPoint(Point{1}), hashBytes(llvm::StringRef("\1\0\0\0", 4)));
  std::set<uint64_t> hashes;
  for (uint32_t i = 0; i < 30; ++i)
    for (uint32_t j = 0; j < 30; ++j)
      hashes.insert(hashPoint(Point{i, j}));
  EXPECT_EQ(hashes.size(), 900u);
}

TEST(SpaceTest, ReadsWhatItPrints) {
  Space space = makeSpace();
  EXPECT_EQ(space.print(Point{3, 0, 0}), "rows=6 vectors=1 pad=-1");
  for (uint64_t number = 0; number < space.countPoints(); ++number) {
    Point point = space.getPoint(number);
    EXPECT_EQ(llvm::cantFail(space.parse(space.print(point))), (point));
  }
  EXPECT_EQ(llvm::cantFail(space.parse("  pad=-1  vectors=2 rows=4 ")), (Point{2, 1, 0}));
}

TEST(SpaceTest, RefusesWhatIsNoPoint) {
  EXPECT_EQ(refusePoint(""), "the knob rows has no value");
  EXPECT_EQ(refusePoint("rows=1 vectors"), "expected name=value, got 'vectors'");
  EXPECT_EQ(refusePoint("rows=1 columns=1"), "there is no knob 'columns': the first is rows");
  EXPECT_EQ(refusePoint("rows=1 vectors=1 rows=1 pad=-1"), "the knob rows is given twice");
  EXPECT_EQ(refusePoint("rows=1 vectors=1"), "the knob pad has no value");
  EXPECT_EQ(refusePoint("rows=3"), "the knob rows is one of 1, 2, 4, 6, not '3'");
  EXPECT_EQ(refusePoint("rows="), "the knob rows is one of 1, 2, 4, 6, not ''");
  EXPECT_EQ(refusePoint("rows=0x1"), "the knob rows is one of 1, 2, 4, 6, not '0x1'");
  EXPECT_EQ(refusePoint("rows=18446744073709551617"),
            "the knob rows is one of 1, 2, 4, 6, not '18446744073709551617'");
  EXPECT_EQ(refusePoint("rows=1\n"), "the knob rows is one of 1, 2, 4, 6, not '1?'");
  EXPECT_EQ(refusePoint(std::string(100, 'x')),
            "expected name=value, got '" + std::string(60, 'x') + "...'");
  EXPECT_EQ(refusePoint(std::string(70000, ' ')),
            "a point of 70000 bytes, at most 65536 are possible");
}

} // namespace

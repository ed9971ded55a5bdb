//===- SamplerTest.cpp - tests of the samplers -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Messages.h"

#include "tssa/Search/Sampler.h"
#include "gtest/gtest.h"

#include <cmath>
#include <set>

using namespace tssa::search;

namespace {

/// Twelve knobs of eight values: 2^36 points, of which two thirds are legal.
Space makeLargeSpace() {
  std::vector<Knob> knobs;
  for (int i = 0; i < 12; ++i)
    knobs.push_back({"k" + std::to_string(i), {0, 1, 2, 3, 4, 5, 6, 7}});
  return llvm::cantFail(Space::create(
      knobs, [](llvm::ArrayRef<int64_t> values) { return (values[0] + values[1]) % 3 != 0; }));
}

/// Five knobs of four values, without those where the first two are equal: 768 of 1,024 points.
Space makeSmallSpace() {
  std::vector<Knob> knobs;
  for (int i = 0; i < 5; ++i)
    knobs.push_back({"k" + std::to_string(i), {0, 1, 2, 3}});
  return llvm::cantFail(
      Space::create(knobs, [](llvm::ArrayRef<int64_t> values) { return values[0] != values[1]; }));
}

/// The time of a point: smallest at 5, 3, 5, 3, ...
double getTime(const Point &point) {
  double time = 1;
  for (size_t i = 0; i < point.size(); ++i)
    time += std::abs(double(point[i]) - (i % 2 ? 3 : 5));
  return time;
}

std::vector<double> score(llvm::ArrayRef<Point> points) {
  std::vector<double> scores;
  for (const Point &point : points)
    scores.push_back(1 / getTime(point));
  return scores;
}

std::vector<Measured> measure(const Proposals &proposals) {
  std::vector<Measured> history;
  for (const Candidate &candidate : proposals.candidates)
    history.push_back({candidate.point, getTime(candidate.point)});
  return history;
}

std::vector<Point> getPoints(const Proposals &proposals) {
  std::vector<Point> points;
  for (const Candidate &candidate : proposals.candidates)
    points.push_back(candidate.point);
  return points;
}

uint64_t hashProposals(const Space &space, const Proposals &proposals) {
  std::string text;
  for (const Candidate &candidate : proposals.candidates)
    text += space.print(candidate.point) + "\n";
  return hashBytes(text);
}

double getBest(llvm::ArrayRef<Measured> history) {
  double best = INFINITY;
  for (const Measured &measured : history)
    best = std::min(best, *measured.seconds);
  return best;
}

class AnySamplerTest : public testing::TestWithParam<const char *> {
protected:
  std::unique_ptr<Sampler> sampler = llvm::cantFail(createSampler(GetParam()));
};

TEST_P(AnySamplerTest, ProposesLegalNewPointsBestFirst) {
  Space space = makeLargeSpace();
  EXPECT_EQ(sampler->getName(), GetParam());
  Random first(3, 1, 0);
  std::vector<Measured> history =
      measure(createRandomSampler()->propose(space, {}, 40, score, first));
  history[7].seconds = std::nullopt;
  std::set<Point> seen;
  for (const Measured &measured : history)
    seen.insert(measured.point);
  for (uint32_t round = 1; round < 6; ++round) {
    Random random(3, 1, round);
    Proposals proposals = sampler->propose(space, history, 16, score, random);
    EXPECT_EQ(proposals.candidates.size(), 16u);
    EXPECT_GT(proposals.illegal, 0u);
    double last = INFINITY;
    for (const Candidate &candidate : proposals.candidates) {
      EXPECT_TRUE(space.contains(candidate.point));
      EXPECT_TRUE(space.isLegal(candidate.point));
      EXPECT_TRUE(seen.insert(candidate.point).second);
      EXPECT_EQ(candidate.score, 1 / getTime(candidate.point));
      EXPECT_LE(candidate.score, last);
      last = candidate.score;
    }
    for (const Measured &measured : measure(proposals))
      history.push_back(measured);
  }
}

TEST_P(AnySamplerTest, RepeatsItself) {
  Space space = makeLargeSpace();
  Random first(3, 1, 0);
  std::vector<Measured> history =
      measure(createRandomSampler()->propose(space, {}, 40, score, first));
  auto propose = [&](uint64_t seed, uint64_t task, uint32_t round) {
    Random random(seed, task, round);
    return getPoints(sampler->propose(space, history, 32, score, random));
  };
  EXPECT_EQ(propose(3, 1, 1), propose(3, 1, 1));
  if (sampler->getName() == "coordinates")
    return;
  EXPECT_NE(propose(3, 1, 1), propose(4, 1, 1));
  EXPECT_NE(propose(3, 1, 1), propose(3, 2, 1));
  EXPECT_NE(propose(3, 1, 1), propose(3, 1, 2));
}

TEST_P(AnySamplerTest, EndsWithTheSpace) {
  Space space = makeSmallSpace();
  std::vector<Measured> history = {{space.getPoint(256), getTime(space.getPoint(256))}};
  ASSERT_TRUE(space.isLegal(history[0].point));
  uint32_t round = 0;
  while (true) {
    Random random(3, 1, round++);
    Proposals proposals = sampler->propose(space, history, 100, score, random);
    if (proposals.candidates.empty())
      break;
    for (const Measured &measured : measure(proposals))
      history.push_back(measured);
    ASSERT_LT(round, 100u);
  }
  std::set<Point> points;
  for (const Measured &measured : history)
    EXPECT_TRUE(points.insert(measured.point).second);
  if (sampler->getName() != "coordinates")
    EXPECT_EQ(points.size(), 768u);
}

TEST_P(AnySamplerTest, BearsBadScoresAndHistories) {
  Space space = makeLargeSpace();
  std::vector<Measured> history = {{Point(12, 1), 2.0},
                                   {Point(12, 99), 0.1},
                                   {Point(3, 0), 0.1},
                                   {Point(12, 2), NAN},
                                   {{}, 0.1}};
  for (size_t count : {0, 1, 1000}) {
    Random random(3, 1, 0);
    auto bad = [&](llvm::ArrayRef<Point>) { return std::vector<double>(count, NAN); };
    Proposals proposals = sampler->propose(space, history, 16, bad, random);
    EXPECT_EQ(proposals.candidates.size(), 16u);
    EXPECT_EQ(proposals.candidates[0].score, -INFINITY);
  }
}

INSTANTIATE_TEST_SUITE_P(All, AnySamplerTest,
                         testing::Values("random", "evolution", "coordinates", "ppo"));

// The same on every machine and with every compiler: a session of another one can be replayed.
TEST(SamplerTest, ProposesTheSameEverywhere) {
  Space space = makeLargeSpace();
  Random first(3, 1, 0);
  Proposals drawn = createRandomSampler()->propose(space, {}, 40, score, first);
  EXPECT_EQ(hashProposals(space, drawn), 0xc4e039873d2c70d4u);
  std::vector<Measured> history = measure(drawn);
  Random second(3, 1, 1);
  Proposals evolved = createEvolutionSampler()->propose(space, history, 64, score, second);
  EXPECT_EQ(hashProposals(space, evolved), 0x2fd830c78f3ecf61u);
  Random third(3, 1, 2);
  Proposals small = createRandomSampler()->propose(makeSmallSpace(), {}, 40, score, third);
  EXPECT_EQ(hashProposals(makeSmallSpace(), small), 0xe5f393f40bfad03du);
}

TEST(SamplerTest, RefusesOtherNames) {
  EXPECT_EQ(getMessage(createSampler("PPO")),
            "there is no sampler 'PPO': expected random, evolution, coordinates or ppo");
}

TEST(SamplerTest, RandomGivesUpWhereNothingIsLegal) {
  std::vector<Knob> knobs(20, {"k", {0, 1, 2, 3}});
  for (size_t i = 0; i < knobs.size(); ++i)
    knobs[i].name += std::to_string(i);
  Space space = llvm::cantFail(Space::create(knobs, [](llvm::ArrayRef<int64_t>) { return false; }));
  for (const char *name : {"random", "evolution", "ppo"}) {
    Random random(3, 1, 0);
    Proposals proposals = llvm::cantFail(createSampler(name))->propose(space, {}, 8, score, random);
    EXPECT_TRUE(proposals.candidates.empty());
    EXPECT_GE(proposals.illegal, 8u * 64);
  }
}

TEST(SamplerTest, EvolutionFollowsTheScores) {
  Space space = makeLargeSpace();
  double best[2];
  for (int i : {0, 1}) {
    auto sampler = i ? createEvolutionSampler() : createRandomSampler();
    std::vector<Measured> history;
    for (uint32_t round = 0; round < 4; ++round) {
      Random random(3, 1, round);
      for (const Measured &measured : measure(sampler->propose(space, history, 16, score, random)))
        history.push_back(measured);
    }
    best[i] = getBest(history);
  }
  EXPECT_LE(best[1], 4);
  EXPECT_GT(best[0], 8);
}

TEST(SamplerTest, CoordinatesStepAroundTheBestTwo) {
  Space space = llvm::cantFail(Space::create({{"a", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}}));
  std::vector<Measured> history = {{{1}, 3.0}, {{5}, 1.0}, {{8}, 2.0}};
  Random random(3, 1, 0);
  auto scorer = [](llvm::ArrayRef<Point> points) { return std::vector<double>(points.size()); };
  Proposals proposals = createCoordinateSampler()->propose(space, history, 9, scorer, random);
  EXPECT_EQ(getPoints(proposals), (std::vector<Point>{{4}, {6}, {7}, {9}}));
}

TEST(SamplerTest, CoordinatesEndAtAnOptimum) {
  std::vector<Knob> knobs = makeLargeSpace().getKnobs().vec();
  Space space = llvm::cantFail(Space::create(knobs));
  auto sampler = createCoordinateSampler();
  Random random(3, 1, 0);
  EXPECT_TRUE(sampler->propose(space, {}, 16, score, random).candidates.empty());
  std::vector<Measured> history = {{Point(12, 0), std::nullopt}};
  EXPECT_TRUE(sampler->propose(space, history, 16, score, random).candidates.empty());
  history = {{Point(12, 1), getTime(Point(12, 1))}};
  for (int round = 0; round < 100; ++round)
    for (const Measured &measured : measure(sampler->propose(space, history, 24, score, random)))
      history.push_back(measured);
  EXPECT_TRUE(sampler->propose(space, history, 24, score, random).candidates.empty());
  EXPECT_EQ(getBest(history), 1);
}

} // namespace

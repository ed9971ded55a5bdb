//===- PPOTest.cpp - tests of the sampler whose actors walk -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Messages.h"

#include "lib/Search/Agents.h"
#include "tssa/Search/Batch.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <cmath>
#include <ctime>
#include <set>

using namespace tssa::search;

namespace {

std::unique_ptr<Sampler> makePPO(const PPOOptions &options = {}) {
  return llvm::cantFail(createPPOSampler(options));
}

/// Knobs with these names and `numValues` values each, all points legal.
Space makeSpace(llvm::ArrayRef<std::string> names, int64_t numValues,
                Space::Legality isLegal = {}) {
  std::vector<Knob> knobs;
  for (const std::string &name : names) {
    knobs.push_back({name, {}});
    for (int64_t value = 0; value < numValues; ++value)
      knobs.back().values.push_back(value);
  }
  return llvm::cantFail(Space::create(knobs, std::move(isLegal)));
}

std::vector<double> scoreAlike(llvm::ArrayRef<Point> points) {
  return std::vector<double>(points.size(), 1);
}

/// As large as the spaces of kernels: 13 knobs of 30 values, of which the first two are of the
/// layout. Three of ten points are legal.
Space makeKernelSpace() {
  std::vector<std::string> names = {"store.a", "store.b"};
  for (int i = 0; i < 11; ++i)
    names.push_back("k" + std::to_string(i));
  return makeSpace(names, 30, [](llvm::ArrayRef<int64_t> values) {
    return values[2] * values[3] <= 300 && (values[4] + values[5]) % 2 == 0;
  });
}

/// Hills with steps and ridges: knobs that matter more or less, pairs that must fit each other, and
/// a part that only a measurement tells.
double getDraftTime(const Point &point) {
  double time = 1;
  for (size_t i = 0; i < point.size(); ++i)
    time += std::abs(double(point[i]) - double(5 + 7 * i % 20)) / double(2 + i);
  return time;
}
double getTime(const Point &point) {
  double time = getDraftTime(point);
  for (size_t i = 0; i + 1 < point.size(); i += 2)
    time += (point[i] + point[i + 1]) % 3 + double((point[i] ^ point[i + 1]) & 7) / 4;
  return time;
}
std::vector<double> scoreByDraft(llvm::ArrayRef<Point> points) {
  std::vector<double> scores;
  for (const Point &point : points)
    scores.push_back(-getDraftTime(point));
  return scores;
}

/// Measures 64 points in rounds of eight, as the tuner does.
std::vector<Measured> search(const Sampler &sampler, const Space &space, Scorer scorer,
                             uint64_t seed) {
  std::vector<Measured> history;
  for (uint32_t round = 0; round < 8; ++round) {
    Random random(seed, 1, round);
    Proposals proposals = sampler.propose(space, history, 256, scorer, random);
    for (size_t position : chooseBatch(proposals.candidates, {}, random)) {
      const Point &point = proposals.candidates[position].point;
      history.push_back({point, getTime(point)});
    }
  }
  return history;
}

double getBest(llvm::ArrayRef<Measured> history) {
  double best = HUGE_VAL;
  for (const Measured &measured : history)
    best = std::min(best, measured.seconds.value_or(HUGE_VAL));
  return best;
}

/// The mean over five seeds of the best of 64 points.
double getMeanBest(const Sampler &sampler, Scorer scorer) {
  Space space = makeKernelSpace();
  double mean = 0;
  for (uint64_t seed = 1; seed <= 5; ++seed)
    mean += getBest(search(sampler, space, scorer, seed)) / 5;
  return mean;
}

TEST(PPOTest, BeatsRandomPoints) {
  double random = getMeanBest(*createRandomSampler(), scoreByDraft);
  double ppo = getMeanBest(*makePPO(), scoreByDraft);
  RecordProperty("random", std::to_string(random));
  RecordProperty("evolution", std::to_string(getMeanBest(*createEvolutionSampler(), scoreByDraft)));
  RecordProperty("ppo", std::to_string(ppo));
  EXPECT_LT(ppo, 0.8 * random);
}

TEST(PPOTest, LearningFindsBetterScoresThanWalkingDoes) {
  Space space = makeKernelSpace();
  double best[2] = {};
  for (int learns : {0, 1})
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      PPOOptions options;
      options.learningRate = learns ? options.learningRate : 1e-12;
      Random random(seed, 1, 0);
      best[learns] +=
          makePPO(options)->propose(space, {}, 1, scoreByDraft, random).candidates[0].score / 5;
    }
  RecordProperty("walking", std::to_string(best[0]));
  RecordProperty("learning", std::to_string(best[1]));
  EXPECT_GT(best[1], best[0]);
}

TEST(PPOTest, ACallTakesLittleTime) {
  Space space = makeKernelSpace();
  std::vector<Measured> history = search(*makePPO(), space, scoreByDraft, 1);
  ASSERT_EQ(history.size(), 64u);
  std::clock_t begin = std::clock();
  Random random(1, 1, 9);
  makePPO()->propose(space, history, 256, scoreByDraft, random);
  double milliseconds = 1e3 * double(std::clock() - begin) / CLOCKS_PER_SEC;
  RecordProperty("milliseconds", std::to_string(milliseconds));
  EXPECT_LT(milliseconds, 2000); // 30 on a machine of today; sanitizers take their time
}

// The same on every machine and with every compiler, as of the other samplers.
TEST(PPOTest, ProposesTheSameEverywhere) {
  Space space = makeKernelSpace();
  std::vector<Measured> history = search(*createRandomSampler(), space, scoreByDraft, 3);
  history[5].seconds = std::nullopt;
  Random random(3, 1, 9);
  std::string text;
  for (const Candidate &candidate :
       makePPO()->propose(space, history, 256, scoreByDraft, random).candidates)
    text += space.print(candidate.point) + "\n";
  EXPECT_EQ(hashBytes(text), 0x494de227d819945u);
}

TEST(PPOTest, TimesDecideWhatIsProposed) {
  Space space = makeKernelSpace();
  std::vector<Measured> history = search(*createRandomSampler(), space, scoreByDraft, 3);
  auto propose = [&] {
    Random random(3, 1, 9);
    std::vector<Point> points;
    for (Candidate &candidate :
         makePPO()->propose(space, history, 64, scoreByDraft, random).candidates)
      points.push_back(std::move(candidate.point));
    return points;
  };
  std::vector<Point> before = propose();
  EXPECT_EQ(propose(), before);
  history[11].seconds = std::nullopt;
  EXPECT_NE(propose(), before);
}

/// A point drawn at random, and what two walks of four steps come by: one walk starts from the
/// fastest of `history`, both from the drawn point if there is none.
std::vector<Point> walkTwice(const Space &space, History history = {}) {
  PPOOptions options;
  options.batch = 1;
  options.rounds = 1;
  options.walks = 2;
  options.steps = 4;
  options.stride = 0;
  Random random(7, 1, 0);
  std::vector<Point> points;
  auto scorer = [&](llvm::ArrayRef<Point> more) {
    points.insert(points.end(), more.begin(), more.end());
    return scoreAlike(more);
  };
  makePPO(options)->propose(space, history, 1, scorer, random);
  return points;
}

TEST(PPOTest, LoopsWalkAndLayoutsJump) {
  constexpr int64_t numValues = 1000;
  auto distance = [](uint32_t a, uint32_t b) { return std::abs(int64_t(a) - int64_t(b)); };
  std::vector<Point> loops = walkTwice(makeSpace({"a.store", "storey", "c", "d"}, numValues));
  ASSERT_GT(loops.size(), 4u);
  for (const Point &point : loops)
    for (size_t i = 0; i < 4; ++i)
      EXPECT_LE(distance(point[i], loops[0][i]), 4);

  std::vector<Point> both = walkTwice(makeSpace({"c", "store.a", "d", "store.b"}, numValues));
  ASSERT_GT(both.size(), 4u);
  std::set<std::pair<uint32_t, uint32_t>> layouts;
  int64_t farthest = 0;
  for (const Point &point : both) {
    layouts.insert({point[1], point[3]});
    farthest = std::max({farthest, distance(point[1], both[0][1]), distance(point[3], both[0][3])});
    EXPECT_LE(distance(point[0], both[0][0]), 4);
    EXPECT_LE(distance(point[2], both[0][2]), 4);
  }
  EXPECT_EQ(layouts.size(), 2u); // the first point's, which one walk keeps, and the other walk's
  EXPECT_GT(farthest, 40);
}

TEST(PPOTest, WalksStartFromTheFastest) {
  Space space = makeSpace({"a", "b", "c"}, 1000);
  std::vector<Measured> history = {{Point(3, 100), 2.0},
                                   {Point(3, 300), std::nullopt},
                                   {Point(3, 500), 1.0},
                                   {Point(3, 700), 3.0}};
  std::vector<Point> points = walkTwice(space, history);
  auto countNear = [&](int64_t place) {
    return llvm::count_if(points, [&](const Point &point) {
      return llvm::all_of(point, [&](uint32_t own) { return std::abs(own - place) <= 4; });
    });
  };
  EXPECT_GT(countNear(500), 0);
  for (int64_t place : {100, 300, 700})
    EXPECT_EQ(countNear(place), 0) << place;
}

TEST(PPOTest, SearchesLayoutsAloneToTheEnd) {
  Space space = makeSpace({"store.a", "store.b"}, 12,
                          [](llvm::ArrayRef<int64_t> values) { return values[0] != values[1]; });
  std::set<Point> seen;
  std::vector<Measured> history;
  for (uint32_t round = 0; round < 4; ++round) {
    Random random(3, 1, round);
    for (const Candidate &candidate :
         makePPO()->propose(space, history, 40, scoreAlike, random).candidates) {
      EXPECT_TRUE(space.isLegal(candidate.point));
      EXPECT_TRUE(seen.insert(candidate.point).second);
      history.push_back({candidate.point, 1.0});
    }
  }
  EXPECT_EQ(seen.size(), 132u);
}

TEST(PPOTest, BearsKnobsWithoutAChoice) {
  Space space = makeSpace({"a", "store.b"}, 1);
  Random random(3, 1, 0);
  Proposals proposals = makePPO()->propose(space, {}, 8, scoreAlike, random);
  ASSERT_EQ(proposals.candidates.size(), 1u);
  std::vector<Measured> history = {{proposals.candidates[0].point, 1.0}};
  EXPECT_TRUE(makePPO()->propose(space, history, 8, scoreAlike, random).candidates.empty());
}

//===----------------------------------------------------------------------===//
// Agents
//===----------------------------------------------------------------------===//

/// Lets the actors of a kind decide, rewards each decision at once, and lets them learn.
void train(Agents &agents, bool isOfLayout, Random &random,
           llvm::function_ref<double(llvm::ArrayRef<double> position, double action)> getReward) {
  for (int round = 0; round < 60; ++round) {
    std::vector<Decision> decisions;
    for (int i = 0; i < 64; ++i) {
      std::vector<double> position = {random.uniform(), random.uniform()};
      Decision decision = agents.decide(isOfLayout, position, random);
      decision.target = getReward(position, decision.actions[0]);
      decision.advantage = decision.target - decision.value;
      decisions.push_back(std::move(decision));
    }
    agents.learn(decisions, random);
  }
}

TEST(AgentsTest, LoopsLearnWhereToGo) {
  Random random(1, 0, 0);
  PPOOptions options;
  Agents agents(0, 2, options, random);
  // Towards 0.5 is right.
  train(agents, false, random, [](llvm::ArrayRef<double> position, double action) {
    return (position[0] < 0.5) == (action == 2) ? 1.0 : 0.0;
  });
  int numRight = 0;
  for (int i = 0; i < 200; ++i) {
    double place = i % 2 ? 0.8 : 0.2;
    numRight += (agents.decide(false, {place, 0.5}, random).actions[0] == 2) == (place < 0.5);
  }
  EXPECT_GT(numRight, 180);
}

TEST(AgentsTest, LayoutsLearnAPlace) {
  Random random(1, 0, 0);
  PPOOptions options;
  Agents agents(1, 1, options, random);
  auto getDistance = [&] {
    double sum = 0;
    for (int i = 0; i < 200; ++i)
      sum += std::abs(Agents::getShare(agents.decide(true, {0.3, 0.3}, random).actions[0]) - 0.9);
    return sum / 200;
  };
  double before = getDistance();
  train(agents, true, random, [](llvm::ArrayRef<double>, double action) {
    return 1 - std::abs(Agents::getShare(action) - 0.9);
  });
  EXPECT_GT(before, 0.3);
  EXPECT_LT(getDistance(), 0.6 * before);
}

TEST(AgentsTest, NoRoundGoesFarBeyondTheClipRange) {
  for (double clip : {0.1, 0.9}) {
    Random random(1, 0, 0);
    PPOOptions options;
    options.clip = clip;
    options.epochs = 200;
    Agents agents(0, 1, options, random);
    std::vector<Decision> decisions;
    for (int i = 0; i < 32; ++i) {
      decisions.push_back(agents.decide(false, 0.5, random));
      decisions.back().advantage = decisions.back().actions[0] == 2 ? 1 : 0;
    }
    double before = 1.0 / 3, after = 0;
    agents.learn(decisions, random);
    for (int i = 0; i < 2000; ++i)
      after += agents.decide(false, 0.5, random).actions[0] == 2 ? 1.0 / 2000 : 0;
    if (clip < 0.5)
      EXPECT_LT(after, 1.45 * before);
    else
      EXPECT_GT(after, 1.6 * before);
  }
}

TEST(AgentsTest, TheCriticLearnsRewardsAndTellsKindsApart) {
  Random random(1, 0, 0);
  PPOOptions options;
  Agents agents(0, 2, options, random);
  std::vector<std::vector<double>> positions;
  std::vector<double> rewards;
  for (int i = 0; i < 256; ++i) {
    positions.push_back({random.uniform(), random.uniform()});
    rewards.push_back(positions.back()[0]);
  }
  EXPECT_LT(agents.expect(false, {0.9, 0.5}), 0.3);
  for (int i = 0; i < 4; ++i)
    agents.learnRewards(positions, rewards, random);
  EXPECT_NEAR(agents.expect(false, {0.9, 0.5}), 0.9, 0.15);
  EXPECT_NEAR(agents.expect(false, {0.2, 0.5}), 0.2, 0.15);
  EXPECT_NE(agents.expect(false, {0.2, 0.5}), agents.expect(true, {0.2, 0.5}));
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

TEST(PPOTest, RefusesCountsOutOfRange) {
  auto refuse = [](auto PPOOptions::*member, auto value) {
    PPOOptions options;
    options.*member = value;
    return getMessage(createPPOSampler(options));
  };
  EXPECT_EQ(getMessage(createPPOSampler()), "");
  EXPECT_EQ(refuse(&PPOOptions::batch, 0),
            "the batch of ppo is 0, expected a number from 1 to 65536");
  EXPECT_EQ(refuse(&PPOOptions::walks, 1),
            "the number of walks of ppo is 1, expected a number from 2 to 4096");
  EXPECT_EQ(refuse(&PPOOptions::steps, 0),
            "the number of steps of ppo is 0, expected a number from 1 to 4096");
  EXPECT_EQ(refuse(&PPOOptions::rounds, 1025),
            "the number of rounds of ppo is 1025, expected a number from 1 to 1024");
  EXPECT_EQ(refuse(&PPOOptions::epochs, 0),
            "the number of epochs of ppo is 0, expected a number from 1 to 1024");
  EXPECT_EQ(refuse(&PPOOptions::hidden, 5000),
            "the hidden width of ppo is 5000, expected a number from 1 to 1024");
  EXPECT_EQ(refuse(&PPOOptions::learningRate, 0.0),
            "the learning rate of ppo is 0.000000, expected a number between 0 and 1");
  EXPECT_EQ(refuse(&PPOOptions::clip, 1.0),
            "the clip range of ppo is 1.000000, expected a number between 0 and 1");
  EXPECT_EQ(refuse(&PPOOptions::stride, 1.0),
            "the stride of ppo is 1.000000, expected a number from 0 to below 1");
  EXPECT_EQ(refuse(&PPOOptions::entropy, -1.0),
            "the entropy bonus of ppo is -1.000000, expected a number from 0 to below 1");
  EXPECT_EQ(refuse(&PPOOptions::discount, NAN),
            "the discount of ppo is nan, expected a number from 0 to below 1");
  EXPECT_EQ(refuse(&PPOOptions::trace, 2.0),
            "the trace of ppo is 2.000000, expected a number from 0 to below 1");
  EXPECT_EQ(refuse(&PPOOptions::entropy, 0.0), "");
}

} // namespace

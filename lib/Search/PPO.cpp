//===- PPO.cpp - the sampler of ALT: actors that walk -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One proposal, from agents that know nothing at its start:
///
///   1. The critic learns what was measured, and a batch of points is drawn.
///   2. Walks start from the fastest measured points and the best scored ones. If there are knobs
///      of the layout, their actors choose the layout of every other walk; then in each step the
///      actors of the loops move their knobs. A step to a point that is not legal is not taken.
///   3. All new points are scored, and the agents learn from the rewards. Back to 2, some rounds.
///   4. All points on the way are candidates. If there are too few, others are drawn.
///
//===----------------------------------------------------------------------===//
#include "Agents.h"
#include "FreshPoints.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#pragma STDC FP_CONTRACT OFF

using namespace tssa::search;
using llvm::ArrayRef;
using llvm::StringRef;

/// How many of the last measured points the critic learns before the first walk.
static constexpr size_t mostLearned = 128;
/// How long the steps of a walk are, of the longest: half of the walks go from a value to the next.
static constexpr double strides[] = {0, 0, 0.5, 1};
/// What begins the name of a knob of the layout.
static constexpr StringRef layoutPrefix = "store.";

namespace {

/// The points that a proposal has come by and their rewards, from 0 to 1.
class Rewards {
public:
  Rewards(const Space &space, History history, Scorer scorer);

  /// Notes a point, and returns its number.
  size_t visit(const Point &point);
  /// Draws new points at random.
  void draw(uint64_t count, Random &random);
  /// Scores the points that are new since the last call.
  void score();

  bool isLegal(size_t number) const { return seen[number].kind != Seen::Illegal; }
  /// The throughput as a share of the best, none for a point that failed or is not legal. For a
  /// point that was not measured, the share of the others that have a lower score.
  double get(size_t number) const;
  size_t countFresh() const { return fresh.getPoints().size(); }
  Proposals rank(uint64_t count) const { return fresh.rank(scores, count); }

private:
  struct Seen {
    enum Kind { Illegal, Measured, Fresh } kind;
    double throughput = 0;
    size_t index = 0; ///< among the fresh points
  };
  struct Hash {
    size_t operator()(const Point &point) const { return size_t(hashPoint(point)); }
  };
  void note(const Point &point, Seen what) {
    numbers.emplace(point, seen.size());
    seen.push_back(what);
  }

  Scorer scorer;
  FreshPoints fresh;
  std::vector<double> scores, sorted;
  std::vector<Seen> seen;
  std::unordered_map<Point, size_t, Hash> numbers;
};

/// A walk: its decisions and the points to which they led.
struct Walk {
  std::vector<Decision> decisions;
  std::vector<size_t> reached;
  /// What the critic expects from its end.
  double rest = 0;
};

/// One proposal.
class Exploration {
public:
  Exploration(const Space &space, History history, Scorer scorer, const PPOOptions &options,
              Random &random);
  Proposals run(uint64_t count);

private:
  std::vector<double> getPosition(const Point &point) const;
  void learnHistory();
  std::vector<Point> getStarts() const;
  Point move(Point point, const Decision &decision, double stride) const;
  Walk walk(Point point, bool choosesLayout);
  void assess(Walk &walk) const;
  void runRound(ArrayRef<Point> starts, bool learns);

  const Space &space;
  History history;
  const PPOOptions &options;
  Random &random;
  std::vector<size_t> layoutKnobs, loopKnobs;
  Rewards rewards;
  std::optional<Agents> agents;
};

class PPOSampler : public Sampler {
public:
  explicit PPOSampler(const PPOOptions &options) : options(options) {}
  StringRef getName() const override { return "ppo"; }
  Proposals propose(const Space &space, History history, uint64_t count, Scorer scorer,
                    Random &random) const override {
    return Exploration(space, history, scorer, options, random).run(count);
  }

private:
  PPOOptions options;
};

} // namespace

//===----------------------------------------------------------------------===//
// Rewards
//===----------------------------------------------------------------------===//

Rewards::Rewards(const Space &space, History history, Scorer scorer)
    : scorer(scorer), fresh(space, history) {
  auto hasTime = [](const Measured &measured) {
    return measured.seconds && *measured.seconds > 0 && std::isfinite(*measured.seconds);
  };
  double best = HUGE_VAL;
  for (const Measured &measured : history)
    if (space.contains(measured.point) && hasTime(measured))
      best = std::min(best, *measured.seconds);
  for (const Measured &measured : history)
    note(measured.point, {Seen::Measured, hasTime(measured) ? best / *measured.seconds : 0});
}

size_t Rewards::visit(const Point &point) {
  auto found = numbers.find(point);
  if (found != numbers.end())
    return found->second;
  size_t index = fresh.getPoints().size();
  bool isFresh = fresh.add(point);
  note(point, {isFresh ? Seen::Fresh : Seen::Illegal, 0, index});
  return seen.size() - 1;
}

void Rewards::draw(uint64_t count, Random &random) {
  size_t index = countFresh();
  fresh.draw(count, random);
  for (; index < countFresh(); ++index)
    note(fresh.getPoints()[index], {Seen::Fresh, 0, index});
}

void Rewards::score() {
  std::vector<double> more = getScores(scorer, fresh.getPoints().drop_front(scores.size()));
  scores.insert(scores.end(), more.begin(), more.end());
  sorted = scores;
  llvm::sort(sorted);
}

double Rewards::get(size_t number) const {
  const Seen &what = seen[number];
  if (what.kind != Seen::Fresh)
    return what.throughput;
  auto lower = llvm::lower_bound(sorted, scores[what.index]) - sorted.begin();
  return sorted.size() > 1 ? double(lower) / double(sorted.size() - 1) : 0;
}

//===----------------------------------------------------------------------===//
// Walks
//===----------------------------------------------------------------------===//

Exploration::Exploration(const Space &space, History history, Scorer scorer,
                         const PPOOptions &options, Random &random)
    : space(space), history(history), options(options), random(random),
      rewards(space, history, scorer) {
  for (auto [index, knob] : llvm::enumerate(space.getKnobs()))
    if (knob.values.size() > 1)
      (StringRef(knob.name).starts_with(layoutPrefix) ? layoutKnobs : loopKnobs).push_back(index);
  agents.emplace(layoutKnobs.size(), loopKnobs.size(), options, random);
}

std::vector<double> Exploration::getPosition(const Point &point) const {
  std::vector<double> position;
  for (ArrayRef<size_t> knobs : {ArrayRef(layoutKnobs), ArrayRef(loopKnobs)})
    for (size_t index : knobs)
      position.push_back(double(point[index]) / double(space.getKnobs()[index].values.size() - 1));
  return position;
}

void Exploration::learnHistory() {
  std::vector<std::vector<double>> positions;
  std::vector<double> known;
  for (const Measured &measured : history.take_back(mostLearned))
    if (space.contains(measured.point)) {
      positions.push_back(getPosition(measured.point));
      known.push_back(rewards.get(rewards.visit(measured.point)));
    }
  agents->learnRewards(positions, known, random);
}

/// The fastest measured points for half of the walks, the best scored ones for the others.
std::vector<Point> Exploration::getStarts() const {
  std::vector<Point> starts = getFastest(space, history, options.walks / 2);
  for (const Candidate &best : rewards.rank(options.walks - starts.size()).candidates)
    starts.push_back(best.point);
  for (size_t i = 0; !starts.empty() && starts.size() < options.walks; ++i)
    starts.push_back(starts[i]);
  return starts;
}

Point Exploration::move(Point point, const Decision &decision, double stride) const {
  ArrayRef<size_t> knobs = decision.isOfLayout ? layoutKnobs : loopKnobs;
  auto getLength = [&](uint32_t last) { return std::max(1u, uint32_t(stride * double(last))); };
  for (auto [index, action] : llvm::zip_equal(knobs, decision.actions)) {
    auto last = uint32_t(space.getKnobs()[index].values.size() - 1);
    uint32_t &place = point[index];
    if (decision.isOfLayout)
      place = std::min(last, uint32_t(Agents::getShare(action) * (double(last) + 1)));
    else if (action == 0)
      place -= std::min(place, getLength(last));
    else if (action == 2)
      place += std::min(last - place, getLength(last));
  }
  return point;
}

Walk Exploration::walk(Point point, bool choosesLayout) {
  Walk walk;
  double stride = options.stride * strides[random.below(std::size(strides))];
  auto decide = [&](bool isOfLayout) {
    walk.decisions.push_back(agents->decide(isOfLayout, getPosition(point), random));
    Point next = move(point, walk.decisions.back(), stride);
    walk.reached.push_back(rewards.visit(next));
    if (rewards.isLegal(walk.reached.back()))
      point = std::move(next);
  };
  if (choosesLayout)
    decide(true);
  for (unsigned step = 0; step < options.steps && !loopKnobs.empty(); ++step)
    decide(false);
  walk.rest = agents->expect(false, getPosition(point));
  return walk;
}

/// Sets advantages and targets. Those of the loops are generalised advantages (J. Schulman et al.,
/// arXiv 1506.02438) of rewards times 1 - discount, so that values are from 0 to 1 as rewards are.
/// The layout gets the best reward of its walk, or none if it is not legal.
void Exploration::assess(Walk &walk) const {
  double later = walk.rest, advantage = 0, best = 0;
  for (size_t i = walk.decisions.size(); i-- > 0;) {
    Decision &decision = walk.decisions[i];
    double reward = rewards.get(walk.reached[i]);
    best = std::max(best, reward);
    if (decision.isOfLayout) {
      decision.target = rewards.isLegal(walk.reached[i]) ? best : 0;
      decision.advantage = decision.target - decision.value;
      continue;
    }
    double discount = options.discount;
    double surprise = (1 - discount) * reward + discount * later - decision.value;
    advantage = surprise + discount * options.trace * advantage;
    decision.advantage = advantage;
    decision.target = advantage + decision.value;
    later = decision.value;
  }
}

void Exploration::runRound(ArrayRef<Point> starts, bool learns) {
  std::vector<Walk> walks;
  // Every other walk keeps the layout of its start, as ALT's second stage does.
  for (auto [index, start] : llvm::enumerate(starts))
    walks.push_back(walk(start, !layoutKnobs.empty() && (index % 2 == 0 || loopKnobs.empty())));
  rewards.score();
  std::vector<Decision> decisions;
  for (Walk &walk : walks) {
    assess(walk);
    llvm::append_range(decisions, walk.decisions);
  }
  if (learns)
    agents->learn(decisions, random);
}

Proposals Exploration::run(uint64_t count) {
  if (count > 0) {
    learnHistory();
    rewards.draw(options.batch, random);
    rewards.score();
    for (unsigned round = 0; round < options.rounds; ++round)
      runRound(getStarts(), round + 1 < options.rounds);
  }
  if (rewards.countFresh() < count) {
    rewards.draw(count - rewards.countFresh(), random);
    rewards.score();
  }
  return rewards.rank(count);
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<Sampler>> tssa::search::createPPOSampler(const PPOOptions &options) {
  auto refuse = [](const llvm::Twine &what, const llvm::Twine &given, const llvm::Twine &expected) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   what + " of ppo is " + given + ", expected " + expected);
  };
  struct {
    const char *name;
    uint64_t value, least, most;
  } counts[] = {{"the batch", options.batch, 1, 65536},
                {"the number of walks", options.walks, 2, 4096},
                {"the number of steps", options.steps, 1, 4096},
                {"the number of rounds", options.rounds, 1, 1024},
                {"the number of epochs", options.epochs, 1, 1024},
                {"the hidden width", options.hidden, 1, 1024}};
  for (const auto &count : counts)
    if (count.value < count.least || count.value > count.most)
      return refuse(count.name, llvm::Twine(count.value),
                    "a number from " + llvm::Twine(count.least) + " to " + llvm::Twine(count.most));
  struct {
    const char *name;
    double value;
    bool mayBeZero;
  } shares[] = {{"the learning rate", options.learningRate, false},
                {"the clip range", options.clip, false},
                {"the stride", options.stride, true},
                {"the entropy bonus", options.entropy, true},
                {"the discount", options.discount, true},
                {"the trace", options.trace, true}};
  for (const auto &share : shares)
    if (!(share.mayBeZero ? share.value >= 0 : share.value > 0) || !(share.value < 1))
      return refuse(share.name, std::to_string(share.value),
                    share.mayBeZero ? "a number from 0 to below 1" : "a number between 0 and 1");
  return std::make_unique<PPOSampler>(options);
}

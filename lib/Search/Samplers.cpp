//===- Samplers.cpp - random, evolution and single steps -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FreshPoints.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace tssa::search;
using llvm::StringRef;

namespace {

class RandomSampler : public Sampler {
public:
  StringRef getName() const override { return "random"; }
  Proposals propose(const Space &space, History history, uint64_t count, Scorer scorer,
                    Random &random) const override {
    FreshPoints fresh(space, history);
    fresh.draw(count, random);
    return fresh.rank(getScores(scorer, fresh.getPoints()), count);
  }
};

class EvolutionSampler : public Sampler {
public:
  explicit EvolutionSampler(EvolutionOptions options) : options(options) {}
  StringRef getName() const override { return "evolution"; }
  Proposals propose(const Space &space, History history, uint64_t count, Scorer scorer,
                    Random &random) const override;

private:
  Point makeChild(const Space &space, llvm::ArrayRef<Point> parents, Random &random) const;
  void breed(const Space &space, llvm::ArrayRef<Point> parents, FreshPoints &fresh,
             Random &random) const;

  EvolutionOptions options;
};

class CoordinateSampler : public Sampler {
public:
  StringRef getName() const override { return "coordinates"; }
  Proposals propose(const Space &space, History history, uint64_t count, Scorer scorer,
                    Random &random) const override {
    FreshPoints fresh(space, history);
    for (const Point &center : getFastest(space, history, 2))
      for (Point &neighbour : space.getNeighbours(center))
        fresh.add(std::move(neighbour));
    return fresh.rank(getScores(scorer, fresh.getPoints()), count);
  }
};

/// `point` with one knob changed: as often to a neighbour as to any other value.
Point mutate(const Space &space, Point point, Random &random) {
  std::vector<size_t> movable;
  for (auto [index, knob] : llvm::enumerate(space.getKnobs()))
    if (knob.values.size() > 1)
      movable.push_back(index);
  if (movable.empty())
    return point;
  size_t index = movable[random.below(movable.size())];
  uint32_t count = uint32_t(space.getKnobs()[index].values.size());
  uint32_t &position = point[index];
  if (random.below(2) == 0) {
    bool isUp = position == 0 || (position + 1 < count && random.below(2) == 0);
    position += isUp ? 1 : -1;
  } else {
    position = uint32_t((position + 1 + random.below(count - 1)) % count);
  }
  return point;
}

} // namespace

Point EvolutionSampler::makeChild(const Space &space, llvm::ArrayRef<Point> parents,
                                  Random &random) const {
  Point child = parents[random.below(parents.size())];
  if (random.uniform() < options.mutationShare)
    return mutate(space, std::move(child), random);
  const Point &other = parents[random.below(parents.size())];
  for (auto [position, another] : llvm::zip_equal(child, other))
    position = random.below(2) == 0 ? position : another;
  return child;
}

void EvolutionSampler::breed(const Space &space, llvm::ArrayRef<Point> parents, FreshPoints &fresh,
                             Random &random) const {
  double share = parents.empty() ? 1 : std::clamp(options.randomShare, 0.0, 1.0);
  uint64_t drawn = std::min(options.population, uint64_t(share * double(options.population)));
  fresh.draw(drawn, random);
  // Near a local optimum most children are known: so many tries, not so many children.
  for (uint64_t i = drawn; i < options.population; ++i)
    fresh.add(makeChild(space, parents, random));
}

Proposals EvolutionSampler::propose(const Space &space, History history, uint64_t count,
                                    Scorer scorer, Random &random) const {
  FreshPoints fresh(space, history);
  std::vector<Point> elite = getFastest(space, history, options.elite);
  std::vector<Point> parents = elite;
  std::vector<double> scores;
  auto scoreNew = [&] {
    std::vector<double> more = getScores(scorer, fresh.getPoints().drop_front(scores.size()));
    scores.insert(scores.end(), more.begin(), more.end());
  };
  for (unsigned generation = 0; generation < options.generations; ++generation) {
    breed(space, parents, fresh, random);
    scoreNew();
    parents = elite;
    for (const Candidate &best : fresh.rank(scores, options.population / 4).candidates)
      parents.push_back(best.point);
  }
  if (scores.size() < count) {
    fresh.draw(count - scores.size(), random);
    scoreNew();
  }
  return fresh.rank(scores, count);
}

std::unique_ptr<Sampler> tssa::search::createRandomSampler() {
  return std::make_unique<RandomSampler>();
}

std::unique_ptr<Sampler> tssa::search::createEvolutionSampler(EvolutionOptions options) {
  return std::make_unique<EvolutionSampler>(options);
}

std::unique_ptr<Sampler> tssa::search::createCoordinateSampler() {
  return std::make_unique<CoordinateSampler>();
}

llvm::Expected<std::unique_ptr<Sampler>> tssa::search::createSampler(StringRef name) {
  if (name == "random")
    return createRandomSampler();
  if (name == "evolution")
    return createEvolutionSampler();
  if (name == "coordinates")
    return createCoordinateSampler();
  if (name == "ppo")
    return createPPOSampler();
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "there is no sampler '" + name +
                                     "': expected random, evolution, coordinates or ppo");
}

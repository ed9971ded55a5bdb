//===- Sampler.h - which points to try next -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A sampler proposes points to measure. What it proposes is a function of the space, the history,
/// the scores and the stream of random numbers alone: equal ones give equal proposals, bit for bit.
/// So a session is replayed from its measurements, and needs no state of a sampler.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_SEARCH_SAMPLER_H
#define TSSA_SEARCH_SAMPLER_H

#include "tssa/Search/Random.h"
#include "tssa/Search/Space.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <optional>

namespace tssa::search {

/// A point that was chosen to be measured, and its time in seconds. It has none while it is being
/// measured, and if it failed.
struct Measured {
  Point point;
  std::optional<double> seconds;
};
using History = llvm::ArrayRef<Measured>;

/// A score for each point, higher is better: what the cost model or a draft expects. A score that
/// is missing or no number ranks last.
using Scorer = llvm::function_ref<std::vector<double>(llvm::ArrayRef<Point>)>;

struct Candidate {
  Point point;
  double score = 0;
};

/// What a sampler proposes: candidates from the best score to the worst, equal ones in the order in
/// which they were found.
struct Proposals {
  std::vector<Candidate> candidates;
  /// How many points were dropped because they are not legal.
  uint64_t illegal = 0;
};

class Sampler {
public:
  virtual ~Sampler() = default;
  /// The name in options and reports.
  virtual llvm::StringRef getName() const = 0;
  /// Proposes up to `count` different, legal points that are not in `history`. There are fewer if
  /// the sampler finds no more. Points of `history` outside of the space are ignored.
  virtual Proposals propose(const Space &space, History history, uint64_t count, Scorer scorer,
                            Random &random) const = 0;
};

/// Points drawn at random, all equally likely. Spaces of up to 65,536 points are searched to the
/// last point. In a larger one, the sampler gives up after 64 useless draws for each wanted point.
std::unique_ptr<Sampler> createRandomSampler();

/// The defaults follow TVM's MetaSchedule (python/tvm/meta_schedule/search_strategy/
/// evolutionary_search.py), with a larger share of random points.
struct EvolutionOptions {
  uint64_t population = 512;
  unsigned generations = 4;
  /// How many of the best measured points are parents in every generation.
  uint64_t elite = 32;
  /// The share of a generation that is drawn at random.
  double randomShare = 0.3;
  /// The share of the children with one parent, of which one knob changes; the others have two
  /// parents and take each knob from either.
  double mutationShare = 0.85;
};

/// Evolution: the parents of a generation are the best measured points and the best quarter of the
/// generation before. Points that evolution does not find are drawn at random.
std::unique_ptr<Sampler> createEvolutionSampler(EvolutionOptions options = {});

/// Steps of one knob by one position around the two fastest points of the history. It proposes
/// nothing when all steps were tried, which says that both are local optima.
std::unique_ptr<Sampler> createCoordinateSampler();

/// How much proximal policy optimisation does for one proposal.
struct PPOOptions {
  /// How many points are drawn before the first walk.
  uint64_t batch = 128;
  /// How often all walks are made; the agents learn between two rounds.
  unsigned rounds = 14;
  unsigned walks = 32;
  unsigned steps = 4;
  /// The longest step of a loop's knob, as a share of its list; none is shorter than one value.
  double stride = 0.25;
  /// How often the agents look at each decision of a round.
  unsigned epochs = 3;
  /// The units of each hidden layer.
  unsigned hidden = 32;
  double learningRate = 0.005;
  /// How much likelier or less likely one round may make a decision.
  double clip = 0.2;
  /// The weight of the bonus for actors that are undecided.
  double entropy = 0.05;
  /// What a reward is worth one step before, and how fast surprises fade in an advantage.
  double discount = 0.3;
  double trace = 0.9;
};

/// The sampler of ALT (Z. Xu et al., arXiv 2210.12415, section 5.2): proximal policy optimisation
/// with an actor for each knob and one critic. Knobs whose names begin with `store.` are of the
/// layout: their actors choose a place, once for every other walk. Those of the loops walk from
/// good points step by step. Rewards are measured throughputs, and the ranks of scores for other
/// points. Actors and critic are trained anew in each call. Points that walks do not find are drawn
/// at random. Fails with a sentence that names the option that is out of range.
llvm::Expected<std::unique_ptr<Sampler>> createPPOSampler(const PPOOptions &options = {});

/// The sampler with this name: `random`, `evolution`, `coordinates` or `ppo`. Fails for another
/// one.
llvm::Expected<std::unique_ptr<Sampler>> createSampler(llvm::StringRef name);

} // namespace tssa::search

#endif // TSSA_SEARCH_SAMPLER_H

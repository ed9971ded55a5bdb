//===- Agents.h - actors and their critic -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The agents of proximal policy optimisation (J. Schulman et al., arXiv 1707.06347), one actor for
/// each knob. An actor of the layout gives a number in (0, 1), which stands for a place in the
/// knob's list; one of the loops gives a direction: one back, no move, or one on. The actors of one
/// kind share their hidden layers, so that what one learns of a state helps the others; all share
/// one critic. Agents know nothing of a space: a state is a list of numbers.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_SEARCH_AGENTS_H
#define TSSA_SEARCH_AGENTS_H

#include "Network.h"
#include "tssa/Search/Sampler.h"

namespace tssa::search {

/// What the actors of one kind decided in a state, and what came of it.
struct Decision {
  bool isOfLayout = false;
  std::vector<double> state;
  /// For each actor 0, 1 or 2 for one back, no move and one on; of the layout, the action before
  /// it is brought into (0, 1).
  std::vector<double> actions;
  /// When it was decided: the probability of each action; of the layout, the mean.
  std::vector<double> before;
  /// What the critic expected.
  double value = 0;
  /// How much better it came than expected, and what the critic should have said.
  double advantage = 0, target = 0;
};

class Agents {
public:
  /// Agents that know nothing: the loops' move about two knobs at a time, each as often back as on,
  /// those of the layout are as likely to go anywhere.
  Agents(size_t numLayout, size_t numLoops, const PPOOptions &options, Random &random);

  /// Asks the actors of a kind. `position` has for each knob, of layouts first, its place in [0,
  /// 1].
  Decision decide(bool isOfLayout, llvm::ArrayRef<double> position, Random &random);
  /// What the critic expects of the loops from there, or of the layout.
  double expect(bool isOfLayout, llvm::ArrayRef<double> position);
  /// The number in (0, 1) for an action of a layout's actor.
  static double getShare(double action);

  /// Trains the critic on rewards that are known of positions.
  void learnRewards(llvm::ArrayRef<std::vector<double>> positions, llvm::ArrayRef<double> rewards,
                    Random &random);
  /// Trains actors and critic on decisions of these actors. Changes their advantages to those with
  /// mean 0 and variance 1 among each kind.
  void learn(llvm::MutableArrayRef<Decision> decisions, Random &random);

private:
  std::vector<double> makeState(bool isOfLayout, llvm::ArrayRef<double> position) const;
  /// The probabilities of the three directions of one actor.
  std::array<double, 3> getChances(llvm::ArrayRef<double> outputs, size_t actor) const;
  void addSlopes(const Decision &decision, double weight);
  void addLayoutSlopes(const Decision &decision, double weight);
  void addValueSlope(llvm::ArrayRef<double> state, double target, double weight);

  PPOOptions options;
  size_t numLayout, numLoops;
  double stay; ///< By how much an actor that knows nothing prefers not to move.
  Network layout, loops, critic;
};

} // namespace tssa::search

#endif // TSSA_SEARCH_AGENTS_H

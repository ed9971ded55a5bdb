//===- Agents.cpp - actors and their critic -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Agents.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#pragma STDC FP_CONTRACT OFF

using namespace tssa::search;
using llvm::ArrayRef;

/// How far the actions of the layout's actors spread: with a mean of 0 and this, a sigmoid gives
/// numbers that are nearly equally likely in (0, 1).
static constexpr double spread = 1.6;
/// How many decisions one step of Adam looks at.
static constexpr size_t decisionsOfStep = 32;
/// How often the critic sees each known reward before the first decision.
static constexpr unsigned epochsOfRewards = 10;
/// An output layer that hardly speaks leaves agents that know nothing as they should be.
static constexpr double quiet = 0.01;

/// Positions from 0 to `count`, in an order drawn at random.
static std::vector<size_t> shuffle(size_t count, Random &random) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t(0));
  for (size_t i = 0; i + 1 < count; ++i)
    std::swap(order[i], order[i + random.below(count - i)]);
  return order;
}

Agents::Agents(size_t numLayout, size_t numLoops, const PPOOptions &options, Random &random)
    : options(options), numLayout(numLayout), numLoops(numLoops),
      stay(numLoops > 1 ? exactLog(double(2 * numLoops - 2)) : 0),
      layout({numLayout + numLoops + 1, options.hidden, numLayout}, quiet, random),
      loops({numLayout + numLoops + 1, options.hidden, 3 * numLoops}, quiet, random),
      critic({numLayout + numLoops + 1, options.hidden, 1}, quiet, random) {}

std::vector<double> Agents::makeState(bool isOfLayout, ArrayRef<double> position) const {
  std::vector<double> state = {isOfLayout ? 1.0 : -1.0};
  for (double place : position)
    state.push_back(2 * place - 1);
  return state;
}

double Agents::getShare(double action) { return 1 / (1 + exactExp(-action)); }

std::array<double, 3> Agents::getChances(ArrayRef<double> outputs, size_t actor) const {
  double most = -HUGE_VAL, sum = 0;
  std::array<double, 3> chances;
  for (size_t i = 0; i < 3; ++i) {
    chances[i] = outputs[3 * actor + i] + (i == 1 ? stay : 0);
    most = std::max(most, chances[i]);
  }
  for (double &chance : chances)
    sum += chance = exactExp(chance - most);
  for (double &chance : chances)
    chance /= sum;
  return chances;
}

Decision Agents::decide(bool isOfLayout, ArrayRef<double> position, Random &random) {
  Decision decision;
  decision.isOfLayout = isOfLayout;
  decision.state = makeState(isOfLayout, position);
  decision.value = critic.forward(decision.state)[0];
  ArrayRef<double> outputs = (isOfLayout ? layout : loops).forward(decision.state);
  for (size_t actor = 0; actor < (isOfLayout ? numLayout : numLoops); ++actor) {
    if (isOfLayout) {
      decision.before.push_back(outputs[actor]);
      decision.actions.push_back(outputs[actor] + spread * drawNormal(random));
      continue;
    }
    std::array<double, 3> chances = getChances(outputs, actor);
    double drawn = random.uniform();
    size_t action = drawn < chances[0] ? 0 : drawn < chances[0] + chances[1] ? 1 : 2;
    decision.before.push_back(chances[action]);
    decision.actions.push_back(double(action));
  }
  return decision;
}

double Agents::expect(bool isOfLayout, ArrayRef<double> position) {
  return critic.forward(makeState(isOfLayout, position))[0];
}

void Agents::addValueSlope(ArrayRef<double> state, double target, double weight) {
  critic.backward(weight * (critic.forward(state)[0] - target));
}

void Agents::learnRewards(ArrayRef<std::vector<double>> positions, ArrayRef<double> rewards,
                          Random &random) {
  for (unsigned epoch = 0; epoch < epochsOfRewards; ++epoch) {
    size_t numSeen = 0;
    for (size_t i : shuffle(positions.size(), random)) {
      addValueSlope(makeState(false, positions[i]), rewards[i], 1.0 / decisionsOfStep);
      if (++numSeen % decisionsOfStep == 0 || numSeen == positions.size())
        critic.step(options.learningRate);
    }
  }
}

/// Gives the advantages of one kind a mean of 0 and a variance of 1.
static void normalise(llvm::MutableArrayRef<Decision> decisions, bool isOfLayout) {
  double sum = 0, squares = 0, count = 0;
  for (const Decision &decision : decisions)
    if (decision.isOfLayout == isOfLayout) {
      sum += decision.advantage;
      squares += decision.advantage * decision.advantage;
      ++count;
    }
  double mean = count > 0 ? sum / count : 0;
  double variance = count > 0 ? squares / count - mean * mean : 0;
  double deviation = std::sqrt(std::max(variance, 0.0)) + 1e-6;
  for (Decision &decision : decisions)
    if (decision.isOfLayout == isOfLayout)
      decision.advantage = (decision.advantage - mean) / deviation;
}

/// The slope of the clipped objective -min(r A, clip(r) A) by ln r, where r is how much likelier an
/// action is than when it was taken: none where the step has gone far enough.
static double getSlope(double ratio, double advantage, double clip) {
  bool isFarEnough = advantage > 0 ? ratio > 1 + clip : ratio < 1 - clip;
  return isFarEnough ? 0 : -advantage * ratio;
}

void Agents::addSlopes(const Decision &decision, double weight) {
  ArrayRef<double> outputs = loops.forward(decision.state);
  std::vector<double> slopes(outputs.size());
  for (size_t actor = 0; actor < numLoops; ++actor) {
    std::array<double, 3> chances = getChances(outputs, actor);
    auto taken = size_t(decision.actions[actor]);
    double slope =
        getSlope(chances[taken] / decision.before[actor], decision.advantage, options.clip);
    std::array<double, 3> logs;
    double disorder = 0; // the entropy, for which there is a bonus
    for (size_t i = 0; i < 3; ++i) {
      logs[i] = exactLog(std::max(chances[i], 1e-300));
      disorder -= chances[i] * logs[i];
    }
    for (size_t i = 0; i < 3; ++i)
      slopes[3 * actor + i] = weight * (slope * ((i == taken ? 1 : 0) - chances[i]) +
                                        options.entropy * chances[i] * (logs[i] + disorder));
  }
  loops.backward(slopes);
}

void Agents::addLayoutSlopes(const Decision &decision, double weight) {
  ArrayRef<double> outputs = layout.forward(decision.state);
  std::vector<double> slopes(outputs.size());
  for (size_t actor = 0; actor < numLayout; ++actor) {
    double now = decision.actions[actor] - outputs[actor];
    double then = decision.actions[actor] - decision.before[actor];
    double ratio = exactExp((then * then - now * now) / (2 * spread * spread));
    slopes[actor] =
        weight * getSlope(ratio, decision.advantage, options.clip) * now / (spread * spread);
  }
  layout.backward(slopes);
}

void Agents::learn(llvm::MutableArrayRef<Decision> decisions, Random &random) {
  normalise(decisions, false);
  normalise(decisions, true);
  for (unsigned epoch = 0; epoch < options.epochs; ++epoch) {
    size_t numSeen = 0;
    for (size_t i : shuffle(decisions.size(), random)) {
      const Decision &decision = decisions[i];
      constexpr double weight = 1.0 / decisionsOfStep;
      addValueSlope(decision.state, decision.target, weight);
      if (decision.isOfLayout)
        addLayoutSlopes(decision, weight);
      else
        addSlopes(decision, weight);
      if (++numSeen % decisionsOfStep != 0 && numSeen != decisions.size())
        continue;
      for (Network *network : {&layout, &loops, &critic})
        network->step(options.learningRate);
    }
  }
}

//===- NetworkTest.cpp - tests of the small network -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Search/Network.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace tssa::search;

namespace {

TEST(NetworkTest, ExpAndLogAreThoseOfTheLibrary) {
  for (double x = -50; x < 50; x += 0.37) {
    EXPECT_NEAR(exactExp(x) / std::exp(x), 1, 4e-16);
    EXPECT_NEAR(exactLog(std::exp(x)), std::log(std::exp(x)), 4e-16 * (1 + std::abs(x)));
  }
  EXPECT_EQ(exactExp(0), 1);
  EXPECT_EQ(exactLog(1), 0);
  EXPECT_EQ(exactExp(1e9), exactExp(700));
  EXPECT_GT(exactExp(-1e9), 0);
}

TEST(NetworkTest, NormalNumbersHaveTheirMoments) {
  Random random(1, 2, 3);
  double moments[5] = {};
  constexpr int count = 40000;
  for (int i = 0; i < count; ++i) {
    double x = drawNormal(random), power = 1;
    for (double &moment : moments) {
      moment += power / count;
      power *= x;
    }
  }
  EXPECT_NEAR(moments[1], 0, 0.02);
  EXPECT_NEAR(moments[2], 1, 0.03);
  EXPECT_NEAR(moments[3], 0, 0.08);
  EXPECT_NEAR(moments[4], 3, 0.2);
}

/// A loss that weighs outputs differently: the sum over i of (i + 1) output[i]^2 / 2.
double getLoss(Network &network, llvm::ArrayRef<double> inputs) {
  double loss = 0, weight = 1;
  for (double output : network.forward(inputs))
    loss += weight++ * output * output / 2;
  return loss;
}

TEST(NetworkTest, GradientsAreDifferencesOfTheLoss) {
  Random random(1, 2, 3);
  Network network({3, 8, 2}, 1, random);
  std::vector<double> inputs = {0.3, -0.7, 0.9};
  for (double &weight : network.getWeights())
    weight += 0.1 * (random.uniform() - 0.5); // so that offsets are not zero
  std::vector<double> slopes = network.forward(inputs).vec();
  slopes[1] *= 2;
  network.backward(slopes);
  size_t numMoved = 0;
  for (size_t i = 0; i < network.getWeights().size(); ++i) {
    constexpr double distance = 1e-6;
    double &weight = network.getWeights()[i], before = weight;
    weight = before + distance;
    double above = getLoss(network, inputs);
    weight = before - distance;
    double below = getLoss(network, inputs);
    weight = before;
    EXPECT_NEAR(network.getGradient()[i], (above - below) / (2 * distance), 1e-7) << i;
    numMoved += network.getGradient()[i] != 0;
  }
  EXPECT_GT(numMoved, network.getWeights().size() / 4);
  // A second row adds to the gradient, and a step clears it.
  std::vector<double> first = network.getGradient().vec();
  (void)network.forward(inputs);
  network.backward(slopes);
  for (size_t i = 0; i < first.size(); ++i)
    EXPECT_EQ(network.getGradient()[i], 2 * first[i]);
  network.step(0.01);
  for (double slope : network.getGradient())
    EXPECT_EQ(slope, 0);
}

/// Trains a network to tell which of two inputs are equal, and returns its largest error.
double learnExclusiveOr(uint64_t seed, unsigned numSteps, std::vector<double> *weights = nullptr) {
  Random random(seed, 0, 0);
  Network network({2, 16, 1}, 1, random);
  double error = 0;
  for (unsigned step = 0; step <= numSteps; ++step) {
    error = 0;
    for (double a : {-1.0, 1.0})
      for (double b : {-1.0, 1.0}) {
        double slope = network.forward({a, b})[0] - (a == b ? 0 : 1);
        error = std::max(error, std::abs(slope));
        network.backward(slope);
      }
    network.step(0.02);
  }
  if (weights)
    *weights = network.getWeights().vec();
  return error;
}

TEST(NetworkTest, LearnsExclusiveOr) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    EXPECT_GT(learnExclusiveOr(seed, 0), 0.1) << seed;
    EXPECT_LT(learnExclusiveOr(seed, 300), 0.01) << seed;
  }
}

TEST(NetworkTest, LearnsAFunction) {
  Random random(5, 0, 0);
  Network network({2, 32, 1}, 1, random);
  auto getError = [&](bool learns, unsigned count) {
    double sum = 0;
    for (unsigned i = 0; i < count; ++i) {
      double x = 2 * random.uniform() - 1, y = 2 * random.uniform() - 1;
      double slope = network.forward({x, y})[0] - (x * y + std::abs(x));
      sum += slope * slope / count;
      if (learns)
        network.backward(slope / 16);
      if (learns && i % 16 == 15)
        network.step(0.01);
    }
    return sum;
  };
  EXPECT_GT(getError(false, 1000), 0.05);
  getError(true, 16 * 500);
  EXPECT_LT(getError(false, 1000), 0.003);
}

TEST(NetworkTest, RepeatsItself) {
  std::vector<double> first, again, other;
  learnExclusiveOr(3, 50, &first);
  learnExclusiveOr(3, 50, &again);
  learnExclusiveOr(4, 50, &other);
  EXPECT_EQ(first, again);
  EXPECT_NE(first, other);
}

} // namespace

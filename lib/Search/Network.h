//===- Network.h - a small network that learns -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A fully connected network of two hidden layers of rectified units, for tens of numbers. It uses
/// no function of the standard library that is rounded differently elsewhere, adds in a fixed order
/// and never contracts a product and a sum: equal calls give equal numbers, bit for bit.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_SEARCH_NETWORK_H
#define TSSA_SEARCH_NETWORK_H

#include "tssa/Search/Random.h"
#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <vector>

namespace tssa::search {

/// e^x, right to a few units in the last place. `x` is cut to [-700, 700].
double exactExp(double x);
/// The natural logarithm of a positive, finite `x`, likewise.
double exactLog(double x);
/// A number of the normal distribution, by Marsaglia's polar method.
double drawNormal(Random &random);

struct NetworkShape {
  size_t inputs = 1;
  size_t hidden = 32;
  size_t outputs = 1;
};

class Network {
public:
  /// Draws the weights as He et al. do (arXiv 1502.01852), those of the outputs smaller by
  /// `outputScale`. Offsets are zero.
  Network(const NetworkShape &shape, double outputScale, Random &random);

  /// Returns the outputs for `inputs`, until the next call.
  llvm::ArrayRef<double> forward(llvm::ArrayRef<double> inputs);
  /// Adds the gradient of a loss to that of the weights. `slopes` has the loss's derivative by each
  /// output of the last `forward`.
  void backward(llvm::ArrayRef<double> slopes);
  /// Changes the weights by a step of Adam (D. P. Kingma, J. Ba, arXiv 1412.6980) with the gradient
  /// that was added up, which is zero afterwards.
  void step(double learningRate);

  /// All weights and offsets, and the gradient for each of them.
  llvm::MutableArrayRef<double> getWeights() { return weights; }
  llvm::ArrayRef<double> getGradient() const { return gradient; }

private:
  /// One layer: for each input a row of weights, then a row of offsets, from `first` on.
  struct Layer {
    size_t inputs, outputs, first;
  };

  std::array<Layer, 3> layers;
  std::vector<double> weights, gradient, mean, square;
  /// What goes into each layer, and what comes out of the last.
  std::array<std::vector<double>, 4> values;
  /// The loss's derivative by what goes out of a layer and by what goes into it.
  std::vector<double> slopesOut, slopesIn;
  /// Adam's powers of its two rates of decay.
  double meanDecay = 1, squareDecay = 1;
};

} // namespace tssa::search

#endif // TSSA_SEARCH_NETWORK_H

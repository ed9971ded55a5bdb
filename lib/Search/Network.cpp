//===- Network.cpp - a small network that learns -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Network.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#pragma STDC FP_CONTRACT OFF

using namespace tssa::search;
using llvm::ArrayRef;

static constexpr double lnTwo = 0.69314718055994530942;

double tssa::search::exactExp(double x) {
  x = std::clamp(x, -700.0, 700.0);
  // x = n ln 2 + rest with |rest| < 0.35. The first part of ln 2 has so few digits that its
  // product with n is exact.
  constexpr double lnTwoHigh = 0x1.62e42feep-1, lnTwoLow = 0x1.a39ef35793c76p-33;
  double n = std::floor(x / lnTwo + 0.5);
  double rest = (x - n * lnTwoHigh) - n * lnTwoLow;
  double sum = 1;
  for (int i = 14; i > 0; --i)
    sum = 1 + sum * rest / i;
  return std::ldexp(sum, int(n));
}

double tssa::search::exactLog(double x) {
  int exponent;
  double part = std::frexp(x, &exponent); // in [0.5, 1)
  if (part < 0.70710678118654752) {
    part *= 2;
    --exponent;
  }
  double t = (part - 1) / (part + 1); // ln part = 2 (t + t^3 / 3 + t^5 / 5 + ...), |t| < 0.18
  double sum = 0;
  for (int i = 21; i > 0; i -= 2)
    sum = 1.0 / i + t * t * sum;
  return exponent * lnTwo + 2 * t * sum;
}

double tssa::search::drawNormal(Random &random) {
  while (true) {
    double x = 2 * random.uniform() - 1, y = 2 * random.uniform() - 1;
    double square = x * x + y * y;
    if (square > 0 && square < 1)
      return x * std::sqrt(-2 * exactLog(square) / square);
  }
}

Network::Network(const NetworkShape &shape, double outputScale, Random &random) {
  size_t widths[] = {shape.inputs, shape.hidden, shape.hidden, shape.outputs};
  values[0].resize(shape.inputs);
  for (size_t i = 0; i < layers.size(); ++i) {
    layers[i] = {widths[i], widths[i + 1], weights.size()};
    values[i + 1].resize(widths[i + 1]);
    double bound = std::sqrt(6.0 / double(widths[i])) * (i == 2 ? outputScale : 1);
    for (size_t j = 0; j < widths[i] * widths[i + 1]; ++j)
      weights.push_back(bound * (2 * random.uniform() - 1));
    weights.resize(weights.size() + widths[i + 1]);
  }
  gradient.resize(weights.size());
  mean.resize(weights.size());
  square.resize(weights.size());
}

ArrayRef<double> Network::forward(ArrayRef<double> inputs) {
  assert(inputs.size() == values[0].size() && "another number of inputs");
  std::copy(inputs.begin(), inputs.end(), values[0].begin());
  for (size_t i = 0; i < layers.size(); ++i) {
    const Layer &layer = layers[i];
    const double *row = weights.data() + layer.first;
    const double *offsets = row + layer.inputs * layer.outputs;
    double *out = values[i + 1].data();
    std::copy(offsets, offsets + layer.outputs, out);
    for (double in : values[i]) {
      if (in != 0)
        for (size_t j = 0; j < layer.outputs; ++j)
          out[j] += in * row[j];
      row += layer.outputs;
    }
    if (i != 2)
      for (size_t j = 0; j < layer.outputs; ++j)
        out[j] = out[j] > 0 ? out[j] : 0;
  }
  return values[3];
}

void Network::backward(ArrayRef<double> slopes) {
  assert(slopes.size() == values[3].size() && "another number of outputs");
  slopesOut.assign(slopes.begin(), slopes.end());
  for (size_t i = layers.size(); i-- > 0;) {
    const Layer &layer = layers[i];
    const double *row = weights.data() + layer.first;
    double *sums = gradient.data() + layer.first;
    slopesIn.assign(layer.inputs, 0);
    for (size_t k = 0; k < layer.inputs; ++k, row += layer.outputs, sums += layer.outputs) {
      double in = values[i][k];
      if (in == 0) // A unit at rest does not pass the slope on, and its weights get none.
        continue;
      double slope = 0;
      for (size_t j = 0; j < layer.outputs; ++j)
        sums[j] += in * slopesOut[j];
      for (size_t j = 0; j < layer.outputs && i != 0; ++j)
        slope += row[j] * slopesOut[j];
      slopesIn[k] = slope;
    }
    for (size_t j = 0; j < layer.outputs; ++j)
      sums[j] += slopesOut[j];
    std::swap(slopesOut, slopesIn);
  }
}

void Network::step(double learningRate) {
  constexpr double meanRate = 0.9, squareRate = 0.999, least = 1e-8;
  meanDecay *= meanRate;
  squareDecay *= squareRate;
  double rate = learningRate * std::sqrt(1 - squareDecay) / (1 - meanDecay);
  for (size_t i = 0; i < weights.size(); ++i) {
    double slope = gradient[i];
    mean[i] = meanRate * mean[i] + (1 - meanRate) * slope;
    square[i] = squareRate * square[i] + (1 - squareRate) * slope * slope;
    weights[i] -= rate * mean[i] / (std::sqrt(square[i]) + least);
    gradient[i] = 0;
  }
}

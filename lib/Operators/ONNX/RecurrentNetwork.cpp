//===- RecurrentNetwork.cpp - inputs and attributes of LSTM, GRU and RNN -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/ONNX/Recurrent.h"

using namespace mlir;

namespace tssa::operators {

namespace {
/// An activation function of ONNX's specification, with the defaults of its parameters.
struct NamedActivation {
  const char *name;
  double alpha, beta;
  Scalar (*fn)(const Scalar &x, double alpha, double beta);
  bool hasAlpha = false, hasBeta = false;
};
} // namespace

static const NamedActivation knownActivations[] = {
    {"Relu", 0, 0, [](const Scalar &x, double, double) { return atLeast(x, 0.0); }},
    {"Tanh", 0, 0, [](const Scalar &x, double, double) { return tanh(x); }},
    {"Sigmoid", 0, 0, [](const Scalar &x, double, double) { return sigmoid(x); }},
    {"Affine", 1, 0, [](const Scalar &x, double a, double b) { return a * x + b; }, true, true},
    {"LeakyRelu", 0.01, 0,
     [](const Scalar &x, double a, double) { return select(x < 0.0, a * x, x); }, true},
    {"ThresholdedRelu", 1, 0,
     [](const Scalar &x, double a, double) { return select(x >= a, x, 0.0); }, true},
    {"ScaledTanh", 1, 1, [](const Scalar &x, double a, double b) { return a * tanh(b * x); }, true,
     true},
    {"HardSigmoid", 0.2, 0.5,
     [](const Scalar &x, double a, double b) { return atMost(atLeast(a * x + b, 0.0), 1.0); }, true,
     true},
    {"Elu", 1, 0,
     [](const Scalar &x, double a, double) { return select(x < 0.0, a * (exp(x) - 1.0), x); },
     true},
    {"Softsign", 0, 0, [](const Scalar &x, double, double) { return x / (1.0 + abs(x)); }},
    {"Softplus", 0, 0, [](const Scalar &x, double, double) { return softplus(x); }},
};

/// Removes the first number of a list and returns it; returns `otherwise` if the list is empty.
static double takeNext(ArrayRef<double> &numbers, double otherwise) {
  if (numbers.empty())
    return otherwise;
  double number = numbers.front();
  numbers = numbers.drop_front();
  return number;
}

static FailureOr<std::vector<ActivationFn>> getActivations(Builder &builder, const Node &node,
                                                           ArrayRef<StringRef> defaults,
                                                           int64_t numDirections) {
  SmallVector<std::string> names = node.getStrings("activations");
  size_t count = defaults.size() * numDirections;
  if (names.empty())
    for (size_t i = 0; i < count; ++i)
      names.push_back(defaults[i % defaults.size()].str());
  if (names.size() != count)
    return builder.error("expected " + Twine(count) + " activations, got " + Twine(names.size()));
  SmallVector<double> alphaList = node.getFloats("activation_alpha");
  SmallVector<double> betaList = node.getFloats("activation_beta");
  ArrayRef<double> alphas = alphaList, betas = betaList;
  std::vector<ActivationFn> result;
  for (const std::string &name : names) {
    const auto *known = llvm::find_if(knownActivations, [&](const NamedActivation &activation) {
      return StringRef(activation.name).equals_insensitive(name);
    });
    if (known == std::end(knownActivations))
      return builder.error("unknown activation \"" + name + "\"");
    double alpha = known->hasAlpha ? takeNext(alphas, known->alpha) : 0;
    double beta = known->hasBeta ? takeNext(betas, known->beta) : 0;
    result.push_back([fn = known->fn, alpha, beta](const Scalar &x) { return fn(x, alpha, beta); });
  }
  return result;
}

static LogicalResult requireShape(Builder &builder, const Tensor &tensor, ArrayRef<Size> shape,
                                  StringRef what) {
  if (!tensor)
    return success();
  if (tensor.rank() != static_cast<int64_t>(shape.size()))
    return builder.error("expected " + what + " of rank " + Twine(shape.size()) + ", got " +
                         tensor.str());
  for (auto [given, expected] : llvm::zip_equal(tensor.shape(), shape))
    if (failed(builder.requireEqual(given, expected, "sizes of " + what)))
      return failure();
  return success();
}

static LogicalResult checkShapes(Builder &builder, const Node &node, const Network &network) {
  Size directions = network.numDirections, rows = network.hidden * network.numGates;
  SmallVector<Size> state = {directions, network.batch, network.hidden};
  if (network.isBatchFirst)
    std::swap(state[0], state[1]);
  bool hasCell = node.op == "LSTM";
  return failure(
      failed(requireShape(builder, network.weights, {directions, rows, network.inputs}, "W")) ||
      failed(requireShape(builder, network.recurrence, {directions, rows, network.hidden}, "R")) ||
      failed(requireShape(builder, network.bias, {directions, rows * 2}, "B")) ||
      failed(requireShape(builder, network.lengths, network.batch, "sequence_lens")) ||
      failed(requireShape(builder, node.input(5), state, "initial_h")) ||
      (hasCell &&
       (failed(requireShape(builder, node.input(6), state, "initial_c")) ||
        failed(requireShape(builder, node.input(7), {directions, network.hidden * 3}, "P")))));
}

FailureOr<Network> getNetwork(Builder &builder, const Node &node, int64_t numGates,
                              ArrayRef<StringRef> defaults) {
  Network network;
  network.x = node.inputs[0];
  network.weights = node.inputs[1];
  network.recurrence = node.inputs[2];
  network.bias = node.input(3);
  network.lengths = node.input(4);
  network.numGates = numGates;
  if (network.x.rank() != 3 || network.weights.rank() != 3 || network.recurrence.rank() != 3)
    return builder.error("expected X, W and R of rank 3, got " + Twine(network.x.str()) + ", " +
                         network.weights.str() + " and " + network.recurrence.str());
  StringRef direction = node.getString("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    return builder.error("unknown 'direction' \"" + direction + "\"");
  network.numDirections = direction == "bidirectional" ? 2 : 1;
  network.isBatchFirst = node.getInt("layout", 0) != 0;
  network.steps = network.x.dim(network.isBatchFirst ? 1 : 0);
  network.batch = network.x.dim(network.isBatchFirst ? 0 : 1);
  network.inputs = network.x.dim(2);
  network.hidden = network.recurrence.dim(2);
  if (failed(checkShapes(builder, node, network)))
    return failure();
  if (node.has("clip"))
    network.clip = node.getFloat("clip", 0);
  FailureOr<std::vector<ActivationFn>> activations =
      getActivations(builder, node, defaults, network.numDirections);
  if (failed(activations))
    return failure();
  network.activations = *activations;
  return network;
}

} // namespace tssa::operators

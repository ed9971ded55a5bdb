//===- RecurrentCells.cpp - one step of LSTM, GRU and RNN -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "lib/Operators/ONNX/Recurrent.h"

using namespace mlir;

namespace tssa::operators {

static SmallVector<Size> getStateShape(const Network &network) {
  return {network.batch, network.hidden};
}

/// Returns the row of the weights for unit `unit` of gate `gate`.
static AffineExpr getRow(Body &body, const Network &network, int64_t gate, AffineExpr unit) {
  return unit + body.size(network.hidden * gate);
}

/// Returns all gates before their activations: the sums of input and recurrent products.
static FailureOr<Tensor> getGates(Builder &builder, const Step &step, const Tensor &state,
                                  int64_t numGates) {
  return multiplyState(
      builder, step, state, 0, step.network.hidden * numGates,
      [&](Body &body, Scalar total) { return total + step.input(body, body.dim(0), body.dim(1)); });
}

/// Builds a step of an LSTM. Gates are i, o, f, c; states are h, c.
static FailureOr<Tensors> stepLSTM(Builder &builder, const Step &step, const Tensors &states,
                                   const Tensor &peepholes, bool couplesForget) {
  const Network &network = step.network;
  FailureOr<Tensor> gates = getGates(builder, step, states[0], 4);
  if (failed(gates))
    return failure();
  DType type = network.type();
  return builder.compute({type, type}, getStateShape(network), [&](Body &body) {
    AffineExpr b = body.dim(0), unit = body.dim(1), d = body.constantExpr(step.direction);
    Scalar lastHidden = readScalar(body, states[0], {b, unit});
    Scalar lastCell = readScalar(body, states[1], {b, unit});
    auto gate = [&](int64_t number) {
      return readScalar(body, *gates, {b, getRow(body, network, number, unit)});
    };
    auto peep = [&](int64_t number, Scalar x, Scalar cell) {
      if (!peepholes)
        return x;
      AffineExpr at[] = {d, getRow(body, network, number, unit)};
      return x + readScalar(body, peepholes, at) * cell;
    };
    const ActivationFn &f = step.activations[0], &g = step.activations[1], &h = step.activations[2];
    Scalar input = f(network.clipped(peep(0, gate(0), lastCell)));
    Scalar forget = couplesForget ? 1.0 - input : f(network.clipped(peep(2, gate(2), lastCell)));
    Scalar cell = forget * lastCell + input * g(network.clipped(gate(3)));
    Scalar output = f(network.clipped(peep(1, gate(1), cell)));
    Scalar hidden = output * h(cell);
    return SmallVector<Value>{toElement(body, step.keep(body, b, hidden, lastHidden), type),
                              toElement(body, step.keep(body, b, cell, lastCell), type)};
  });
}

FailureOr<Tensors> buildLSTM(Builder &builder, const Node &node, WeightScalings scalings) {
  FailureOr<Network> network = getNetwork(builder, node, 4, {"Sigmoid", "Tanh", "Tanh"});
  if (failed(network))
    return failure();
  network->scalings = scalings;
  bool couplesForget = node.getInt("input_forget", 0) != 0;
  return runNetwork(builder, node, *network, {node.input(5), node.input(6)},
                    /*addsRecurrentBias=*/true,
                    [&](Builder &, const Step &step, const Tensors &states) {
                      return stepLSTM(builder, step, states, node.input(7), couplesForget);
                    });
}

/// Adds the bias of the recurrent product of a gate.
static Scalar addRecurrentBias(Body &body, const Step &step, int64_t gate, AffineExpr unit,
                               Scalar x) {
  const Network &network = step.network;
  if (!network.bias)
    return x;
  AffineExpr row = getRow(body, network, network.numGates + gate, unit);
  return x + readScalar(body, network.bias, {body.constantExpr(step.direction), row});
}

/// Returns (1 - z) * candidate + z * last.
static Value blend(Body &body, const Step &step, AffineExpr b, const Scalar &z,
                   const Scalar &candidate, const Scalar &last) {
  Scalar next = (1.0 - z) * candidate + z * last;
  return toElement(body, step.keep(body, b, next, last), step.network.type());
}

/// Builds a step of a GRU with gates z, r, h. The reset gate r scales the recurrent product.
static FailureOr<Tensor> stepResetAfter(Builder &builder, const Step &step, const Tensor &state) {
  const Network &network = step.network;
  FailureOr<Tensor> products = multiplyState(builder, step, state, 0, network.hidden * 3);
  if (failed(products))
    return failure();
  return builder.compute(network.type(), getStateShape(network), [&](Body &body) {
    AffineExpr b = body.dim(0), unit = body.dim(1);
    auto input = [&](int64_t gate) {
      return step.input(body, b, getRow(body, network, gate, unit));
    };
    auto product = [&](int64_t gate) {
      AffineExpr at[] = {b, getRow(body, network, gate, unit)};
      return addRecurrentBias(body, step, gate, unit, readScalar(body, *products, at));
    };
    const ActivationFn &f = step.activations[0], &g = step.activations[1];
    Scalar z = f(network.clipped(input(0) + product(0)));
    Scalar r = f(network.clipped(input(1) + product(1)));
    Scalar candidate = g(network.clipped(input(2) + r * product(2)));
    return blend(body, step, b, z, candidate, readScalar(body, state, {b, unit}));
  });
}

/// Builds a step of a GRU whose reset gate scales the state before the recurrent product.
static FailureOr<Tensor> stepResetBefore(Builder &builder, const Step &step, const Tensor &state) {
  const Network &network = step.network;
  SmallVector<Size> shape = getStateShape(network);
  FailureOr<Tensor> gates = getGates(builder, step, state, 2);
  if (failed(gates))
    return failure();
  const ActivationFn &f = step.activations[0], &g = step.activations[1];
  auto gate = [&](Body &body, int64_t number) {
    AffineExpr at[] = {body.dim(0), getRow(body, network, number, body.dim(1))};
    return f(network.clipped(readScalar(body, *gates, at)));
  };
  FailureOr<Tensor> reset = builder.compute(network.wide(), shape, [&](Body &body) {
    Scalar last = readScalar(body, state, body.dims(0, 2));
    return toElement(body, gate(body, 1) * last, network.wide());
  });
  if (failed(reset))
    return failure();
  FailureOr<Tensor> candidate = multiplyState(
      builder, step, *reset, network.hidden * 2, network.hidden, [&](Body &body, Scalar total) {
        AffineExpr row = getRow(body, network, 2, body.dim(1));
        Scalar input = step.input(body, body.dim(0), row);
        return g(network.clipped(total + input));
      });
  if (failed(candidate))
    return failure();
  return builder.compute(network.type(), shape, [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, 2);
    return blend(body, step, at[0], gate(body, 0), readScalar(body, *candidate, at),
                 readScalar(body, state, at));
  });
}

static FailureOr<Tensors> buildGRU(Builder &builder, const Node &node) {
  FailureOr<Network> network = getNetwork(builder, node, 3, {"Sigmoid", "Tanh"});
  if (failed(network))
    return failure();
  bool resetsAfter = node.getInt("linear_before_reset", 0) != 0;
  return runNetwork(builder, node, *network, node.input(5), /*addsRecurrentBias=*/!resetsAfter,
                    [&](Builder &, const Step &step, const Tensors &states) {
                      return single(resetsAfter ? stepResetAfter(builder, step, states[0])
                                                : stepResetBefore(builder, step, states[0]));
                    });
}

static FailureOr<Tensors> stepRNN(Builder &builder, const Step &step, const Tensors &states) {
  const Network &network = step.network;
  FailureOr<Tensor> gates = getGates(builder, step, states[0], 1);
  if (failed(gates))
    return failure();
  return single(builder.compute(network.type(), getStateShape(network), [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, 2);
    Scalar next = step.activations[0](network.clipped(readScalar(body, *gates, at)));
    next = step.keep(body, at[0], next, readScalar(body, states[0], at));
    return toElement(body, next, network.type());
  }));
}

static FailureOr<Tensors> buildRNN(Builder &builder, const Node &node) {
  FailureOr<Network> network = getNetwork(builder, node, 1, {"Tanh"});
  if (failed(network))
    return failure();
  return runNetwork(builder, node, *network, node.input(5), /*addsRecurrentBias=*/true, stepRNN);
}

OperatorRows getRecurrentRows() {
  return {
      {"LSTM", Versions{7}, bindBack(buildLSTM, WeightScalings())},
      {"GRU", Versions{7}, buildGRU},
      {"RNN", Versions{7}, buildRNN},
  };
}

} // namespace tssa::operators

//===- Recurrent.cpp - the loop of LSTM, GRU and RNN -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/ONNX/Recurrent.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tssa/Builder/Indexing.h"

using namespace mlir;

namespace tssa::operators {

Scalar Network::clipped(const Scalar &x) const {
  return clip ? atMost(atLeast(x, -*clip), *clip) : x;
}

namespace {
/// The time step that an iteration of the loop computes.
struct Clock {
  const Network &network;
  Size step;
  bool isReverse;

  Scalar length(Body &body, AffineExpr b) const {
    return convert(readScalar(body, network.lengths, b), body.ops.getI64Type());
  }
  Scalar isRunning(Body &body, AffineExpr b) const {
    return sizeScalar(body, step) < length(body, b);
  }
  /// Returns the position of this time step in the sequence of sample `b`. A reversed sequence is
  /// reversed within its own length.
  AffineExpr at(Body &body, AffineExpr b) const {
    if (!isReverse)
      return body.size(step);
    if (!network.lengths)
      return body.size(network.steps - 1 - step);
    Scalar now = sizeScalar(body, step), end = length(body, b);
    return body.opaque(toIndex(select(now < end, end - 1.0 - now, now)));
  }
};
} // namespace

/// Returns x times the input weights, plus biases: [steps, batch, gates * hidden].
static FailureOr<Tensor> projectInputs(Builder &builder, const Network &network, int64_t direction,
                                       bool addsRecurrentBias) {
  Size rows = network.hidden * network.numGates;
  SmallVector<Size> shape = {network.steps, network.batch, rows};
  ReducedDims reduced(3);
  unsigned slot = reduced.add(network.inputs);
  auto term = [&](Body &body) {
    AffineExpr t = body.dim(0), b = body.dim(1), i = reduced.expr(body, slot);
    SmallVector<AffineExpr> at = {t, b, i};
    if (network.isBatchFirst)
      std::swap(at[0], at[1]);
    return readScalar(body, network.x, at) *
           readScalar(body, network.weights, {body.constantExpr(direction), body.dim(2), i});
  };
  auto epilogue = [&](Body &body, Scalar total) {
    AffineExpr d = body.constantExpr(direction), row = body.dim(2);
    total = total + readScalar(body, network.bias, {d, row});
    return addsRecurrentBias ? total + readScalar(body, network.bias, {d, row + body.size(rows)})
                             : total;
  };
  return sum(builder, network.wide(), network.wide(), shape, reduced, term,
             network.bias ? EpilogueFn(epilogue) : EpilogueFn());
}

FailureOr<Tensor> multiplyState(Builder &builder, const Step &step, const Tensor &state,
                                const Size &begin, const Size &count, EpilogueFn epilogue) {
  const Network &network = step.network;
  SmallVector<Size> shape = {network.batch, count};
  ReducedDims reduced(2);
  unsigned slot = reduced.add(network.hidden);
  auto term = [&](Body &body) {
    AffineExpr k = reduced.expr(body, slot), row = body.dim(1) + body.size(begin);
    return readScalar(body, state, {body.dim(0), k}) *
           readScalar(body, network.recurrence, {body.constantExpr(step.direction), row, k});
  };
  return sum(builder, network.wide(), network.wide(), shape, reduced, term, epilogue);
}

/// Writes the new hidden state to Y, and 0 after the end of a sequence.
static FailureOr<Tensor> writeOutput(Builder &builder, const Network &network, const Clock &clock,
                                     int64_t direction, const Tensor &output,
                                     const Tensor &hidden) {
  SmallVector<Size> domain = {network.batch, network.hidden};
  return builder.update(output, domain, [&](Body &body) {
    AffineExpr b = body.dim(0), unit = body.dim(1);
    Scalar value = toScalar(body, body.read(hidden, {b, unit}), network.type());
    if (network.lengths)
      value = select(clock.isRunning(body, b), value, 0.0);
    AffineExpr t = clock.at(body, b), d = body.constantExpr(direction);
    SmallVector<AffineExpr> target = {t, d, b, unit};
    if (network.isBatchFirst)
      target = {b, t, d, unit};
    return Builder::Write{value.getValue(), target, {}};
  });
}

/// Returns an initial state, [batch, hidden]; zeros if it is not given.
static FailureOr<Tensor> getInitialState(Builder &builder, const Network &network,
                                         const Tensor &given, int64_t direction) {
  SmallVector<Size> shape = {network.batch, network.hidden};
  if (!given)
    return builder.fill(network.type(), shape, 0);
  return builder.compute(network.type(), shape, [&](Body &body) {
    SmallVector<AffineExpr> at = {body.constantExpr(direction), body.dim(0), body.dim(1)};
    if (network.isBatchFirst)
      std::swap(at[0], at[1]);
    return body.read(given, at);
  });
}

/// Builds the loop over time of one direction. `carried` has the initial value of Y, if Y is used,
/// and the initial states. Returns the same tensors after the last step.
static FailureOr<Tensors> runDirection(Builder &builder, const Network &network, Step &step,
                                       bool isReverse, const Tensor &projection, bool hasOutput,
                                       Tensors carried, StepFn advance) {
  OpBuilder &ops = builder.ops;
  OpBuilder::InsertionGuard guard(ops);
  SmallVector<Value> initial;
  for (const Tensor &tensor : carried)
    initial.push_back(builder.value(tensor));
  for (const Tensor &tensor : {projection, network.recurrence, network.bias, network.lengths})
    if (tensor)
      builder.value(tensor); // builds the value outside the loop
  Value zero = builder.materializeValue(0), one = builder.materializeValue(1);
  auto loop = scf::ForOp::create(ops, builder.loc(), zero, builder.materializeValue(network.steps),
                                 one, initial);
  auto wrap = [&](ValueRange values) {
    Tensors tensors;
    for (auto [value, like] : llvm::zip_equal(values, carried))
      tensors.push_back(builder.wrap(value, like.dtype(), like.shape()));
    return tensors;
  };
  ops.setInsertionPointToStart(loop.getBody());
  Tensors states = wrap(loop.getRegionIterArgs()), results;
  Clock clock{network, builder.sizes.get(loop.getInductionVar(), /*nonNegative=*/true), isReverse};
  step.input = [&](Body &body, AffineExpr b, AffineExpr row) {
    return readScalar(body, projection, {clock.at(body, b), b, row});
  };
  step.keep = [&](Body &body, AffineExpr b, Scalar next, Scalar last) {
    return network.lengths ? select(clock.isRunning(body, b), next, last) : next;
  };
  Tensors last(states.begin() + hasOutput, states.end());
  FailureOr<Tensors> next = advance(builder, step, last);
  if (failed(next))
    return failure();
  if (hasOutput) {
    FailureOr<Tensor> output =
        writeOutput(builder, network, clock, step.direction, states.front(), next->front());
    if (failed(output))
      return failure();
    results.push_back(*output);
  }
  results.append(next->begin(), next->end());
  SmallVector<Value> yielded;
  for (const Tensor &tensor : results)
    yielded.push_back(builder.value(tensor));
  scf::YieldOp::create(ops, builder.loc(), yielded);
  return wrap(loop.getResults());
}

/// Returns the last states of all directions: [directions, batch, hidden] or, if the batch comes
/// first, [batch, directions, hidden].
static FailureOr<Tensor> stackStates(Builder &builder, const Network &network,
                                     ArrayRef<Tensor> states) {
  SmallVector<Size> shape = {Size(network.numDirections), network.batch, network.hidden};
  if (network.isBatchFirst)
    std::swap(shape[0], shape[1]);
  return builder.compute(network.type(), shape, [&](Body &body) {
    AffineExpr direction = body.dim(network.isBatchFirst ? 1 : 0);
    AffineExpr at[] = {body.dim(network.isBatchFirst ? 0 : 1), body.dim(2)};
    Scalar result = toScalar(body, body.read(states[0], at), network.type());
    if (states.size() == 1)
      return result.getValue();
    Scalar second = toScalar(body, body.read(states[1], at), network.type());
    Scalar isSecond = toScalar(body, body.inside(direction - 1), DType::Bool);
    return select(isSecond, second, result).getValue();
  });
}

FailureOr<Tensors> runNetwork(Builder &builder, const Node &node, const Network &network,
                              ArrayRef<Tensor> initial, bool addsRecurrentBias, StepFn step) {
  bool hasOutput = node.hasOutput(0);
  Tensors outputs(1 + initial.size());
  if (hasOutput) {
    SmallVector<Size> shape = {network.steps, network.numDirections, network.batch, network.hidden};
    if (network.isBatchFirst)
      shape = {network.batch, network.steps, network.numDirections, network.hidden};
    FailureOr<Tensor> empty = builder.fill(network.type(), shape, 0);
    if (failed(empty))
      return failure();
    outputs[0] = *empty;
  }
  SmallVector<Tensors> lastStates(initial.size());
  bool startsReverse = node.getString("direction", "forward") == "reverse";
  size_t perDirection = network.activations.size() / network.numDirections;
  for (int64_t direction = 0; direction < network.numDirections; ++direction) {
    FailureOr<Tensor> projection = projectInputs(builder, network, direction, addsRecurrentBias);
    if (failed(projection))
      return failure();
    Tensors carried;
    if (hasOutput)
      carried.push_back(outputs[0]);
    for (const Tensor &given : initial) {
      FailureOr<Tensor> state = getInitialState(builder, network, given, direction);
      if (failed(state))
        return failure();
      carried.push_back(*state);
    }
    Step context{network, direction,
                 ArrayRef(network.activations).slice(direction * perDirection, perDirection),
                 nullptr, nullptr};
    FailureOr<Tensors> results =
        runDirection(builder, network, context, startsReverse || direction == 1, *projection,
                     hasOutput, carried, step);
    if (failed(results))
      return failure();
    if (hasOutput)
      outputs[0] = results->front();
    for (size_t i = 0; i < initial.size(); ++i)
      lastStates[i].push_back((*results)[hasOutput + i]);
  }
  for (size_t i = 0; i < initial.size(); ++i) {
    FailureOr<Tensor> stacked = stackStates(builder, network, lastStates[i]);
    if (failed(stacked))
      return failure();
    outputs[1 + i] = *stacked;
  }
  return outputs;
}

} // namespace tssa::operators

//===- Recurrent.cpp - the loop of LSTM, GRU and RNN -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/ONNX/Recurrent.h"
#include "lib/Operators/ONNX/Quantization.h"
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

namespace {
/// A product of rows of `x` and rows of the weights of one direction.
struct Product {
  const Network &network;
  const Tensor &x, &weights;
  const WeightScaling &scaling;
  int64_t direction;
  Size depth;
  /// Returns where `x` has term `k` of the element of the result at `body`.
  llvm::function_ref<SmallVector<AffineExpr>(Body &body, AffineExpr k)> at;
  /// Returns the row of the weights for the element of the result at `body`.
  llvm::function_ref<AffineExpr(Body &body)> row;
};
} // namespace

/// Reads a scale or zero point of row `row` of the weights.
static Scalar readScaling(Body &body, const Tensor &parameter, int64_t direction, AffineExpr row) {
  SmallVector<AffineExpr> at = {body.constantExpr(direction), row};
  at.resize(parameter.rank());
  return readScalar(body, parameter, at);
}

static FailureOr<Tensor> multiplyQuantized(Builder &builder, const Product &product,
                                           ArrayRef<Size> shape, EpilogueFn epilogue) {
  FailureOr<Quantized> x = quantizeByRange(builder, product.x);
  if (failed(x))
    return failure();
  int64_t direction = product.direction;
  ReducedDims reduced(shape.size());
  unsigned slot = reduced.add(product.depth);
  auto term = [&](Body &body) {
    Type wide = body.ops.getI32Type();
    AffineExpr k = reduced.expr(body, slot), row = product.row(body);
    Scalar left = convert(readScalar(body, x->elements, product.at(body, k)), wide) -
                  convert(readScalar(body, x->zero, ArrayRef<AffineExpr>()), wide);
    AffineExpr at[] = {body.constantExpr(direction), row, k};
    return left * (convert(readScalar(body, product.weights, at), wide) -
                   convert(readScaling(body, product.scaling.zero, direction, row), wide));
  };
  auto scaled = [&](Body &body, Scalar total) {
    Scalar factor = readScalar(body, x->scale, ArrayRef<AffineExpr>()) *
                    readScaling(body, product.scaling.scale, direction, product.row(body));
    Scalar real = convert(total, factor.getType()) * factor;
    return epilogue ? epilogue(body, real) : real;
  };
  return sum(builder, DType::I32, DType::F32, shape, reduced, term, scaled);
}

static FailureOr<Tensor> multiply(Builder &builder, const Product &product, ArrayRef<Size> shape,
                                  EpilogueFn epilogue) {
  if (product.scaling.scale)
    return multiplyQuantized(builder, product, shape, epilogue);
  ReducedDims reduced(shape.size());
  unsigned slot = reduced.add(product.depth);
  auto term = [&](Body &body) {
    AffineExpr k = reduced.expr(body, slot);
    AffineExpr at[] = {body.constantExpr(product.direction), product.row(body), k};
    return readScalar(body, product.x, product.at(body, k)) * readScalar(body, product.weights, at);
  };
  DType wide = product.network.wide();
  return sum(builder, wide, wide, shape, reduced, term, epilogue);
}

/// Returns x times the input weights, plus biases: [steps, batch, gates * hidden].
static FailureOr<Tensor> projectInputs(Builder &builder, const Network &network, int64_t direction,
                                       bool addsRecurrentBias) {
  Size rows = network.hidden * network.numGates;
  SmallVector<Size> shape = {network.steps, network.batch, rows};
  auto at = [&](Body &body, AffineExpr k) {
    SmallVector<AffineExpr> position = {body.dim(0), body.dim(1), k};
    if (network.isBatchFirst)
      std::swap(position[0], position[1]);
    return position;
  };
  auto epilogue = [&](Body &body, Scalar total) {
    AffineExpr d = body.constantExpr(direction), row = body.dim(2);
    total = total + readScalar(body, network.bias, {d, row});
    return addsRecurrentBias ? total + readScalar(body, network.bias, {d, row + body.size(rows)})
                             : total;
  };
  auto row = [](Body &body) { return body.dim(2); };
  Product product{
      network, network.x, network.weights, network.scalings.weights, direction, network.inputs,
      at,      row};
  return multiply(builder, product, shape, network.bias ? EpilogueFn(epilogue) : EpilogueFn());
}

FailureOr<Tensor> multiplyState(Builder &builder, const Step &step, const Tensor &state,
                                const Size &begin, const Size &count, EpilogueFn epilogue) {
  const Network &network = step.network;
  SmallVector<Size> shape = {network.batch, count};
  auto at = [](Body &body, AffineExpr k) { return SmallVector<AffineExpr>{body.dim(0), k}; };
  auto row = [&](Body &body) { return body.dim(1) + body.size(begin); };
  Product product{network,
                  state,
                  network.recurrence,
                  network.scalings.recurrence,
                  step.direction,
                  network.hidden,
                  at,
                  row};
  return multiply(builder, product, shape, epilogue);
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
  const WeightScaling &scaling = network.scalings.recurrence;
  for (const Tensor &tensor :
       {projection, network.recurrence, network.bias, network.lengths, scaling.scale, scaling.zero})
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

//===- Training.cpp - steps of optimisers -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The inputs are the learning rate and the number of steps so far; then, for any number of
/// weights, all weights, all gradients, and all tensors of each state. The results are the new
/// weights and states.
///
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "tssa/Builder/BodyScalar.h"

using namespace mlir;

namespace tssa::operators {

namespace {
/// The inputs of a step for one element. `rate` and `step` have the element's type.
struct StepInputs {
  Scalar rate, step, weight, gradient;
  ArrayRef<Scalar> states;
};
/// Returns the new weight and the new states of an element.
using StepFn = std::function<SmallVector<Scalar>(const StepInputs &)>;
} // namespace

static FailureOr<Tensors> buildSteps(Builder &builder, const Node &node, size_t numStates,
                                     const StepFn &step) {
  const Tensors &in = node.inputs;
  size_t numLists = 2 + numStates, count = (in.size() - 2) / numLists;
  if (in.size() < 2 || (in.size() - 2) % numLists != 0)
    return builder.error("expected two inputs and " + Twine(numLists) + " for each tensor, got " +
                         Twine(in.size()));
  for (const Tensor &tensor : ArrayRef(in).take_front(2))
    if (!tensor.numElements().isConstant(1))
      return builder.error("expected a rate and a step of one element, got " + tensor.str());
  Tensors results((1 + numStates) * count);
  for (size_t i = 0; i < count; ++i) {
    const Tensor &weight = in[2 + i];
    DType type = weight.dtype();
    for (size_t list = 1; list < numLists; ++list) {
      const Tensor &other = in[2 + list * count + i];
      if (other.rank() != weight.rank() || other.dtype() != type)
        return builder.error("expected tensors of one type, got " + weight.str() + " and " +
                             other.str());
      for (auto [a, b] : llvm::zip_equal(weight.shape(), other.shape()))
        if (failed(builder.requireEqual(a, b, "sizes of a weight and its gradient or state")))
          return failure();
    }
    FailureOr<Tensors> made =
        builder.compute(SmallVector<DType>(1 + numStates, type), weight.shape(), [&](Body &body) {
          SmallVector<AffineExpr> at = body.dims(0, weight.rank());
          auto readOne = [&](const Tensor &tensor) {
            SmallVector<AffineExpr> zeros(tensor.rank(), body.constantExpr(0));
            return convert(readScalar(body, tensor, zeros),
                           getElementType(builder.context(), getAccumulator(type)));
          };
          SmallVector<Scalar> states;
          for (size_t list = 2; list < numLists; ++list)
            states.push_back(readScalar(body, in[2 + list * count + i], at));
          SmallVector<Value> values;
          for (const Scalar &value :
               step({readOne(in[0]), readOne(in[1]), readScalar(body, weight, at),
                     readScalar(body, in[2 + count + i], at), states}))
            values.push_back(toElement(body, value, type));
          return values;
        });
    if (failed(made))
      return failure();
    for (auto [list, tensor] : llvm::enumerate(*made))
      results[list * count + i] = tensor;
  }
  return results;
}

static FailureOr<Tensors> buildMomentum(Builder &builder, const Node &node) {
  double alpha = node.getFloat("alpha", 0), beta = node.getFloat("beta", 0),
         decay = node.getFloat("norm_coefficient", 0);
  StringRef mode = node.getString("mode", "");
  if (mode != "standard" && mode != "nesterov")
    return builder.error("expected standard or nesterov as 'mode', got '" + mode + "'");
  bool isNesterov = mode == "nesterov";
  return buildSteps(builder, node, 1, [=](const StepInputs &in) -> SmallVector<Scalar> {
    Scalar gradient = decay * in.weight + in.gradient;
    Scalar share = select(in.step > 0.0, in.step.constant(beta), 1.0);
    Scalar velocity = alpha * in.states[0] + share * gradient;
    Scalar change = isNesterov ? gradient + alpha * velocity : velocity;
    return {in.weight - in.rate * change, velocity};
  });
}

static FailureOr<Tensors> buildAdagrad(Builder &builder, const Node &node) {
  double rateDecay = node.getFloat("decay_factor", 0), epsilon = node.getFloat("epsilon", 1e-6),
         decay = node.getFloat("norm_coefficient", 0);
  return buildSteps(builder, node, 1, [=](const StepInputs &in) -> SmallVector<Scalar> {
    Scalar rate = in.rate / (1.0 + in.step * rateDecay);
    Scalar gradient = decay * in.weight + in.gradient;
    Scalar squares = in.states[0] + gradient * gradient;
    return {in.weight - rate * gradient / (sqrt(squares) + epsilon), squares};
  });
}

static FailureOr<Tensors> buildAdam(Builder &builder, const Node &node) {
  double alpha = node.getFloat("alpha", 0.9), beta = node.getFloat("beta", 0.999),
         epsilon = node.getFloat("epsilon", 1e-6), decay = node.getFloat("norm_coefficient", 0),
         lastDecay = node.getFloat("norm_coefficient_post", 0);
  return buildSteps(builder, node, 2, [=](const StepInputs &in) -> SmallVector<Scalar> {
    Scalar gradient = decay * in.weight + in.gradient;
    Scalar mean = alpha * in.states[0] + (1 - alpha) * gradient;
    Scalar squares = beta * in.states[1] + (1 - beta) * (gradient * gradient);
    auto remaining = [&](double base) { return 1.0 - power(in.step.constant(base), in.step); };
    Scalar corrected = in.rate * sqrt(remaining(beta)) / remaining(alpha);
    Scalar rate = select(in.step > 0.0, corrected, in.rate);
    Scalar weight = in.weight - rate * mean / (sqrt(squares) + epsilon);
    return {(1 - lastDecay) * weight, mean, squares};
  });
}

OperatorRows getTrainingRows() {
  return {
      {"Momentum", buildMomentum},
      {"Adagrad", buildAdagrad},
      {"Adam", buildAdam},
  };
}

} // namespace tssa::operators

//===- Activations.cpp - fused activation functions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Operators/Activations.h"
#include "lib/Operators/Families.h"
#include "lib/Operators/ONNX/Elementwise.h"
#include "tssa/Builder/BodyScalar.h"

using namespace mlir;

namespace tssa::operators {

/// Returns a body that applies `fn` to the sum of all operands.
template <Scalar (*fn)(Scalar)> static ScalarBody ofSum(const Node &) {
  return [](ArrayRef<Scalar> x) {
    Scalar sum = x.front();
    for (const Scalar &operand : x.drop_front())
      sum = sum + operand;
    return fn(sum);
  };
}

static Scalar identity(Scalar x) { return x; }

static ScalarBody quickGelu(const Node &node) {
  double alpha = node.getFloat("alpha", 1.702);
  return [=](ArrayRef<Scalar> x) { return x[0] * sigmoid(alpha * x[0]); };
}

/// Adds a bias to x along its last dim, which has size 2 n. Builds x[..., :n] * gelu(x[..., n:]) of
/// the sum.
static FailureOr<Tensors> buildBiasSplitGelu(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0], &bias = node.inputs[1];
  if (x.rank() < 1 || bias.rank() != 1)
    return builder.error("expected a bias of rank 1, got " + Twine(bias.str()));
  if (failed(builder.requireEqual(x.shape().back(), bias.dim(0), "the bias and the last dim")))
    return failure();
  std::optional<Size> half = x.shape().back().divideExactly(2);
  if (!half)
    return builder.unsupported("a last dim that is not known to be even: " + x.str());
  SmallVector<Size> shape(x.shape());
  shape.back() = *half;
  return single(builder.compute(x.dtype(), shape, [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, x.rank());
    Scalar left = readScalar(body, x, at) + readScalar(body, bias, at.back());
    at.back() = at.back() + body.size(*half);
    Scalar right = readScalar(body, x, at) + readScalar(body, bias, at.back());
    return toElement(body, left * gelu(right), x.dtype());
  }));
}

/// Returns a function that builds an element-wise operator and leaves out absent operands.
static OperatorFn ofGiven(MakeBodyFn makeBody) {
  return [=](Builder &builder, const Node &node) {
    Tensors operands;
    llvm::copy_if(node.inputs, std::back_inserter(operands),
                  [](const Tensor &tensor) { return bool(tensor); });
    return buildElementwise(builder, operands[0].dtype(), operands, makeBody(node));
  };
}

OperatorRows getMicrosoftActivationsRows() {
  return {
      {"Gelu", Signature{"X:T"}, ofGiven(ofSum<gelu>)},
      {"BiasGelu", Signature{"A:T B:T"}, ofGiven(ofSum<gelu>)},
      {"FastGelu", Signature{"X:T bias?:T"}, ofGiven(ofSum<geluByTanh>)},
      {"QuickGelu", Signature{"X:T", "alpha:float"}, ofGiven(quickGelu)},
      {"BiasAdd", Signature{"X:T bias:T skip:T"}, ofGiven(ofSum<identity>)},
      {"BiasSplitGelu", Signature{"X:T bias:T"}, buildBiasSplitGelu},
  };
}

} // namespace tssa::operators

//===- Activations.cpp - activation functions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Operators/Activations.h"
#include "lib/Operators/Families.h"
#include "lib/Operators/ONNX/Elementwise.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;

namespace tssa::operators {

static Scalar expm1(Scalar x) {
  return x.with(math::ExpM1Op::create(x.getBuilder(), x.getLoc(), x.getValue()));
}

static Scalar relu(Scalar x) { return atLeast(x, 0.0); }
static Scalar prelu(Scalar x, Scalar slope) { return select(x < 0.0, slope * x, x); }
static Scalar softsign(Scalar x) { return x / (1.0 + abs(x)); }
static Scalar mish(Scalar x) { return x * tanh(softplus(x)); }
static Scalar hardSwish(Scalar x) { return x * atMost(atLeast(x * (1.0 / 6.0) + 0.5, 0.0), 1.0); }

static ScalarBody leakyRelu(const Node &node) {
  double alpha = node.getFloat("alpha", 0.01);
  return [=](ArrayRef<Scalar> x) { return select(x[0] < 0.0, alpha * x[0], x[0]); };
}

static ScalarBody elu(const Node &node) {
  double alpha = node.getFloat("alpha", 1.0);
  return [=](ArrayRef<Scalar> x) { return select(x[0] < 0.0, alpha * expm1(x[0]), x[0]); };
}

static ScalarBody selu(const Node &node) {
  double alpha = node.getFloat("alpha", 1.67326319217681884765625);
  double gamma = node.getFloat("gamma", 1.05070102214813232421875);
  return [=](ArrayRef<Scalar> x) { return gamma * select(x[0] <= 0.0, alpha * expm1(x[0]), x[0]); };
}

static ScalarBody celu(const Node &node) {
  double alpha = node.getFloat("alpha", 1.0);
  return [=](ArrayRef<Scalar> x) {
    return atLeast(x[0], 0.0) + atMost(alpha * expm1(x[0] / alpha), 0.0);
  };
}

static ScalarBody thresholdedRelu(const Node &node) {
  double alpha = node.getFloat("alpha", 1.0);
  return [=](ArrayRef<Scalar> x) { return select(x[0] > alpha, x[0], 0.0); };
}

static ScalarBody hardSigmoid(const Node &node) {
  double alpha = node.getFloat("alpha", 0.2), beta = node.getFloat("beta", 0.5);
  return [=](ArrayRef<Scalar> x) { return atMost(atLeast(alpha * x[0] + beta, 0.0), 1.0); };
}

static ScalarBody swish(const Node &node) {
  double alpha = node.getFloat("alpha", 1.0);
  return [=](ArrayRef<Scalar> x) { return x[0] * sigmoid(alpha * x[0]); };
}

static ScalarBody swiGLU(const Node &node) {
  double alpha = node.getFloat("alpha", 1.0);
  return [=](ArrayRef<Scalar> x) { return x[0] * sigmoid(alpha * x[0]) * x[1]; };
}

Scalar gelu(Scalar x) { return 0.5 * x * (1.0 + erf(x * M_SQRT1_2)); }

Scalar geluByTanh(Scalar x) {
  Scalar inner = std::sqrt(2 / M_PI) * (x + 0.044715 * (x * x * x));
  return 0.5 * x * (1.0 + tanh(inner));
}

static ScalarBody makeGelu(const Node &node) {
  bool isApproximate = node.getString("approximate", "none") == "tanh";
  return [=](ArrayRef<Scalar> x) { return isApproximate ? geluByTanh(x[0]) : gelu(x[0]); };
}

/// The threshold may be a fraction, so integers are converted to f64 before they are compared with
/// the threshold.
static ScalarBody shrink(const Node &node) {
  double bias = node.getFloat("bias", 0.0), lambd = node.getFloat("lambd", 0.5);
  return [=](ArrayRef<Scalar> operands) {
    Scalar x = operands[0];
    Scalar wide = x.isFloat() ? x : convert(x, x.getBuilder().getF64Type());
    Scalar result = select(wide < -lambd, wide + bias, select(wide > lambd, wide - bias, 0.0));
    return convert(result, x.getType(), x.isUnsigned());
  };
}

OperatorRows getActivationsRows() {
  return {
      {"Relu", pointwise(unary<relu>)},
      {"LeakyRelu", pointwise(leakyRelu)},
      {"PRelu", pointwise(binary<prelu>)},
      {"Elu", pointwise(elu)},
      {"Selu", pointwise(selu)},
      {"Celu", pointwise(celu)},
      {"ThresholdedRelu", pointwise(thresholdedRelu)},
      {"Sigmoid", pointwise(unary<sigmoid>)},
      {"HardSigmoid", pointwise(hardSigmoid)},
      {"HardSwish", pointwise(unary<hardSwish>)},
      {"Softplus", pointwise(unary<softplus>)},
      {"Softsign", pointwise(unary<softsign>)},
      {"Mish", pointwise(unary<mish>)},
      {"Gelu", pointwise(makeGelu)},
      {"Swish", pointwise(swish)},
      {"SwiGLU", pointwise(swiGLU)},
      {"Shrink", pointwise(shrink)},
  };
}

} // namespace tssa::operators

//===- Linear.cpp - linear models and support vectors -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Contraction.h"
#include "lib/Operators/ML/ML.h"
#include "lib/Operators/ML/Scores.h"

using namespace mlir;

namespace tssa::operators {

/// x [rows, features] as f32; a tensor of rank 1 is one row.
static FailureOr<Tensor> getRows(Builder &builder, const Tensor &x) {
  FailureOr<Tensor> real = builder.cast(x, DType::F32);
  if (failed(real))
    return failure();
  if (x.rank() == 1)
    return builder.reshape(*real, {Size(1), x.dim(0)});
  if (x.rank() != 2)
    return builder.error("expected an input of rank 1 or 2, got " + Twine(x.str()));
  return real;
}

/// `values` as rows of the features of x: [rows, features].
static FailureOr<Tensor> makeMatrix(Builder &builder, const Tensor &x, ArrayRef<double> values,
                                    int64_t rows, StringRef name) {
  int64_t count = values.size();
  if (rows < 1 || count == 0 || count % rows != 0)
    return builder.error("expected " + Twine(rows) + " rows in '" + name + "', got " +
                         Twine(count) + " elements");
  if (failed(builder.requireEqual(x.dim(1), count / rows,
                                  "features and columns of '" + Twine(name) + "'")))
    return failure();
  return builder.reshape(makeVector(builder, DType::F32, values), {rows, count / rows});
}

/// x m^T.
static FailureOr<Tensor> multiplyRows(Builder &builder, const Tensor &x, const Tensor &m) {
  FailureOr<Tensor> transposed = builder.transpose(m, {1, 0});
  if (failed(transposed))
    return failure();
  return matmul(builder, x, *transposed);
}

static FailureOr<Tensor> getScores(Builder &builder, const Node &node, int64_t rows) {
  FailureOr<Tensor> x = getRows(builder, node.inputs[0]);
  if (failed(x))
    return failure();
  FailureOr<Tensor> matrix =
      makeMatrix(builder, *x, node.getFloats("coefficients"), rows, "coefficients");
  if (failed(matrix))
    return failure();
  FailureOr<Tensor> product = multiplyRows(builder, *x, *matrix);
  if (failed(product))
    return failure();
  return addToColumns(builder, *product, node.getFloats("intercepts"));
}

static FailureOr<Tensors> buildRegressor(Builder &builder, const Node &node) {
  FailureOr<Tensor> scores = getScores(builder, node, node.getInt("targets", 1));
  if (failed(scores))
    return failure();
  return single(transformScores(builder, node.getString("post_transform", "NONE"), *scores));
}

/// Label and scores of both classes from that of the second.
static FailureOr<Tensors> finishBinary(Builder &builder, StringRef transform, const Tensor &score,
                                       ArrayRef<int64_t> labels) {
  auto readScore = [&](Body &body) {
    return readScalar(body, score, {body.dim(0), body.constantExpr(0)});
  };
  FailureOr<Tensor> index = builder.compute(DType::I64, score.dim(0), [&](Body &body) {
    return convert(readScore(body) > 0.0, body.ops.getI64Type(), /*isUnsigned=*/true).getValue();
  });
  if (failed(index))
    return failure();
  bool isLogistic = transform == "LOGISTIC";
  if (!isLogistic && transform != "NONE")
    return builder.unsupported("post_transform '" + Twine(transform) + "' of one score");
  FailureOr<Tensor> both = builder.compute(DType::F32, {score.dim(0), Size(2)}, [&](Body &body) {
    Scalar x = readScore(body);
    if (isLogistic)
      x = sigmoid(x);
    return select(indexScalar(body, body.dim(1), DType::I64) == 0.0, 1.0 - x, x).getValue();
  });
  FailureOr<Tensor> label = lookUpLabels(builder, *index, labels);
  if (failed(both) || failed(label))
    return failure();
  return Tensors{*label, *both};
}

static FailureOr<Tensors> buildClassifier(Builder &builder, const Node &node) {
  FailureOr<SmallVector<int64_t>> labels =
      getIntLabels(builder, node, "classlabels_ints", "classlabels_strings");
  if (failed(labels))
    return failure();
  int64_t rows = node.getFloats("intercepts").size();
  if (rows < 1)
    return builder.unsupported("a classifier without intercepts");
  FailureOr<Tensor> scores = getScores(builder, node, rows);
  if (failed(scores))
    return failure();
  StringRef transform = node.getString("post_transform", "NONE");
  if (rows == 1 && labels->size() == 2)
    return finishBinary(builder, transform, *scores, *labels);
  FailureOr<Tensor> label = chooseLabels(builder, *scores, *labels);
  FailureOr<Tensor> transformed = transformScores(builder, transform, *scores);
  if (failed(label) || failed(transformed))
    return failure();
  return Tensors{*label, *transformed};
}

//===----------------------------------------------------------------------===//
// Support vectors
//===----------------------------------------------------------------------===//

/// The kernel that the attributes name, of the rows of x and of m: [rows of x, rows of m].
static FailureOr<Tensor> applyKernel(Builder &builder, const Node &node, const Tensor &x,
                                     const Tensor &m) {
  StringRef kind = node.getString("kernel_type", "LINEAR");
  SmallVector<double> parameters = node.getFloats("kernel_params", {0, 0, 0});
  if (parameters.size() != 3)
    return builder.error("expected gamma, coef0 and degree in 'kernel_params'");
  double gamma = parameters[0], offset = parameters[1], degree = parameters[2];
  if (kind != "LINEAR" && kind != "POLY" && kind != "RBF" && kind != "SIGMOID")
    return builder.error("unknown kernel_type '" + Twine(kind) + "'");
  ReducedDims reduced(2);
  unsigned slot = reduced.add(x.dim(1));
  auto finish = [&](Body &, Scalar total) {
    if (kind == "RBF")
      return exp(-gamma * total);
    total = gamma * total + offset;
    return kind == "SIGMOID" ? tanh(total) : power(total, total.constant(degree));
  };
  return sum(
      builder, DType::F32, DType::F32, {x.dim(0), m.dim(0)}, reduced,
      [&](Body &body) {
        AffineExpr k = reduced.expr(body, slot);
        Scalar a = readScalar(body, x, {body.dim(0), k}), b = readScalar(body, m, {body.dim(1), k});
        Scalar distance = a - b;
        return kind == "RBF" ? distance * distance : a * b;
      },
      kind == "LINEAR" ? JoinedFn() : JoinedFn(finish));
}

static FailureOr<Tensors> buildSVMRegressor(Builder &builder, const Node &node) {
  FailureOr<Tensor> x = getRows(builder, node.inputs[0]);
  SmallVector<double> rho = node.getFloats("rho"), weights = node.getFloats("coefficients");
  int64_t supports = node.getInt("n_supports", 0);
  if (failed(x))
    return failure();
  if (rho.size() != 1)
    return builder.error("expected one element of 'rho', got " + Twine(rho.size()));
  FailureOr<Tensor> scores;
  if (supports > 0) {
    FailureOr<Tensor> vectors =
        makeMatrix(builder, *x, node.getFloats("support_vectors"), supports, "support_vectors");
    if (failed(vectors))
      return failure();
    FailureOr<Tensor> kernel = applyKernel(builder, node, *x, *vectors);
    if (failed(kernel))
      return failure();
    FailureOr<Tensor> row = makeMatrix(builder, *kernel, weights, 1, "coefficients");
    if (failed(row))
      return failure();
    scores = multiplyRows(builder, *kernel, *row);
  } else {
    FailureOr<Tensor> row = makeMatrix(builder, *x, weights, 1, "coefficients");
    if (failed(row))
      return failure();
    scores = applyKernel(builder, node, *x, *row);
  }
  if (failed(scores))
    return failure();
  scores = addToColumns(builder, *scores, rho);
  if (failed(scores))
    return failure();
  if (node.getInt("one_class", 0))
    return single(builder.compute(DType::F32, scores->shape(), [&](Body &body) {
      Scalar score = readScalar(body, *scores, body.dims(0, 2));
      return select(score > 0.0, score.constant(1), score.constant(-1)).getValue();
    }));
  return single(transformScores(builder, node.getString("post_transform", "NONE"), *scores));
}

void registerLinear(Registry &registry) {
  registry.addIn(mlDomain, "LinearRegressor", buildRegressor);
  registry.addIn(mlDomain, "LinearClassifier", buildClassifier);
  registry.addIn(mlDomain, "SVMRegressor", buildSVMRegressor);
}

} // namespace tssa::operators

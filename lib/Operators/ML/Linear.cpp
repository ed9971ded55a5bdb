//===- Linear.cpp - linear models -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "lib/Operators/ML/Rows.h"
#include "lib/Operators/ML/Scores.h"

using namespace mlir;

namespace tssa::operators {

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

/// Returns the label and the scores of both classes, given the score of the second class.
static FailureOr<Tensors> finishBinary(Builder &builder, StringRef transform, const Tensor &score,
                                       const ClassLabels &labels) {
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
  FailureOr<ClassLabels> labels =
      getLabels(builder, node, "classlabels_ints", "classlabels_strings");
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

OperatorRows getMLLinearRows() {
  return {
      {"LinearRegressor", buildRegressor},
      {"LinearClassifier", buildClassifier},
  };
}

} // namespace tssa::operators

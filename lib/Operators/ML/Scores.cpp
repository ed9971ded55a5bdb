//===- Scores.cpp - from scores to results of classifiers -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/ML/Scores.h"
#include "lib/Operators/ONNX/Elementwise.h"
#include "lib/Operators/ONNX/Reduction.h"
#include "tssa/Builder/Elements.h"
#include "tssa/Builder/Indexing.h"
#include <cmath>

using namespace mlir;

namespace tssa::operators {

Tensor makeVector(Builder &builder, DType type, ArrayRef<double> values) {
  Type element = getElementType(builder.context(), type);
  auto tensorType = RankedTensorType::get({static_cast<int64_t>(values.size())}, element);
  SmallVector<Attribute> attributes;
  for (double value : values)
    attributes.push_back(builder.ops.getFloatAttr(element, value));
  return builder.constant(type, fromAttributes(tensorType, attributes));
}

Tensor makeIntVector(Builder &builder, DType type, ArrayRef<int64_t> values) {
  return builder.constant(
      type, fromInts(builder.context(), type, {static_cast<int64_t>(values.size())}, values));
}

Tensor makeStringVector(Builder &builder, std::vector<std::string> strings) {
  SmallVector<int64_t> indexes = llvm::to_vector(llvm::seq<int64_t>(0, strings.size()));
  return makeIntVector(builder, DType::I64, indexes)
      .withStrings(std::make_shared<const Labels>(Labels{Labels::Strings, std::move(strings), {}}));
}

/// Returns the softmax of each row. With `keepsZeros`, a score of 0 adds nothing to the sum and
/// stays 0.
static FailureOr<Tensor> softmaxRows(Builder &builder, const Tensor &scores, bool keepsZeros) {
  DType type = scores.dtype();
  ReducedDims reduced(1);
  unsigned slot = reduced.add(scores.dim(1));
  auto read = [&](Body &body) {
    return readScalar(body, scores, {body.dim(0), reduced.expr(body, slot)});
  };
  auto weigh = [&](Scalar score, Scalar greatest) {
    Scalar weight = exp(score - greatest);
    return keepsZeros ? select(abs(score) <= 1e-7, score * exp(-greatest), weight) : weight;
  };
  FailureOr<Tensor> greatest =
      combine(builder, te::Combiner::Max, type, type, scores.dim(0), reduced, read);
  if (failed(greatest))
    return failure();
  FailureOr<Tensor> total = sum(builder, type, type, scores.dim(0), reduced, [&](Body &body) {
    return weigh(read(body), readScalar(body, *greatest, body.dim(0)));
  });
  if (failed(total))
    return failure();
  return builder.compute(type, scores.shape(), [&](Body &body) {
    Scalar score = readScalar(body, scores, body.dims(0, 2));
    Scalar weight = weigh(score, readScalar(body, *greatest, body.dim(0)));
    return (weight / readScalar(body, *total, body.dim(0))).getValue();
  });
}

/// Returns the `x` quantile of the standard normal distribution. Uses Winitzki's approximation of
/// the inverse of erf, whose relative error is less than 0.002.
static Scalar probit(Scalar x) {
  constexpr double a = 0.147;
  Scalar y = 2.0 * x - 1.0;
  Scalar logarithm = log((1.0 - y) * (1.0 + y));
  Scalar v = 2 / (M_PI * a) + 0.5 * logarithm;
  Scalar root = sqrt(sqrt(v * v - logarithm / a) - v);
  return M_SQRT2 * select(y < 0.0, -root, root);
}

FailureOr<Tensor> transformScores(Builder &builder, StringRef transform, const Tensor &scores) {
  if (transform == "NONE")
    return scores;
  if (transform == "SOFTMAX" || transform == "SOFTMAX_ZERO")
    return softmaxRows(builder, scores, transform == "SOFTMAX_ZERO");
  if (transform != "LOGISTIC" && transform != "PROBIT")
    return builder.unsupported("post_transform '" + Twine(transform) + "'");
  bool isLogistic = transform == "LOGISTIC";
  FailureOr<Tensors> result =
      buildElementwise(builder, scores.dtype(), scores, [=](ArrayRef<Scalar> x) {
        return isLogistic ? sigmoid(x[0]) : probit(x[0]);
      });
  if (failed(result))
    return failure();
  return result->front();
}

FailureOr<ClassLabels> getLabels(Builder &builder, const Node &node, StringRef ints,
                                 StringRef strings) {
  ClassLabels labels{node.getInts(ints), nullptr};
  SmallVector<std::string> texts = node.getStrings(strings);
  if (texts.empty())
    return labels;
  if (!labels.numbers.empty())
    return builder.error("expected '" + Twine(ints) + "' or '" + strings + "', got both");
  labels.numbers = llvm::to_vector(llvm::seq<int64_t>(0, texts.size()));
  labels.strings =
      std::make_shared<const Labels>(Labels{Labels::Strings, {texts.begin(), texts.end()}, {}});
  return labels;
}

FailureOr<Tensor> lookUpLabels(Builder &builder, const Tensor &indexes, const ClassLabels &labels) {
  if (llvm::equal(labels.numbers, llvm::seq<int64_t>(0, labels.size())))
    return labels.give(indexes);
  Tensor table = makeIntVector(builder, DType::I64, labels.numbers);
  return builder.compute(DType::I64, indexes.shape(), [&](Body &body) {
    AffineExpr at = dataIndex(body, indexes, body.dim(0), table.dim(0));
    return body.read(table, at);
  });
}

FailureOr<Tensor> chooseLabels(Builder &builder, const Tensor &scores, const ClassLabels &labels) {
  if (failed(builder.requireEqual(scores.dim(1), static_cast<int64_t>(labels.size()),
                                  "classes and labels")))
    return failure();
  ReducedDims reduced(1);
  unsigned slot = reduced.add(scores.dim(1));
  auto point = [&](Body &body) {
    AffineExpr position = reduced.expr(body, slot);
    return SmallVector<Value>{readScalar(body, scores, {body.dim(0), position}).getValue(),
                              indexScalar(body, position, DType::I64).getValue()};
  };
  FailureOr<Tensors> best = reduceExtremum(builder, scores.dtype(), scores.dim(0), reduced,
                                           /*isMax=*/true, /*isLast=*/false, point,
                                           /*withValue=*/false);
  if (failed(best))
    return failure();
  return lookUpLabels(builder, best->front(), labels);
}

FailureOr<Tensor> addToColumns(Builder &builder, const Tensor &scores, ArrayRef<double> values) {
  if (values.empty())
    return scores;
  if (failed(builder.requireEqual(scores.dim(1), static_cast<int64_t>(values.size()),
                                  "scores and base values")))
    return failure();
  Tensor added = makeVector(builder, scores.dtype(), values);
  return builder.compute(scores.dtype(), scores.shape(), [&](Body &body) {
    return (readScalar(body, scores, body.dims(0, 2)) + readScalar(body, added, body.dim(1)))
        .getValue();
  });
}

} // namespace tssa::operators

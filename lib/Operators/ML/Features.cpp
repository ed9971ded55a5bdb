//===- Features.cpp - scaling and choosing features -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "lib/Operators/ML/Scores.h"
#include "lib/Operators/ONNX/Elementwise.h"
#include "tssa/Builder/Contraction.h"
#include "tssa/Builder/Indexing.h"
#include <cmath>

using namespace mlir;

namespace tssa::operators {

/// Requires that `values` has one number for all features, or one per feature of `x`.
static LogicalResult requirePerFeature(Builder &builder, const Tensor &x, const Tensor &values,
                                       StringRef name) {
  const Size &count = values.dim(0);
  if (count.isConstant(0))
    return builder.error("attribute '" + Twine(name) + "' is empty");
  if (count.isConstant(1) ||
      (x.rank() > 0 &&
       succeeded(builder.requireEqual(x.shape().back(), count,
                                      "features and elements of '" + Twine(name) + "'"))))
    return success();
  return builder.error("expected features in the last dim, got " + Twine(x.str()));
}

static FailureOr<Tensors> buildScaler(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0];
  Tensor offset = makeVector(builder, DType::F32, node.getFloats("offset", {0.0}));
  Tensor scale = makeVector(builder, DType::F32, node.getFloats("scale", {1.0}));
  if (failed(requirePerFeature(builder, x, offset, "offset")) ||
      failed(requirePerFeature(builder, x, scale, "scale")))
    return failure();
  return buildElementwise(builder, DType::F32, {x, offset, scale}, [](ArrayRef<Scalar> x) {
    return (convert(x[0], x[1].getType()) - x[1]) * x[2];
  });
}

static FailureOr<Tensors> buildImputer(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0];
  bool isReal = isFloat(x.dtype());
  Tensor values = isReal ? makeVector(builder, x.dtype(), node.getFloats("imputed_value_floats"))
                         : makeIntVector(builder, x.dtype(), node.getInts("imputed_value_int64s"));
  double replaced = isReal ? node.getFloat("replaced_value_float", 0)
                           : static_cast<double>(node.getInt("replaced_value_int64", 0));
  if (failed(requirePerFeature(builder, x, values, "imputed_value")))
    return failure();
  return buildElementwise(builder, x.dtype(), {x, values}, [=](ArrayRef<Scalar> x) {
    return select(std::isnan(replaced) ? isNaN(x[0]) : x[0] == replaced, x[1], x[0]);
  });
}

static FailureOr<Tensors> buildBinarizer(Builder &builder, const Node &node) {
  double threshold = node.getFloat("threshold", 0);
  const Tensor &x = node.inputs[0];
  return buildElementwise(builder, x.dtype(), x, [=](ArrayRef<Scalar> x) {
    return select(x[0] > threshold, x[0].constant(1), x[0].constant(0));
  });
}

/// Divides each row by its greatest element, the sum of its absolute values, or its 2-norm.
static FailureOr<Tensors> buildNormalizer(Builder &builder, const Node &node) {
  StringRef norm = node.getString("norm", "MAX");
  if (norm != "MAX" && norm != "L1" && norm != "L2")
    return builder.error("expected MAX, L1 or L2 for 'norm', got '" + Twine(norm) + "'");
  FailureOr<Tensor> real = builder.cast(node.inputs[0], DType::F32);
  if (failed(real))
    return failure();
  const Tensor &x = *real;
  if (x.rank() != 1 && x.rank() != 2)
    return builder.error("expected an input of rank 1 or 2, got " + Twine(x.str()));
  unsigned outer = x.rank() - 1;
  ReducedDims reduced(outer);
  unsigned slot = reduced.add(x.shape().back());
  auto term = [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, outer);
    at.push_back(reduced.expr(body, slot));
    Scalar element = readScalar(body, x, at);
    return norm == "L1" ? abs(element) : norm == "L2" ? element * element : element;
  };
  auto root = [](Body &, Scalar total) { return sqrt(total); };
  FailureOr<Tensor> size = combine(builder, norm == "MAX" ? te::Combiner::Max : te::Combiner::Add,
                                   DType::F32, DType::F32, x.shape().drop_back(), reduced, term,
                                   norm == "L2" ? EpilogueFn(root) : EpilogueFn());
  if (failed(size))
    return failure();
  return single(builder.compute(DType::F32, x.shape(), [&](Body &body) {
    Scalar divisor = readScalar(body, *size, body.dims(0, outer));
    Scalar element = readScalar(body, x, body.dims(0, x.rank()));
    return select(divisor == 0.0, element, element / divisor).getValue();
  }));
}

/// Selects elements of the last dim by the indexes Y. A tensor of rank 1 is treated as one row.
static FailureOr<Tensors> buildExtractor(Builder &builder, const Node &node) {
  Tensor x = node.inputs[0];
  Size count = node.inputs[1].numElements();
  FailureOr<Tensor> indexes = builder.reshape(node.inputs[1], count);
  if (x.rank() == 1) {
    FailureOr<Tensor> row = builder.reshape(x, {Size(1), x.dim(0)});
    if (failed(row))
      return failure();
    x = *row;
  }
  if (failed(indexes) || x.rank() == 0)
    return builder.error("expected an input of rank 1 or more, got " + Twine(x.str()));
  SmallVector<Size> shape(x.shape());
  shape.back() = count;
  return single(builder.compute(x.dtype(), shape, [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, x.rank());
    at.back() = dataIndex(body, *indexes, at.back(), x.shape().back());
    return body.read(x, at);
  }));
}

static FailureOr<Tensors> buildVectorizer(Builder &builder, const Node &node) {
  SmallVector<int64_t> sizes = node.getInts("inputdimensions");
  if (sizes.size() != node.inputs.size())
    return builder.error("expected one element of 'inputdimensions' per input");
  Tensors parts;
  for (auto [input, size] : llvm::zip_equal(node.inputs, sizes)) {
    Tensor x = input;
    if (!x || x.rank() < 1 || x.rank() > 2)
      return builder.error("expected inputs of rank 1 or 2, got " + Twine(x ? x.str() : "none"));
    if (x.rank() == 1) {
      FailureOr<Tensor> column = builder.reshape(x, {x.dim(0), Size(1)});
      if (failed(column))
        return failure();
      x = *column;
    }
    if (failed(builder.requireEqual(x.dim(1), size, "features and 'inputdimensions'")))
      return failure();
    FailureOr<Tensor> real = builder.cast(x, DType::F32);
    if (failed(real))
      return failure();
    parts.push_back(*real);
  }
  return single(builder.concat(parts, 1));
}

OperatorRows getMLFeaturesRows() {
  return {
      {"Scaler", buildScaler},
      {"Imputer", buildImputer},
      {"Binarizer", buildBinarizer},
      {"Normalizer", buildNormalizer},
      {"ArrayFeatureExtractor", buildExtractor, movesStrings},
      {"FeatureVectorizer", buildVectorizer},
  };
}

} // namespace tssa::operators

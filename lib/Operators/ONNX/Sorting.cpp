//===- Sorting.cpp - operators that are library routines -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The routines with their inputs, attributes and results. Attributes are integers and may be
/// absent.
/// - `topk(x, k)`: axis, largest, sorted, is_unsigned -> values, indices
/// - `unique(x)`: axis (absent: of all elements), sorted, is_unsigned -> values,
///   first positions, inverse, counts
/// - `compress(x, condition)`: axis (absent: of all elements) -> values
/// - `non_max_suppression(boxes, scores, max_output_boxes_per_class, iou_threshold,
///   score_threshold)`: center_point_box -> selected indices
/// - `det(x)`: -> determinants of the matrices in the last two dims
///
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"

using namespace mlir;

namespace tssa::operators {

static FailureOr<Tensors> buildTopK(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0];
  FailureOr<int64_t> axis = builder.normalizeAxis(node.getInt("axis", -1), x.rank());
  if (failed(axis))
    return failure();
  Tensor count = node.input(1);
  if (!count) // an attribute before version 10
    count = builder.fromSizes(ArrayRef<Size>(Size(node.getInt("k", 0))));
  FailureOr<Size> k = builder.requireSize(count, "k");
  if (failed(k) || failed(builder.requireNonNegative(*k, "k")) ||
      failed(builder.requireNonNegative(x.dim(*axis) - *k, "size of the axis minus k")))
    return failure();
  SmallVector<std::optional<Size>> shape(x.shape().begin(), x.shape().end());
  shape[*axis] = *k;
  Builder::ExternAttributes attributes;
  attributes.axis = *axis;
  attributes.largest = node.getInt("largest", 1) != 0;
  attributes.sorted = node.getInt("sorted", 1) != 0;
  attributes.isUnsigned = isUnsigned(x.dtype());
  return builder.callExtern("topk", {x, count}, {{x.dtype(), shape}, {DType::I64, shape}},
                            attributes);
}

static FailureOr<Tensors> buildUnique(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0];
  Builder::ExternAttributes attributes;
  attributes.sorted = node.getInt("sorted", 1) != 0;
  attributes.isUnsigned = isUnsigned(x.dtype());
  SmallVector<std::optional<Size>> shape = {std::nullopt}, inverse = {x.numElements()};
  if (node.has("axis")) {
    FailureOr<int64_t> axis = builder.normalizeAxis(node.getInt("axis", 0), x.rank());
    if (failed(axis))
      return failure();
    attributes.axis = *axis;
    shape.assign(x.shape().begin(), x.shape().end());
    shape[*axis] = std::nullopt;
    inverse = {x.dim(*axis)};
  }
  return builder.callExtern("unique", x,
                            {{x.dtype(), shape},
                             {DType::I64, {std::nullopt}},
                             {DType::I64, inverse},
                             {DType::I64, {std::nullopt}}},
                            attributes);
}

static FailureOr<Tensors> buildCompress(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0];
  Builder::ExternAttributes attributes;
  SmallVector<std::optional<Size>> shape = {std::nullopt};
  if (node.has("axis")) {
    FailureOr<int64_t> axis = builder.normalizeAxis(node.getInt("axis", 0), x.rank());
    if (failed(axis))
      return failure();
    attributes.axis = *axis;
    shape.assign(x.shape().begin(), x.shape().end());
    shape[*axis] = std::nullopt;
  }
  return builder.callExtern("compress", {x, node.inputs[1]},
                            Builder::ExternResult{x.dtype(), shape}, attributes);
}

static FailureOr<Tensors> buildNonMaxSuppression(Builder &builder, const Node &node) {
  auto orScalar = [&](unsigned i, DType type) {
    return node.input(i) ? node.input(i) : builder.scalar(type, 0);
  };
  // Without a threshold, no score excludes a box: the least number is below all scores.
  Tensor score = node.input(4);
  if (!score)
    score = builder.scalar(DType::F32, -std::numeric_limits<double>::infinity());
  Builder::ExternAttributes attributes;
  attributes.centerPointBox = node.getInt("center_point_box", 0) == 1;
  return builder.callExtern(
      "non_max_suppression",
      {node.inputs[0], node.inputs[1], orScalar(2, DType::I64), orScalar(3, DType::F32), score},
      Builder::ExternResult{DType::I64, {std::nullopt, Size(3)}}, attributes);
}

static FailureOr<Tensors> buildDet(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0];
  if (x.rank() < 2)
    return builder.error("expected an input of rank 2 or more, got " + Twine(x.str()));
  if (failed(builder.requireEqual(x.dim(x.rank() - 2), x.shape().back(), "rows and columns")))
    return failure();
  SmallVector<std::optional<Size>> shape(x.shape().begin(), x.shape().end() - 2);
  return builder.callExtern("det", x, Builder::ExternResult{x.dtype(), shape}, {});
}

static std::optional<int64_t> one(const NodeFacts &) { return 1; }

OperatorRows getSortingRows() {
  return {
      {"TopK", buildTopK, callsHost, List{1, one}},
      {"Unique", buildUnique, callsHost},
      {"Compress", buildCompress, callsHost},
      {"NonMaxSuppression", buildNonMaxSuppression, callsHost},
      {"Det", buildDet, callsHost},
  };
}

} // namespace tssa::operators

//===- BatchNormalization.cpp - normalisation by known statistics -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "lib/Operators/ONNX/Reduction.h"

using namespace mlir;

namespace tssa::operators {

/// Returns x * factor + shift per channel, where factor = scale / sqrt(var + epsilon) and
/// shift = bias - mean * factor. These two small tensors are folded if they are constant.
static FailureOr<Tensor> normalize(Builder &builder, const Node &node, const Tensor &mean,
                                   const Tensor &variance) {
  const Tensor &x = node.inputs[0], &scale = node.inputs[1], &bias = node.inputs[2];
  double epsilon = node.getFloat("epsilon", 1e-5);
  bool isDouble = llvm::any_of(ArrayRef<Tensor>{x, scale, bias, mean, variance},
                               [](const Tensor &tensor) { return tensor.dtype() == DType::F64; });
  DType wide = isDouble ? DType::F64 : getAccumulator(x.dtype());
  auto readWide = [&](Body &body, const Tensor &tensor, ArrayRef<AffineExpr> at) {
    return convert(readScalar(body, tensor, at), getElementType(builder.context(), wide));
  };
  auto getFactor = [&](Body &body) {
    Scalar deviation = sqrt(readWide(body, variance, body.dim(0)) + epsilon);
    return readWide(body, scale, body.dim(0)) / deviation;
  };
  FailureOr<Tensor> factor = builder.compute(
      wide, scale.shape(), [&](Body &body) { return toElement(body, getFactor(body), wide); });
  FailureOr<Tensor> shift = builder.compute(wide, scale.shape(), [&](Body &body) {
    Scalar offset = readWide(body, mean, body.dim(0)) * getFactor(body);
    return toElement(body, readWide(body, bias, body.dim(0)) - offset, wide);
  });
  if (failed(factor) || failed(shift))
    return failure();
  return builder.compute(x.dtype(), x.shape(), [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, x.rank());
    AffineExpr channel = x.rank() > 1 ? at[1] : body.constantExpr(0);
    Scalar y = readWide(body, x, at) * readScalar(body, *factor, channel) +
               readScalar(body, *shift, channel);
    return toElement(body, y, x.dtype());
  });
}

static FailureOr<Tensor> moveTowards(Builder &builder, const Tensor &running, const Tensor &current,
                                     double momentum) {
  return builder.compute(running.dtype(), running.shape(), [&](Body &body) {
    Scalar old = readScalar(body, running, body.dim(0));
    Scalar now = convert(readScalar(body, current, body.dim(0)), old.getType());
    return toElement(body, old * momentum + now * (1 - momentum), running.dtype());
  });
}

/// Builds the operator in training mode: it uses the statistics of this batch, and also returns
/// updated running statistics.
static FailureOr<Tensors> buildTraining(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0];
  SmallVector<int64_t> axes;
  for (int64_t axis = 0; axis < x.rank(); ++axis)
    if (axis != 1)
      axes.push_back(axis);
  FailureOr<Tensor> mean = reduceAxes(builder, x, axes, /*keepDims=*/false, meanReduction());
  if (failed(mean))
    return failure();
  FailureOr<Tensor> distances = builder.compute(x.dtype(), x.shape(), [&](Body &body) {
    Scalar distance =
        readScalar(body, x, body.dims(0, x.rank())) - readScalar(body, *mean, body.dim(1));
    return toElement(body, distance * distance, x.dtype());
  });
  if (failed(distances))
    return failure();
  FailureOr<Tensor> variance =
      reduceAxes(builder, *distances, axes, /*keepDims=*/false, meanReduction());
  if (failed(variance))
    return failure();
  FailureOr<Tensor> result = normalize(builder, node, *mean, *variance);
  if (failed(result))
    return failure();
  Tensors results = {*result};
  for (unsigned i : {0, 1}) {
    FailureOr<Tensor> moved = moveTowards(builder, node.inputs[3 + i], i == 0 ? *mean : *variance,
                                          node.getFloat("momentum", 0.9));
    if (failed(moved))
      return failure();
    results.push_back(*moved);
  }
  return results;
}

static FailureOr<Tensors> buildBatchNormalization(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0];
  for (unsigned i : {1, 2, 3, 4})
    if (node.inputs[i].rank() != 1 ||
        failed(builder.requireEqual(node.inputs[i].dim(0), x.rank() > 1 ? x.dim(1) : 1,
                                    "elements per channel and channels")))
      return builder.error("expected one number per channel, got " + Twine(node.inputs[i].str()));
  if (node.getInt("spatial", 1) == 0)
    return builder.unsupported("'spatial' 0");
  if (node.version >= 14 && node.getInt("training_mode", 0))
    return buildTraining(builder, node);
  return single(normalize(builder, node, node.inputs[3], node.inputs[4]));
}

OperatorRows getBatchNormalizationRows() {
  return {{"BatchNormalization", Versions{7}, buildBatchNormalization}};
}

} // namespace tssa::operators

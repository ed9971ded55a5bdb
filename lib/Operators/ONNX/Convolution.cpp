//===- Convolution.cpp - convolutions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/ONNX/Convolution.h"
#include "lib/Operators/Families.h"
#include "lib/Operators/ONNX/Quantization.h"

using namespace mlir;

namespace tssa::operators {

FailureOr<Convolution> getConvolution(Builder &builder, const Node &node, const Tensor &input,
                                      const Tensor &weights) {
  if (input.rank() < 3 || weights.rank() != input.rank())
    return builder.error("expected input and weights of one rank of at least 3, got " +
                         Twine(input.str()) + " and " + weights.str());
  Convolution conv{input, weights, node.getInt("group", 1), {}};
  if (conv.group < 1)
    return builder.error("expected a group of at least 1, got " + Twine(conv.group));
  if (failed(builder.requireEqual(input.dim(1), weights.dim(1) * conv.group,
                                  "input channels and group times channels of the weights")))
    return failure();
  const Size &outputs = weights.dim(0);
  if (failed(builder.require(builder.isEqual(outputs.floorDiv(conv.group) * conv.group, outputs),
                             "group " + Twine(conv.group) + " does not divide " + outputs.str() +
                                 " output channels")))
    return failure();
  size_t rank = input.rank() - 2;
  FailureOr<SmallVector<Size>> kernel =
      getKernel(builder, node, rank, weights.shape().drop_front(2));
  if (failed(kernel))
    return failure();
  FailureOr<Windows> windows = getWindows(builder, node, input.shape().drop_front(2), *kernel);
  if (failed(windows))
    return failure();
  conv.windows = *windows;
  return conv;
}

SmallVector<Size> Convolution::shape() const {
  SmallVector<Size> sizes = {input.dim(0), weights.dim(0)};
  for (const Window &window : windows)
    sizes.push_back(window.output);
  return sizes;
}

AffineExpr Convolution::inputChannel(Body &body, AffineExpr c) const {
  if (group == 1)
    return c;
  AffineExpr perGroup = body.size(Size::max(weights.dim(0).floorDiv(group), 1));
  return body.dim(1).floorDiv(perGroup) * body.size(weights.dim(1)) + c;
}

FailureOr<Tensor> convolve(Builder &builder, const Convolution &conv, DType accumulator,
                           DType result, ConvolutionTermFn term, EpilogueFn epilogue) {
  SmallVector<Size> shape = conv.shape();
  ReducedDims reduced(shape.size());
  unsigned channel = reduced.add(conv.weights.dim(1));
  unsigned kernel = reduced.add(conv.weights.shape().drop_front(2));
  auto element = [&](Body &body) {
    AffineExpr c = reduced.expr(body, channel);
    SmallVector<AffineExpr> inputAt = {body.dim(0), conv.inputChannel(body, c)};
    SmallVector<AffineExpr> weightsAt = {body.dim(1), c}, guard;
    for (auto [i, window] : llvm::enumerate(conv.windows)) {
      AffineExpr k = reduced.expr(body, kernel + i);
      AffineExpr position = window.position(body, body.dim(2 + i), k);
      window.guard(body, position, guard);
      inputAt.push_back(position);
      weightsAt.push_back(k);
    }
    return term(body, inputAt, guard, weightsAt);
  };
  return sum(builder, accumulator, result, shape, reduced, element, epilogue);
}

Scalar readPadded(Body &body, const Tensor &tensor, ArrayRef<AffineExpr> at, Guard guard) {
  if (guard.empty())
    return readScalar(body, tensor, at);
  TypedAttr zero = body.ops.getZeroAttr(getElementType(body.ops.getContext(), tensor.dtype()));
  return widen(toScalar(body, body.read(tensor, at, guard, zero), tensor.dtype()));
}

LogicalResult requireBias(Builder &builder, const Tensor &bias, const Size &channels) {
  if (bias.rank() != 1)
    return builder.error("expected a bias of rank 1, got " + Twine(bias.str()));
  return builder.requireEqual(bias.dim(0), channels, "elements of the bias and output channels");
}

static FailureOr<Tensors> buildConv(Builder &builder, const Node &node) {
  Tensor bias = node.input(2);
  FailureOr<Convolution> conv = getConvolution(builder, node, node.inputs[0], node.inputs[1]);
  if (failed(conv))
    return failure();
  if (bias && failed(requireBias(builder, bias, conv->weights.dim(0))))
    return failure();
  auto term = [&](Body &body, ArrayRef<AffineExpr> inputAt, Guard guard,
                  ArrayRef<AffineExpr> weightsAt) {
    return readPadded(body, conv->input, inputAt, guard) *
           readScalar(body, conv->weights, weightsAt);
  };
  auto epilogue = [&](Body &body, Scalar total) {
    return total + readScalar(body, bias, body.dim(1));
  };
  DType type = conv->input.dtype();
  return single(convolve(builder, *conv, getAccumulator(type), type, term,
                         bias ? EpilogueFn(epilogue) : EpilogueFn()));
}

LogicalResult requireParameters(Builder &builder, const Convolution &conv, ArrayRef<Tensor> ofInput,
                                ArrayRef<Tensor> ofWeights) {
  if (failed(requireSimple(builder, ofInput)) || failed(requireSimple(builder, ofWeights)))
    return failure();
  for (const Tensor &parameter : ofInput)
    if (failed(requireOneOrEach(builder, parameter, 1)))
      return failure();
  for (const Tensor &parameter : ofWeights)
    if (failed(requireOneOrEach(builder, parameter, conv.weights.dim(0))))
      return failure();
  return success();
}

Scalar readShifted(Body &body, const Tensor &tensor, const Tensor &zeroPoint,
                   ArrayRef<AffineExpr> at, Guard guard, AffineExpr channel) {
  Scalar shifted = convert(readPadded(body, tensor, at, guard), body.ops.getI32Type());
  if (zeroPoint)
    shifted = shifted - convert(readScale(body, zeroPoint, channel), shifted.getType());
  if (!zeroPoint || guard.empty())
    return shifted;
  Scalar isInside = toScalar(body, body.inside(guard), DType::Bool);
  return select(isInside, shifted, 0.0);
}

static FailureOr<Tensors> buildConvInteger(Builder &builder, const Node &node) {
  FailureOr<Convolution> conv = getConvolution(builder, node, node.inputs[0], node.inputs[1]);
  if (failed(conv) || failed(requireParameters(builder, *conv, node.input(2), node.input(3))))
    return failure();
  auto term = [&](Body &body, ArrayRef<AffineExpr> inputAt, Guard guard,
                  ArrayRef<AffineExpr> weightsAt) {
    return readShifted(body, conv->input, node.input(2), inputAt, guard, {}) *
           readShifted(body, conv->weights, node.input(3), weightsAt, {}, weightsAt[0]);
  };
  return single(convolve(builder, *conv, DType::I32, DType::I32, term));
}

OperatorRows getConvolutionRows() {
  return {
      {"Conv", buildConv},
      {"ConvInteger", buildConvInteger},
  };
}

} // namespace tssa::operators

//===- ArgReduction.cpp - positions of largest elements -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "lib/Operators/ONNX/Reduction.h"

using namespace mlir;

namespace tssa::operators {

/// Returns whether `a` is larger (smaller) than `b`. NaN counts as larger (smaller) than all
/// numbers.
static Scalar beats(Scalar a, Scalar b, bool isMax) {
  Scalar beyond = isMax ? a > b : a < b;
  return a.isFloat() ? beyond | (isNaN(a) & ~isNaN(b)) : beyond;
}

FailureOr<Tensors> reduceExtremum(Builder &builder, DType type, ArrayRef<Size> shape,
                                  const ReducedDims &reduced, bool isMax, bool isLast,
                                  ElementFn point, bool withValue) {
  DType accumulator = getAccumulator(type);
  SmallVector<DType, 2> types = {DType::I64};
  if (withValue)
    types.insert(types.begin(), type);
  auto finish = [&](Body &body, ValueRange best) {
    SmallVector<Value> results = {best[1]};
    if (withValue)
      results.insert(results.begin(), toElement(body, toScalar(body, best[0], accumulator), type));
    return results;
  };
  if (reduced.sizes().empty())
    return builder.compute(types, shape, [&](Body &body) { return finish(body, point(body)); });
  TypedAttr worst =
      te::getIdentity(isMax ? te::Combiner::Max : te::Combiner::Min,
                      getElementType(builder.context(), accumulator), isUnsigned(type));
  TypedAttr nowhere =
      builder.ops.getI64IntegerAttr(isLast ? -1 : std::numeric_limits<int64_t>::max());
  auto combine = [&](Body &body, ValueRange pairs) {
    Scalar a = toScalar(body, pairs[0], accumulator), b = toScalar(body, pairs[2], accumulator);
    Scalar i = toScalar(body, pairs[1], DType::I64), j = toScalar(body, pairs[3], DType::I64);
    Scalar takesB = beats(b, a, isMax) | (~beats(a, b, isMax) & (isLast ? j > i : j < i));
    return SmallVector<Value>{select(takesB, b, a).getValue(), select(takesB, j, i).getValue()};
  };
  return builder.reduce({worst, nowhere}, types, shape, reduced.sizes(), point, combine, finish);
}

/// Returns the positions of the extremes of `input` along `axis`. With `keepDims`, the result keeps
/// this axis, with size 1.
static FailureOr<Tensor> locateExtremum(Builder &builder, const Tensor &input, int64_t axis,
                                        bool keepDims, bool isMax, bool isLast) {
  SmallVector<Size> shape(input.shape());
  if (keepDims)
    shape[axis] = 1;
  else
    shape.erase(shape.begin() + axis);
  ReducedDims reduced(shape.size());
  unsigned slot = reduced.add(input.dim(axis));
  auto point = [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, shape.size());
    AffineExpr position = reduced.expr(body, slot);
    if (keepDims)
      at[axis] = position;
    else
      at.insert(at.begin() + axis, position);
    return SmallVector<Value>{readScalar(body, input, at).getValue(),
                              indexScalar(body, position, DType::I64).getValue()};
  };
  FailureOr<Tensors> result = reduceExtremum(builder, input.dtype(), shape, reduced, isMax, isLast,
                                             point, /*withValue=*/false);
  if (failed(result))
    return failure();
  return result->front();
}

static FailureOr<Tensors> buildArg(Builder &builder, const Node &node, bool isMax) {
  const Tensor &input = node.inputs[0];
  FailureOr<int64_t> axis = builder.normalizeAxis(node.getInt("axis", 0), input.rank());
  if (failed(axis))
    return failure();
  if (input.dim(*axis).isConstant(0))
    return builder.error("expected at least one element along axis " + Twine(*axis) + " of " +
                         input.str());
  return single(locateExtremum(builder, input, *axis, node.getInt("keepdims", 1) != 0, isMax,
                               node.getInt("select_last_index", 0) != 0));
}

/// Builds a tensor that is 1 at the first maximum along the axis and 0 elsewhere. Before version
/// 13, the input is treated as a matrix: all dims from the axis on form one dim, which replaces the
/// axis.
static FailureOr<Tensors> buildHardmax(Builder &builder, const Node &node) {
  Tensor input = node.inputs[0];
  bool isMatrix = node.version < 13;
  FailureOr<int64_t> axis =
      builder.normalizeAxis(node.getInt("axis", isMatrix ? 1 : -1), input.rank());
  if (failed(axis))
    return failure();
  SmallVector<Size> shape(input.shape());
  if (isMatrix) {
    SmallVector<Size> matrix = {product(ArrayRef<Size>(shape).take_front(*axis)),
                                product(ArrayRef<Size>(shape).drop_front(*axis))};
    FailureOr<Tensor> flat = builder.reshape(input, matrix);
    if (failed(flat))
      return failure();
    input = *flat;
    axis = 1;
  }
  FailureOr<Tensor> best = locateExtremum(builder, input, *axis, /*keepDims=*/true,
                                          /*isMax=*/true, /*isLast=*/false);
  if (failed(best))
    return failure();
  FailureOr<Tensor> result = builder.compute(input.dtype(), input.shape(), [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, input.rank());
    Scalar here = indexScalar(body, at[*axis], DType::I64);
    at[*axis] = body.constantExpr(0);
    return toElement(body, here == readScalar(body, *best, at), input.dtype());
  });
  if (failed(result) || !isMatrix)
    return single(result);
  return single(builder.reshape(*result, shape));
}

OperatorRows getArgReductionRows() {
  return {
      {"ArgMax", bindBack(buildArg, /*isMax=*/true)},
      {"ArgMin", bindBack(buildArg, /*isMax=*/false)},
      {"Hardmax", buildHardmax},
  };
}

} // namespace tssa::operators

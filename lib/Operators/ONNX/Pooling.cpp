//===- Pooling.cpp - pooling -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "lib/Operators/ONNX/Reduction.h"
#include "lib/Operators/ONNX/Window.h"
#include "tssa/Builder/Contraction.h"

using namespace mlir;

namespace tssa::operators {

namespace {
/// A pooling of an input [n, c, spatial...] by windows. The result has the shape
/// [n, c, spatial...].
struct Pool {
  Tensor input;
  Windows windows;

  SmallVector<Size> shape() const {
    SmallVector<Size> sizes = {input.dim(0), input.dim(1)};
    for (const Window &window : windows)
      sizes.push_back(window.output);
    return sizes;
  }
  ReducedDims reduced() const {
    ReducedDims dims(input.rank());
    for (const Window &window : windows)
      dims.add(window.kernel);
    return dims;
  }
};

/// The index of the input element that a point of a pooling reads, and the guard of that read.
struct PoolPoint {
  SmallVector<AffineExpr> at, guard;
};
} // namespace

static FailureOr<Pool> getPool(Builder &builder, const Node &node) {
  Pool pool{node.inputs[0], {}};
  if (pool.input.rank() < 3)
    return builder.error("expected an input of rank 3 or more, got " + Twine(pool.input.str()));
  FailureOr<SmallVector<Size>> kernel = getKernel(builder, node, pool.input.rank() - 2);
  if (failed(kernel))
    return failure();
  FailureOr<Windows> windows = getWindows(builder, node, pool.input.shape().drop_front(2), *kernel,
                                          ShortInput::RoundTowardZero);
  if (failed(windows))
    return failure();
  pool.windows = *windows;
  return pool;
}

static PoolPoint getPoint(Body &body, const Pool &pool, const ReducedDims &reduced) {
  PoolPoint point;
  point.at = body.dims(0, 2);
  for (auto [i, window] : llvm::enumerate(pool.windows)) {
    AffineExpr position = window.position(body, body.dim(2 + i), reduced.expr(body, i));
    window.guard(body, position, point.guard);
    point.at.push_back(position);
  }
  return point;
}

static Scalar readOr(Body &body, const Tensor &tensor, const PoolPoint &point, TypedAttr pad) {
  return widen(toScalar(body, body.read(tensor, point.at, point.guard, pad), tensor.dtype()));
}

static FailureOr<Tensor> poolMax(Builder &builder, const Pool &pool) {
  DType type = pool.input.dtype();
  TypedAttr least =
      te::getIdentity(te::Combiner::Max, getElementType(builder.context(), type), isUnsigned(type));
  ReducedDims reduced = pool.reduced();
  return combine(
      builder, te::Combiner::Max, getAccumulator(type), type, pool.shape(), reduced,
      [&](Body &body) { return readOr(body, pool.input, getPoint(body, pool, reduced), least); });
}

/// Returns the linear index of `at` in the tensor as an i64. With `columnMajor`, the first spatial
/// dim varies fastest.
static Scalar flatten(Body &body, const Tensor &tensor, ArrayRef<AffineExpr> at, bool columnMajor) {
  auto sizeOf = [&](int64_t dim) {
    return indexScalar(body, body.size(tensor.dim(dim)), DType::I64);
  };
  auto coordinate = [&](int64_t dim) { return indexScalar(body, at[dim], DType::I64); };
  int64_t rank = tensor.rank();
  Scalar flat = coordinate(0) * sizeOf(1) + coordinate(1);
  if (!columnMajor) {
    for (int64_t dim = 2; dim < rank; ++dim)
      flat = flat * sizeOf(dim) + coordinate(dim);
    return flat;
  }
  for (int64_t dim = 2; dim < rank; ++dim)
    flat = flat * sizeOf(dim);
  Scalar spatial = coordinate(rank - 1);
  for (int64_t dim = rank - 2; dim >= 2; --dim)
    spatial = spatial * sizeOf(dim) + coordinate(dim);
  return flat + spatial;
}

/// Returns the maximum and its position. Of several equal maxima, the first position counts.
static FailureOr<Tensors> poolMaxWithIndex(Builder &builder, const Pool &pool, bool columnMajor) {
  DType type = pool.input.dtype();
  Type element = getElementType(builder.context(), type);
  TypedAttr least = te::getIdentity(te::Combiner::Max, element, isUnsigned(type));
  SmallVector<Size> kernel;
  for (const Window &window : pool.windows)
    kernel.push_back(window.kernel);
  ReducedDims reduced = pool.reduced();
  auto point = [&](Body &body) {
    PoolPoint point = getPoint(body, pool, reduced);
    Scalar value = readOr(body, pool.input, point, least);
    Scalar index = flatten(body, pool.input, point.at, columnMajor);
    if (!point.guard.empty()) {
      Scalar isInside = toScalar(body, body.inside(point.guard), DType::Bool);
      index = select(isInside, index, index.constant(APInt::getSignedMaxValue(64)));
    }
    return SmallVector<Value>{value.getValue(), index.getValue()};
  };
  return reduceExtremum(builder, type, pool.shape(), reduced, /*isMax=*/true, /*isLast=*/false,
                        point,
                        /*withValue=*/true);
}

static FailureOr<Tensors> buildMaxPool(Builder &builder, const Node &node) {
  FailureOr<Pool> pool = getPool(builder, node);
  if (failed(pool))
    return failure();
  if (node.hasOutput(1))
    return poolMaxWithIndex(builder, *pool, node.getInt("storage_order", 0) != 0);
  return single(poolMax(builder, *pool));
}

/// Returns, as f32, the number by which the sum of a window is divided for its average: how many
/// elements of the window are in the input or, with `withPads`, in the input and its pads.
static Scalar countElements(Body &body, const Pool &pool, bool withPads) {
  std::optional<Scalar> count;
  for (auto [i, window] : llvm::enumerate(pool.windows)) {
    AffineExpr start = window.position(body, body.dim(2 + i), body.constantExpr(0));
    AffineExpr begin = body.constantExpr(0), end = body.size(window.input);
    if (withPads) {
      begin = begin - body.size(window.padBegin);
      end = end + body.size(window.padEnd);
    }
    int64_t dilation = window.dilation;
    Scalar first = indexScalar(body, (begin - start).ceilDiv(dilation), DType::I64);
    Scalar last = indexScalar(body, (end - 1 - start).floorDiv(dilation), DType::I64);
    Scalar limit = indexScalar(body, body.size(window.kernel - 1), DType::I64);
    Scalar number = max(min(last, limit) - max(first, first.constant(0)) + 1.0, first.constant(0));
    count = count ? *count * number : number;
  }
  return convert(*count, body.ops.getF32Type());
}

/// Returns whether some window has elements that `countElements` does not count.
static bool hasPartialWindows(const Pool &pool, bool withPads) {
  return llvm::any_of(pool.windows, [&](const Window &window) {
    Size end = window.input + (withPads ? window.padEnd : 0);
    Size last = (window.output - 1) * window.stride + window.extent() - 1 - window.padBegin;
    bool beginsInside = withPads || (-window.padBegin).isAtLeast(0);
    return !beginsInside || !(end - 1 - last).isAtLeast(0);
  });
}

static FailureOr<Tensors> buildAveragePool(Builder &builder, const Node &node) {
  FailureOr<Pool> pool = getPool(builder, node);
  if (failed(pool))
    return failure();
  bool withPads = node.getInt("count_include_pad", 0) != 0;
  bool isPartial = hasPartialWindows(*pool, withPads);
  DType type = pool->input.dtype();
  TypedAttr zero = builder.ops.getZeroAttr(getElementType(builder.context(), type));
  ReducedDims reduced = pool->reduced();
  Size whole(1);
  for (const Window &window : pool->windows)
    whole = whole * window.kernel;
  return single(sum(
      builder, getAccumulator(type), type, pool->shape(), reduced,
      [&](Body &body) { return readOr(body, pool->input, getPoint(body, *pool, reduced), zero); },
      [&](Body &body, Scalar total) {
        Scalar count =
            isPartial ? countElements(body, *pool, withPads)
                      : convert(indexScalar(body, body.size(whole), DType::I64), total.getType());
        return total / convert(count, total.getType());
      }));
}

static FailureOr<Tensors> buildLpPool(Builder &builder, const Node &node) {
  FailureOr<Pool> pool = getPool(builder, node);
  if (failed(pool))
    return failure();
  double p = node.getInt("p", 2);
  DType type = pool->input.dtype();
  TypedAttr zero = builder.ops.getZeroAttr(getElementType(builder.context(), type));
  ReducedDims reduced = pool->reduced();
  return single(sum(
      builder, getAccumulator(type), type, pool->shape(), reduced,
      [&](Body &body) {
        return normTerm(readOr(body, pool->input, getPoint(body, *pool, reduced), zero), p);
      },
      [&](Body &, Scalar total) { return normRoot(total, p); }));
}

/// Reduces all spatial dims to size 1.
static FailureOr<Tensors> buildGlobal(Builder &builder, const Node &node,
                                      const ReductionKind &kind) {
  const Tensor &input = node.inputs[0];
  if (input.rank() < 3)
    return builder.error("expected an input of rank 3 or more, got " + Twine(input.str()));
  auto axes = llvm::to_vector(llvm::seq<int64_t>(2, input.rank()));
  return single(reduceAxes(builder, input, axes, /*keepDims=*/true, kind));
}

OperatorRows getPoolingRows() {
  return {
      {"MaxPool", buildMaxPool},
      {"AveragePool", buildAveragePool},
      {"LpPool", Versions{2}, buildLpPool},
      {"GlobalAveragePool", bindBack(buildGlobal, meanReduction())},
      {"GlobalMaxPool", bindBack(buildGlobal, maxReduction())},
      {"GlobalLpPool", Versions{2},
       [](Builder &builder, const Node &node) {
         return buildGlobal(builder, node, normReduction(node.getInt("p", 2)));
       }},
  };
}

} // namespace tssa::operators

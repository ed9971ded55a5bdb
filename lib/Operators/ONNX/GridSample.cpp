//===- GridSample.cpp - sampling at data-dependent positions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The value at a position is a weighted sum of the input elements around it, the taps. Each
/// spatial dim has a reduction dim over its taps. The weight of a tap depends on its distance from
/// the position. The padding mode determines the values of taps outside the input.
///
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "tssa/Builder/Contraction.h"
#include "tssa/Builder/Indexing.h"

using namespace mlir;

namespace tssa::operators {

namespace {
/// A sampling of an input [n, c, spatial...] at the points of a grid [n, output..., rank]. The
/// result has the shape [n, c, output...].
struct GridSampling {
  enum Mode { Nearest, Linear, Cubic } mode;
  enum Padding { Zeros, Border, Reflection } padding;
  bool alignsCorners;
  Tensor input, grid;
  DType wide;

  int64_t rank() const { return input.rank() - 2; }
  int64_t numTaps() const { return mode == Nearest ? 1 : mode == Linear ? 2 : 4; }
};
} // namespace

static Scalar lengthOf(Body &body, const GridSampling &grid, int64_t dim) {
  Scalar length = sizeScalar(body, grid.input.dim(2 + dim));
  return convert(length, getElementType(body.ops.getContext(), grid.wide));
}

/// Returns the position along spatial dim `dim`, in elements of the input. The last number of a
/// grid point is for the first spatial dim.
static Scalar getPosition(Body &body, const GridSampling &grid, int64_t dim) {
  SmallVector<AffineExpr> at = {body.dim(0)};
  at.append(body.dims(2, 2 + grid.rank()));
  at.push_back(body.constantExpr(grid.rank() - 1 - dim));
  Scalar given =
      convert(readScalar(body, grid.grid, at), getElementType(body.ops.getContext(), grid.wide));
  Scalar length = lengthOf(body, grid, dim);
  return grid.alignsCorners ? (given + 1.0) / 2.0 * (length - 1.0)
                            : ((given + 1.0) * length - 1.0) / 2.0;
}

/// Mirrors `x` into [low, high] as often as needed.
static Scalar reflect(const Scalar &x, const Scalar &low, const Scalar &high) {
  Scalar range = high - low;
  Scalar distance = abs(x - low);
  Scalar turns = floor(distance / range);
  Scalar rest = distance - turns * range;
  Scalar isOdd = turns - floor(turns / 2.0) * 2.0 != 0.0;
  return select(range == 0.0, low, select(isOdd, high - rest, low + rest));
}

/// Returns the weight of an element at this distance.
static Scalar getWeight(const GridSampling &grid, const Scalar &distance) {
  if (grid.mode == GridSampling::Linear)
    return atLeast(1.0 - distance, 0.0);
  const double a = -0.75;
  Scalar d = distance;
  Scalar nearer = ((a + 2) * d - (a + 3)) * d * d + 1.0;
  Scalar farther = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  return select(d <= 1.0, nearer, select(d < 2.0, farther, 0.0));
}

/// Returns the index of a tap along a dim. Multiplies `weight` by the weight along this dim and, if
/// the padding is zeros, restricts `isInside` to taps that are inside the input along this dim.
static AffineExpr addTap(Body &body, const GridSampling &grid, int64_t dim, AffineExpr tap,
                         std::optional<Scalar> &weight, std::optional<Scalar> &isInside) {
  Scalar position = getPosition(body, grid, dim), last = lengthOf(body, grid, dim) - 1.0;
  Scalar index = roundEven(position);
  if (grid.mode != GridSampling::Nearest) {
    AffineExpr offset = tap - (grid.numTaps() / 2 - 1);
    index = floor(position) + convert(indexScalar(body, offset, DType::I64), position.getType());
    Scalar factor = getWeight(grid, abs(position - index));
    weight = weight ? *weight * factor : factor;
  }
  if (grid.padding == GridSampling::Zeros) {
    Scalar isHere = (index >= 0.0) & (index <= last);
    isInside = isInside ? *isInside & isHere : isHere;
  }
  if (grid.padding == GridSampling::Reflection)
    index = grid.alignsCorners ? reflect(index, last.constant(0), last)
                               : reflect(index, last.constant(-0.5), last + 0.5);
  Scalar limited = atLeast(atMost(index, last), 0.0);
  return body.opaque(toIndex(convert(limited, body.ops.getI64Type())));
}

static FailureOr<Tensor> sample(Builder &builder, const GridSampling &grid) {
  int64_t rank = grid.rank();
  SmallVector<Size> shape(grid.input.shape().take_front(2));
  shape.append(grid.grid.shape().begin() + 1, grid.grid.shape().end() - 1);
  ReducedDims reduced(shape.size());
  for (int64_t i = 0; i < rank; ++i)
    reduced.add(grid.numTaps());
  auto term = [&](Body &body) {
    std::optional<Scalar> weight, isInside;
    SmallVector<AffineExpr> at = body.dims(0, 2);
    for (int64_t i = 0; i < rank; ++i)
      at.push_back(addTap(body, grid, i, reduced.expr(body, i), weight, isInside));
    Scalar value =
        convert(readScalar(body, grid.input, at), getElementType(builder.context(), grid.wide));
    if (isInside)
      value = select(*isInside, value, 0.0);
    return weight ? value * *weight : value;
  };
  return sum(builder, grid.wide, grid.input.dtype(), shape, reduced, term);
}

static FailureOr<Tensors> buildGridSample(Builder &builder, const Node &node) {
  GridSampling grid{GridSampling::Linear,
                    GridSampling::Zeros,
                    node.getInt("align_corners", 0) != 0,
                    node.inputs[0],
                    node.inputs[1],
                    node.inputs[0].dtype() == DType::F64 ? DType::F64 : DType::F32};
  StringRef mode = node.getString("mode", "linear");
  if (mode == "nearest")
    grid.mode = GridSampling::Nearest;
  else if (mode == "cubic" || mode == "bicubic")
    grid.mode = GridSampling::Cubic;
  else if (mode != "linear" && mode != "bilinear")
    return builder.error("unknown 'mode' \"" + mode + "\"");
  StringRef padding = node.getString("padding_mode", "zeros");
  if (padding == "border")
    grid.padding = GridSampling::Border;
  else if (padding == "reflection")
    grid.padding = GridSampling::Reflection;
  else if (padding != "zeros")
    return builder.error("unknown 'padding_mode' \"" + padding + "\"");
  if (grid.rank() < 1 || grid.grid.rank() != grid.input.rank() ||
      !grid.grid.shape().back().isConstant(grid.rank()))
    return builder.error("expected a grid of rank " + Twine(grid.input.rank()) +
                         " with a last dim of " + Twine(grid.rank()) + ", got " + grid.grid.str());
  if (failed(builder.requireEqual(grid.input.dim(0), grid.grid.dim(0), "batches")))
    return failure();
  return single(sample(builder, grid));
}

//===----------------------------------------------------------------------===//
// AffineGrid
//===----------------------------------------------------------------------===//

/// Returns the coordinate in [-1, 1] of element `index` of a dim with `size` elements. With
/// `alignsCorners`, the first element is at -1, even if it is the only element.
static Scalar getCoordinate(Body &body, AffineExpr index, const Size &size, bool alignsCorners,
                            Type type) {
  Scalar number = convert(indexScalar(body, index, DType::I64), type);
  Scalar count = convert(sizeScalar(body, size), type);
  if (alignsCorners)
    return number * (2.0 / atLeast(count - 1.0, 1.0)) - 1.0;
  return (number + 0.5) * (2.0 / count) - 1.0;
}

static FailureOr<Tensors> buildAffineGrid(Builder &builder, const Node &node) {
  const Tensor &theta = node.inputs[0];
  FailureOr<SmallVector<Size>> sizes = builder.requireSizes(node.inputs[1], "the size");
  if (failed(sizes))
    return failure();
  if (sizes->size() != 4 && sizes->size() != 5)
    return builder.error("expected 4 or 5 numbers as size, got " + Twine(sizes->size()));
  int64_t rank = sizes->size() - 2;
  if (theta.rank() != 3)
    return builder.error("expected a theta of rank 3, got " + theta.str());
  if (failed(
          builder.requireEqual(theta.dim(0), sizes->front(), "batch of theta and of the size")) ||
      failed(builder.requireEqual(theta.dim(1), rank, "rows of theta")) ||
      failed(builder.requireEqual(theta.dim(2), rank + 1, "columns of theta")))
    return failure();
  bool alignsCorners = node.getInt("align_corners", 0) != 0;
  SmallVector<Size> shape(*sizes);
  shape.erase(shape.begin() + 1);
  shape.push_back(rank);
  Type wide = getElementType(builder.context(), getAccumulator(theta.dtype()));
  return single(builder.compute(theta.dtype(), shape, [&](Body &body) {
    auto factor = [&](int64_t column) {
      return readScalar(body, theta, {body.dim(0), body.dim(rank + 1), body.constantExpr(column)});
    };
    Scalar result = factor(rank);
    for (int64_t column = 0; column < rank; ++column) {
      int64_t dim = rank - column; // column 0 is for the last spatial dim
      result = result +
               factor(column) * getCoordinate(body, body.dim(dim), shape[dim], alignsCorners, wide);
    }
    return toElement(body, result, theta.dtype());
  }));
}

static std::optional<int64_t> gridRank(const NodeFacts &facts) { return facts.rank(1) - 2; }

OperatorRows getGridSampleRows() {
  return {
      {"AffineGrid", buildAffineGrid, List{1, resultRank}},
      {"GridSample", Versions{16}, buildGridSample, List{1, gridRank}},
  };
}

} // namespace tssa::operators

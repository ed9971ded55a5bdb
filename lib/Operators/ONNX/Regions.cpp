//===- Regions.cpp - pooling over data-dependent regions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Only a run knows the number of elements of a region. The program first computes the maximum of
/// this number over all regions. The maximum is the extent of the reduction dims.
///
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "tssa/Builder/Contraction.h"
#include "tssa/Builder/Indexing.h"

using namespace mlir;

namespace tssa::operators {

namespace {
/// Boxes in the two spatial dims of `x`, one per row of `rois`.
struct Regions {
  Tensor x, rois;
  Size outputs[2];
  double scale;
  int64_t firstColumn; ///< the column of x1, followed by those of y1, x2, y2

  /// Returns the type in which positions are computed.
  DType wide() const { return x.dtype() == DType::F64 ? DType::F64 : DType::F32; }
  SmallVector<Size> shape() const { return {rois.dim(0), x.dim(1), outputs[0], outputs[1]}; }

  /// Returns where region d0 begins or, with `isLast`, ends along spatial dim `axis`, in elements
  /// of `x`.
  Scalar corner(Body &body, int64_t axis, bool isLast) const {
    int64_t column = firstColumn + (isLast ? 2 : 0) + (axis == 0 ? 1 : 0);
    return toWide(body, readScalar(body, rois, {body.dim(0), body.constantExpr(column)})) * scale;
  }
  Scalar toWide(Body &body, const Scalar &number) const {
    return convert(number, getElementType(body.ops.getContext(), wide()));
  }
  Scalar output(Body &body, int64_t axis) const {
    return toWide(body, sizeScalar(body, outputs[axis]));
  }
};
} // namespace

static AffineExpr toIndexExpr(Body &body, const Scalar &position) {
  return body.opaque(toIndex(convert(position, body.ops.getI64Type())));
}

/// Returns the maximum of `number` over all regions, or 0 if the maximum is negative. `number`
/// computes its value for region d0.
static FailureOr<Size> findLargest(Builder &builder, const Regions &regions,
                                   function_ref<Scalar(Body &)> number) {
  FailureOr<Tensor> numbers = builder.compute(DType::I64, regions.rois.dim(0), [&](Body &body) {
    return convert(number(body), body.ops.getI64Type()).getValue();
  });
  if (failed(numbers))
    return failure();
  ReducedDims reduced(0);
  unsigned slot = reduced.add(regions.rois.dim(0));
  FailureOr<Tensor> largest =
      combine(builder, te::Combiner::Max, DType::I64, DType::I64, {}, reduced,
              [&](Body &body) { return readScalar(body, *numbers, reduced.expr(body, slot)); });
  if (failed(largest))
    return failure();
  FailureOr<Size> size = builder.requireSize(*largest, "the extent of a region");
  if (failed(size))
    return failure();
  return Size::max(*size, 0);
}

static FailureOr<Regions> getRegions(Builder &builder, const Node &node, int64_t columns) {
  const Tensor &x = node.inputs[0], &rois = node.inputs[1];
  if (x.rank() != 4 || rois.rank() != 2)
    return builder.error("expected an input of rank 4 and regions of rank 2, got " + x.str() +
                         " and " + rois.str());
  if (failed(builder.requireEqual(rois.dim(1), columns, "numbers of a region")))
    return failure();
  return Regions{x, rois, {}, node.getFloat("spatial_scale", 1), columns - 4};
}

//===----------------------------------------------------------------------===//
// RoiAlign
//===----------------------------------------------------------------------===//

namespace {
struct Alignment : Regions {
  Tensor batch;
  int64_t ratio; ///< number of samples of a bin along a dim; 0 means one sample per element
  bool isHalfPixel, isMax;
};
/// The bins of a region along a dim: where the first bin begins, and the length and the number of
/// samples of each bin.
struct Bins {
  Scalar begin, length, samples;
};
/// A sample lies between the elements `low` and `high`, at the distance `fraction` from `low`. It
/// is read only if it is near enough to the input.
struct Sample {
  AffineExpr low, high;
  Scalar fraction, isNear;
};
} // namespace

static Bins getBins(Body &body, const Alignment &a, int64_t axis) {
  double shift = a.isHalfPixel ? 0.5 : 0;
  Scalar begin = a.corner(body, axis, false) - shift, end = a.corner(body, axis, true) - shift;
  Scalar extent = a.isHalfPixel ? end - begin : atLeast(end - begin, 1.0);
  Scalar length = extent / a.output(body, axis);
  Scalar samples = a.ratio > 0 ? length.constant(static_cast<double>(a.ratio)) : ceil(length);
  return {begin, length, samples};
}

static Sample getSample(Body &body, const Alignment &a, int64_t axis, AffineExpr index,
                        Scalar &isCounted) {
  Bins bins = getBins(body, a, axis);
  Scalar number = a.toWide(body, indexScalar(body, index, DType::I64));
  Scalar bin = a.toWide(body, indexScalar(body, body.dim(2 + axis), DType::I64));
  Scalar size = a.toWide(body, sizeScalar(body, a.x.dim(2 + axis)));
  isCounted = number < bins.samples;
  Scalar position = bins.begin + bin * bins.length + (number + 0.5) * bins.length / bins.samples;
  Scalar isNear = (position >= -1.0) & (position <= size);
  position = atLeast(position, 0.0);
  Scalar last = size - 1.0, low = floor(position);
  Scalar isLast = low >= last;
  low = atLeast(atMost(low, last), 0.0);
  Scalar fraction = select(isLast, 0.0, position - low);
  Scalar high = atLeast(atMost(low + 1.0, last), 0.0);
  return {toIndexExpr(body, low), toIndexExpr(body, high), fraction, isNear};
}

/// Returns the value of sample (`row`, `column`) of the current bin. Sets `isCounted` to whether
/// the bin has such a sample.
static Scalar readSample(Body &body, const Alignment &a, AffineExpr row, AffineExpr column,
                         Scalar &isCounted) {
  Scalar isRow = isNaN(a.corner(body, 0, false)), isColumn = isRow;
  Sample y = getSample(body, a, 0, row, isRow), x = getSample(body, a, 1, column, isColumn);
  isCounted = isRow & isColumn;
  AffineExpr image = dataIndex(body, readScalar(body, a.batch, body.dim(0)), a.x.dim(0));
  auto part = [&](bool isLow, bool isLeft) {
    Scalar weight =
        (isLow ? y.fraction : 1.0 - y.fraction) * (isLeft ? 1.0 - x.fraction : x.fraction);
    return weight * a.toWide(body, readScalar(body, a.x,
                                              {image, body.dim(1), isLow ? y.high : y.low,
                                               isLeft ? x.low : x.high}));
  };
  Scalar value = part(false, true);
  for (auto [isLow, isLeft] : {std::pair(false, false), {true, true}, {true, false}})
    value = a.isMax ? max(value, part(isLow, isLeft)) : value + part(isLow, isLeft);
  return select(y.isNear & x.isNear, value, 0.0);
}

static FailureOr<Tensor> align(Builder &builder, const Alignment &a) {
  ReducedDims reduced(4);
  unsigned slots[2];
  for (int64_t axis : {0, 1}) {
    FailureOr<Size> samples = Size(a.ratio);
    if (a.ratio == 0)
      samples = findLargest(builder, a, [&](Body &body) { return getBins(body, a, axis).samples; });
    if (failed(samples))
      return failure();
    slots[axis] = reduced.add(*samples);
  }
  double outside = a.isMax ? -std::numeric_limits<double>::infinity() : 0;
  auto term = [&](Body &body) {
    Scalar isCounted = constantScalar(body, DType::Bool, 1);
    Scalar value =
        readSample(body, a, reduced.expr(body, slots[0]), reduced.expr(body, slots[1]), isCounted);
    return select(isCounted, value, outside);
  };
  auto finish = [&](Body &body, Scalar total) {
    Scalar samples = getBins(body, a, 0).samples * getBins(body, a, 1).samples;
    return a.isMax ? select(samples > 0.0, total, 0.0) : total / atLeast(samples, 1.0);
  };
  return combine(builder, a.isMax ? te::Combiner::Max : te::Combiner::Add, a.wide(), a.x.dtype(),
                 a.shape(), reduced, term, finish);
}

static FailureOr<Tensors> buildRoiAlign(Builder &builder, const Node &node) {
  FailureOr<Regions> regions = getRegions(builder, node, 4);
  if (failed(regions))
    return failure();
  const Tensor &batch = node.inputs[2];
  StringRef mode = node.getString("mode", "avg");
  StringRef shift = node.getString("coordinate_transformation_mode",
                                   node.version >= 16 ? "half_pixel" : "output_half_pixel");
  int64_t height = node.getInt("output_height", 1), width = node.getInt("output_width", 1),
          ratio = node.getInt("sampling_ratio", 0);
  if (mode != "avg" && mode != "max")
    return builder.error("expected avg or max as 'mode', got '" + mode + "'");
  if (shift != "half_pixel" && shift != "output_half_pixel")
    return builder.error("unknown 'coordinate_transformation_mode' '" + shift + "'");
  if (height < 1 || width < 1 || ratio < 0)
    return builder.error("expected a positive output size and no negative 'sampling_ratio'");
  if (batch.rank() != 1 ||
      failed(builder.requireEqual(batch.dim(0), regions->rois.dim(0), "regions and their images")))
    return builder.error("expected one image per region, got " + batch.str());
  Alignment alignment{*regions, batch, ratio, shift == "half_pixel", mode == "max"};
  alignment.outputs[0] = height;
  alignment.outputs[1] = width;
  return single(align(builder, alignment));
}

//===----------------------------------------------------------------------===//
// MaxRoiPool
//===----------------------------------------------------------------------===//

namespace {
/// The elements of the input in a bin, [begin, end).
struct Range {
  Scalar begin, end;
};
} // namespace

/// Rounds to the nearest integer, halves away from 0.
static Scalar roundHalf(const Scalar &x) { return select(x < 0.0, ceil(x - 0.5), floor(x + 0.5)); }

static Scalar getBinLength(Body &body, const Regions &regions, int64_t axis, Scalar &begin) {
  begin = roundHalf(regions.corner(body, axis, false));
  Scalar end = roundHalf(regions.corner(body, axis, true));
  return atLeast(end - begin + 1.0, 1.0) / regions.output(body, axis);
}

static Range getRange(Body &body, const Regions &regions, int64_t axis) {
  Scalar begin = regions.output(body, axis);
  Scalar length = getBinLength(body, regions, axis, begin);
  Scalar bin = regions.toWide(body, indexScalar(body, body.dim(2 + axis), DType::I64));
  Scalar size = regions.toWide(body, sizeScalar(body, regions.x.dim(2 + axis)));
  auto limit = [&](const Scalar &x) { return atMost(atLeast(x + begin, 0.0), size); };
  return {limit(floor(bin * length)), limit(ceil((bin + 1.0) * length))};
}

static FailureOr<Tensor> poolRegions(Builder &builder, const Regions &regions) {
  ReducedDims reduced(4);
  unsigned slots[2];
  for (int64_t axis : {0, 1}) {
    FailureOr<Size> longest = findLargest(builder, regions, [&](Body &body) {
      Scalar begin = regions.output(body, axis);
      return ceil(getBinLength(body, regions, axis, begin)) + 1.0;
    });
    if (failed(longest))
      return failure();
    slots[axis] = reduced.add(Size::min(*longest, regions.x.dim(2 + axis)));
  }
  auto locate = [&](Body &body, int64_t axis, Scalar &isInside) {
    Range range = getRange(body, regions, axis);
    Scalar offset =
        regions.toWide(body, indexScalar(body, reduced.expr(body, slots[axis]), DType::I64));
    Scalar position = range.begin + offset;
    isInside = isInside & (position < range.end);
    Scalar last = regions.toWide(body, sizeScalar(body, regions.x.dim(2 + axis) - 1));
    return toIndexExpr(body, atMost(position, last));
  };
  auto term = [&](Body &body) {
    Scalar isInside = constantScalar(body, DType::Bool, 1);
    AffineExpr row = locate(body, 0, isInside), column = locate(body, 1, isInside);
    Scalar image = readScalar(body, regions.rois, {body.dim(0), body.constantExpr(0)});
    AffineExpr batch = dataIndex(body, convert(image, body.ops.getI64Type()), regions.x.dim(0));
    Scalar value =
        regions.toWide(body, readScalar(body, regions.x, {batch, body.dim(1), row, column}));
    return select(isInside, value, -std::numeric_limits<double>::infinity());
  };
  auto finish = [&](Body &body, Scalar largest) {
    Range rows = getRange(body, regions, 0), columns = getRange(body, regions, 1);
    return select((rows.begin < rows.end) & (columns.begin < columns.end), largest, 0.0);
  };
  return combine(builder, te::Combiner::Max, regions.wide(), regions.x.dtype(), regions.shape(),
                 reduced, term, finish);
}

static FailureOr<Tensors> buildMaxRoiPool(Builder &builder, const Node &node) {
  FailureOr<Regions> regions = getRegions(builder, node, 5);
  if (failed(regions))
    return failure();
  SmallVector<int64_t> shape = node.getInts("pooled_shape");
  if (shape.size() != 2 || shape[0] < 1 || shape[1] < 1)
    return builder.error("expected two positive numbers as 'pooled_shape'");
  regions->outputs[0] = shape[0];
  regions->outputs[1] = shape[1];
  return single(poolRegions(builder, *regions));
}

OperatorRows getRegionsRows() {
  return {
      {"RoiAlign", Versions{10}, buildRoiAlign},
      {"MaxRoiPool", buildMaxRoiPool},
  };
}

} // namespace tssa::operators

//===- Resize.cpp - resampling -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Axes are resampled one after the other. An output element is a weighted sum of a few input
/// elements, the taps. Small tables with a row for each tap have the positions and weights of the
/// taps. Separate te.computes compute the tables in f64; they are folded if the sizes and scales
/// are known. Nearest neighbours with an integer factor are an index expression and need no table.
///
/// Taps along the last axis are scattered reads; taps along other axes are reads of whole rows.
/// Therefore the last axis is resampled before the axes that may become larger: there are fewer
/// rows then.
///
//===----------------------------------------------------------------------===//

#include "lib/Operators/ONNX/Resize.h"
#include "lib/Operators/Families.h"
#include "tssa/Builder/Contraction.h"
#include "tssa/Builder/Indexing.h"
#include <cmath>

using namespace mlir;

namespace tssa::operators {

namespace {
struct ResizeMode {
  enum Kind { Nearest, Linear, Cubic } kind;
  std::string coordinates, nearest;
  bool antialias, excludeOutside;
  double cubicA, extrapolation;
};
} // namespace

static Scalar sizeDouble(Body &body, const Size &size) {
  return convert(sizeScalar(body, size), body.ops.getF64Type());
}

/// Returns the position in the input, as f64, to which output position `o` corresponds.
static Scalar getPosition(Body &body, const ResizeMode &mode, const ResizedAxis &axis,
                          AffineExpr o) {
  Scalar x = convert(indexScalar(body, o, DType::I64), body.ops.getF64Type());
  Scalar scale = axis.scale(body), length = sizeDouble(body, axis.input);
  Scalar width = scale * length;
  if (mode.coordinates == "align_corners")
    return select(width == 1.0, 0.0, x * (length - 1.0) / (width - 1.0));
  if (mode.coordinates == "asymmetric")
    return x / scale;
  if (axis.region) {
    auto [begin, end] = axis.region(body);
    Scalar span = (end - begin) * (length - 1.0);
    return select(width == 1.0, span / 2.0, x * span / (width - 1.0)) + begin * (length - 1.0);
  }
  Scalar halfPixel = (x + 0.5) / scale - 0.5;
  if (mode.coordinates == "pytorch_half_pixel") // of whole output elements, unlike `width`
    return select(sizeDouble(body, axis.output) == 1.0, 0.0, halfPixel);
  if (mode.coordinates == "half_pixel_symmetric") {
    Scalar adjustment = sizeDouble(body, axis.output) / width;
    return length / 2.0 * (1.0 - adjustment) + halfPixel;
  }
  return halfPixel;
}

static Scalar clampToInput(Body &body, const ResizedAxis &axis, const Scalar &position) {
  Scalar last = sizeDouble(body, axis.input) - 1.0;
  return atLeast(atMost(position, last), 0.0);
}

static Scalar roundNearest(const ResizeMode &mode, const Scalar &x) {
  if (mode.nearest == "round_prefer_floor")
    return ceil(x - 0.5);
  if (mode.nearest == "round_prefer_ceil")
    return floor(x + 0.5);
  return mode.nearest == "floor" ? floor(x) : ceil(x);
}

/// If the nearest neighbour of each output position o is o floordiv f, returns f.
static std::optional<int64_t> getWholeFactor(const ResizeMode &mode, const ResizedAxis &axis) {
  constexpr double most = std::numeric_limits<int32_t>::max();
  double scale = axis.knownScale.value_or(0);
  if (!(scale >= 1 && scale <= most) || scale != std::floor(scale))
    return std::nullopt;
  int64_t factor = scale;
  bool isFloor = mode.coordinates == "asymmetric" && mode.nearest == "floor";
  bool isRound = StringRef(mode.coordinates).ends_with("half_pixel") &&
                 StringRef(mode.nearest).starts_with("round");
  if ((!isFloor && !isRound) || axis.output != axis.input * factor)
    return std::nullopt;
  return factor;
}

static bool isExtrapolated(const ResizedAxis &axis) { return bool(axis.region); }

/// Returns `value`, or the extrapolation value if output position `o` corresponds to a position
/// outside the input.
static Scalar extrapolate(Body &body, const ResizeMode &mode, const ResizedAxis &axis, AffineExpr o,
                          const Scalar &value) {
  if (!isExtrapolated(axis))
    return value;
  Scalar position = getPosition(body, mode, axis, o);
  Scalar isOutside = (position < 0.0) | (position > sizeDouble(body, axis.input) - 1.0);
  return select(isOutside, mode.extrapolation, value);
}

static SmallVector<Size> withDim(const Tensor &x, int64_t dim, const Size &size) {
  SmallVector<Size> shape(x.shape());
  shape[dim] = size;
  return shape;
}

static FailureOr<Tensor> resizeNearest(Builder &builder, const Tensor &x, const ResizeMode &mode,
                                       const ResizedAxis &axis) {
  std::optional<int64_t> factor = getWholeFactor(mode, axis);
  Tensor table;
  if (!factor) {
    FailureOr<Tensor> positions = builder.compute(DType::I64, axis.output, [&](Body &body) {
      Scalar nearest = roundNearest(mode, getPosition(body, mode, axis, body.dim(0)));
      return toElement(body, clampToInput(body, axis, nearest), DType::I64);
    });
    if (failed(positions))
      return failure();
    table = *positions;
  }
  return builder.compute(x.dtype(), withDim(x, axis.axis, axis.output), [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, x.rank());
    AffineExpr o = at[axis.axis];
    at[axis.axis] = factor ? o.floorDiv(*factor) : body.opaque(toIndex(readScalar(body, table, o)));
    Scalar value = toScalar(body, body.read(x, at), x.dtype());
    return extrapolate(body, mode, axis, o, value).getValue();
  });
}

/// Returns the weight of an input element at `distance`, which getStretch has scaled.
static Scalar getWeight(const ResizeMode &mode, const Scalar &distance) {
  if (mode.kind == ResizeMode::Linear)
    return atLeast(1.0 - distance, 0.0);
  double a = mode.cubicA;
  Scalar d = distance;
  Scalar nearer = ((a + 2) * d - (a + 3)) * d * d + 1.0;
  Scalar farther = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  return select(d <= 1.0, nearer, select(d < 2.0, farther, 0.0));
}

/// Returns the factor by which distances are multiplied. If the axis becomes smaller and is
/// antialiased, the factor is the scale, which stretches the support by 1 / scale. Otherwise the
/// factor is 1.
static Scalar getStretch(Body &body, const ResizeMode &mode, const ResizedAxis &axis) {
  Scalar scale = axis.scale(body);
  return mode.antialias ? atMost(scale, 1.0) : scale.constant(1);
}

/// Returns half of the number of taps.
static FailureOr<Size> getReach(Builder &builder, const ResizeMode &mode, const ResizedAxis &axis) {
  double support = mode.kind == ResizeMode::Linear ? 1 : 2;
  if (!mode.antialias)
    return Size(static_cast<int64_t>(support));
  FailureOr<Tensor> reach = builder.compute(DType::I64, {}, [&](Body &body) {
    Scalar stretched = support / getStretch(body, mode, axis);
    return toElement(body, ceil(stretched), DType::I64);
  });
  if (failed(reach))
    return failure();
  return builder.requireSize(*reach, "the support of the antialiasing filter");
}

namespace {
/// The tables. For each tap and output position, `positions` has the input position and `weights`
/// has its weight. `total` has the sum of the weights for each output position; it is null if all
/// sums are 1.
struct Taps {
  Size count;
  Tensor positions, weights, total;
};
} // namespace

static FailureOr<Taps> getTaps(Builder &builder, const ResizeMode &mode, const ResizedAxis &axis,
                               DType wide) {
  FailureOr<Size> reach = getReach(builder, mode, axis);
  if (failed(reach))
    return failure();
  Size count = *reach * 2;
  auto getTap = [&](Body &body, const Scalar &position) {
    Scalar tap = convert(indexScalar(body, body.dim(0), DType::I64), body.ops.getF64Type());
    return floor(position) + tap - (sizeDouble(body, *reach) - 1.0);
  };
  FailureOr<Tensor> positions = builder.compute(DType::I64, {count, axis.output}, [&](Body &body) {
    Scalar tap = getTap(body, getPosition(body, mode, axis, body.dim(1)));
    return toElement(body, clampToInput(body, axis, tap), DType::I64);
  });
  FailureOr<Tensor> weights = builder.compute(wide, {count, axis.output}, [&](Body &body) {
    Scalar position = getPosition(body, mode, axis, body.dim(1));
    Scalar tap = getTap(body, position);
    Scalar weight = getWeight(mode, abs(tap - position) * getStretch(body, mode, axis));
    if (mode.excludeOutside) {
      Scalar isOutside = (tap < 0.0) | (tap > sizeDouble(body, axis.input) - 1.0);
      weight = select(isOutside, 0.0, weight);
    }
    return toElement(body, weight, wide);
  });
  if (failed(positions) || failed(weights))
    return failure();
  Taps taps{count, *positions, *weights, Tensor()};
  if (mode.antialias || mode.excludeOutside) {
    ReducedDims reduced(1);
    unsigned slot = reduced.add(count);
    FailureOr<Tensor> total = sum(builder, wide, wide, axis.output, reduced, [&](Body &body) {
      return readScalar(body, taps.weights, {reduced.expr(body, slot), body.dim(0)});
    });
    if (failed(total))
      return failure();
    taps.total = *total;
  }
  return taps;
}

static FailureOr<Tensor> resample(Builder &builder, const Tensor &x, const ResizeMode &mode,
                                  const ResizedAxis &axis) {
  DType wide = x.dtype() == DType::F64 ? DType::F64 : DType::F32;
  FailureOr<Taps> taps = getTaps(builder, mode, axis, wide);
  if (failed(taps))
    return failure();
  ReducedDims reduced(x.rank());
  unsigned slot = reduced.add(taps->count);
  auto term = [&](Body &body) {
    AffineExpr entry[] = {reduced.expr(body, slot), body.dim(axis.axis)};
    SmallVector<AffineExpr> at = body.dims(0, x.rank());
    at[axis.axis] = body.opaque(toIndex(readScalar(body, taps->positions, entry)));
    Scalar element = readScalar(body, x, at);
    return convert(element, getElementType(builder.context(), wide)) *
           readScalar(body, taps->weights, entry);
  };
  auto epilogue = [&](Body &body, Scalar total) {
    AffineExpr o = body.dim(axis.axis);
    Scalar value = taps->total ? total / readScalar(body, taps->total, o) : total;
    return extrapolate(body, mode, axis, o, value);
  };
  bool isPlain = !taps->total && !isExtrapolated(axis);
  return sum(builder, wide, x.dtype(), withDim(x, axis.axis, axis.output), reduced, term,
             isPlain ? EpilogueFn() : EpilogueFn(epilogue));
}

/// Sorts the axes in the order of resampling. The axes that are known to become smaller come first,
/// in the given order. The other axes follow, the last axis first.
static void sortAxes(std::vector<ResizedAxis> &axes) {
  auto shrinks = [](const ResizedAxis &axis) { return axis.knownScale.value_or(1) < 1; };
  llvm::stable_sort(axes, [&](const ResizedAxis &a, const ResizedAxis &b) {
    return shrinks(a) != shrinks(b) ? shrinks(a) : !shrinks(a) && a.axis > b.axis;
  });
}

static FailureOr<Tensors> resize(Builder &builder, const Node &node, ResizeMode mode,
                                 const Tensor &roi, const Tensor &scales, const Tensor &sizes) {
  StringRef name = node.getString("mode", "nearest");
  if (name == "nearest")
    mode.kind = ResizeMode::Nearest;
  else if (name == "linear" || name == "bilinear" || name == "cubic")
    mode.kind = name == "cubic" ? ResizeMode::Cubic : ResizeMode::Linear;
  else
    return builder.error("unknown 'mode' \"" + name + "\"");
  if (!scales && !sizes)
    return builder.error("expected scales or sizes");
  FailureOr<std::vector<ResizedAxis>> axes = getResizedAxes(builder, node, roi, scales, sizes);
  if (failed(axes))
    return failure();
  sortAxes(*axes);
  Tensor x = node.inputs[0];
  for (const ResizedAxis &axis : *axes) {
    if (axis.isIdentity())
      continue;
    FailureOr<Tensor> resized = mode.kind == ResizeMode::Nearest
                                    ? resizeNearest(builder, x, mode, axis)
                                    : resample(builder, x, mode, axis);
    if (failed(resized))
      return failure();
    x = *resized;
  }
  return Tensors{x};
}

/// Returns an optional input, or null if the input is absent or has no elements.
static Tensor getFilled(const Node &node, unsigned i) {
  Tensor input = node.input(i);
  return input && !input.numElements().isConstant(0) ? input : Tensor();
}

static FailureOr<Tensors> buildResize(Builder &builder, const Node &node) {
  ResizeMode mode{ResizeMode::Nearest,
                  node.getString("coordinate_transformation_mode", "half_pixel").str(),
                  node.getString("nearest_mode", "round_prefer_floor").str(),
                  node.getInt("antialias", 0) != 0,
                  node.getInt("exclude_outside", 0) != 0,
                  node.getFloat("cubic_coeff_a", -0.75),
                  node.getFloat("extrapolation_value", 0)};
  return resize(builder, node, mode, getFilled(node, 1), getFilled(node, 2), getFilled(node, 3));
}

/// Builds Upsample, or Resize before version 11. Both have only scales.
static FailureOr<Tensors> buildUpsample(Builder &builder, const Node &node) {
  ResizeMode mode{ResizeMode::Nearest, "asymmetric", "floor", false, false, -0.75, 0};
  Tensor scales = node.input(1);
  if (!scales) {
    SmallVector<float> numbers;
    for (double number : node.getFloats("scales"))
      numbers.push_back(number);
    auto type = RankedTensorType::get(numbers.size(), builder.ops.getF32Type());
    scales = builder.constant(DType::F32, DenseElementsAttr::get(type, ArrayRef<float>(numbers)));
  }
  return resize(builder, node, mode, Tensor(), scales, Tensor());
}

/// Returns the length of the list of scales. An empty list means that no scales are given.
static std::optional<int64_t> scalesLength(const NodeFacts &facts) {
  return facts.node.input(3) ? std::nullopt : std::optional(facts.numAxes());
}

static std::optional<int64_t> sizesLength(const NodeFacts &facts) { return facts.numAxes(); }

static std::optional<int64_t> regionLength(const NodeFacts &facts) {
  bool isUsed = facts.node.getString("coordinate_transformation_mode", "") == "tf_crop_and_resize";
  return isUsed ? std::optional(2 * facts.numAxes()) : std::nullopt;
}

OperatorRows getResizeRows() {
  return {
      {"Resize", Versions{10, 10}, buildUpsample},
      {"Resize", Versions{11}, buildResize, List{1, regionLength}, List{2, scalesLength},
       List{3, sizesLength}},
      {"Upsample", Versions{7}, buildUpsample, List{1, inputRank}},
  };
}

} // namespace tssa::operators

//===- Normalization.cpp - normalisation by mean and variance -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A normalisation is three te.computes: the mean, the variance (the mean of the squared distances
/// from the mean) and the result. For f16 and bf16, statistics are f32.
///
//===----------------------------------------------------------------------===//

#include "lib/Operators/ONNX/Normalization.h"
#include "lib/Operators/Families.h"
#include "tssa/Builder/Contraction.h"
#include <cmath>

using namespace mlir;

namespace tssa::operators {

namespace {
/// The elements of `x`, divided into groups. The groups form a tensor of shape `outer`, and each
/// group is a tensor of shape `inner`. Given the index of a group and a position in the group, `at`
/// returns the index of the element in `x`.
struct Groups {
  Tensor x;
  SmallVector<Size> outer, inner;
  std::function<SmallVector<AffineExpr>(ArrayRef<AffineExpr> group, ArrayRef<AffineExpr> position)>
      at;

  DType wide() const { return getAccumulator(x.dtype()); }
};

/// Maps the mean of a group to a statistic of the group.
using MeanFn = llvm::function_ref<Scalar(Scalar)>;
} // namespace

/// Returns finish(mean of term(element)) for each group.
static FailureOr<Tensor> averageGroups(Builder &builder, const Groups &groups,
                                       llvm::function_ref<Scalar(Body &, Scalar)> term,
                                       MeanFn finish) {
  ReducedDims reduced(groups.outer.size());
  unsigned slot = reduced.add(groups.inner);
  Size count = product(groups.inner);
  return sum(
      builder, groups.wide(), groups.wide(), groups.outer, reduced,
      [&](Body &body) {
        SmallVector<AffineExpr> position;
        for (unsigned i = 0; i < groups.inner.size(); ++i)
          position.push_back(reduced.expr(body, slot + i));
        auto at = groups.at(body.dims(0, groups.outer.size()), position);
        return term(body, readScalar(body, groups.x, at));
      },
      [&](Body &body, Scalar total) {
        Scalar number = indexScalar(body, body.size(count), DType::I64);
        return finish(total / convert(number, total.getType()));
      });
}

static FailureOr<Tensor> getMean(Builder &builder, const Groups &groups) {
  return averageGroups(
      builder, groups, [](Body &, Scalar x) { return x; }, [](Scalar mean) { return mean; });
}

/// Returns finish(variance) for each group.
static FailureOr<Tensor> getSpread(Builder &builder, const Groups &groups, const Tensor &mean,
                                   MeanFn finish) {
  return averageGroups(
      builder, groups,
      [&](Body &body, Scalar x) {
        Scalar distance = x - readScalar(body, mean, body.dims(0, groups.outer.size()));
        return distance * distance;
      },
      finish);
}

/// Returns the groups of elements whose indexes differ only in `axes`, which are sorted.
static Groups groupByAxes(const Tensor &x, ArrayRef<int64_t> axes) {
  Groups groups{x, {}, {}, nullptr};
  SmallVector<bool> isInner(x.rank(), false);
  for (int64_t axis : axes)
    isInner[axis] = true;
  for (auto [size, inner] : llvm::zip_equal(x.shape(), isInner))
    (inner ? groups.inner : groups.outer).push_back(size);
  groups.at = [isInner](ArrayRef<AffineExpr> group, ArrayRef<AffineExpr> position) {
    SmallVector<AffineExpr> at;
    for (bool inner : isInner) {
      ArrayRef<AffineExpr> &from = inner ? position : group;
      at.push_back(from.front());
      from = from.drop_front();
    }
    return at;
  };
  return groups;
}

static auto getInverseDeviation(double epsilon) {
  return [epsilon](Scalar variance) { return 1.0 / sqrt(variance + epsilon); };
}

namespace {
struct Statistics {
  Tensor mean, inverse;
};
} // namespace

/// Returns the mean and the inverse of the deviation, `invert(variance)`, of each group.
static FailureOr<Statistics> getStatistics(Builder &builder, const Groups &groups, MeanFn invert) {
  FailureOr<Tensor> mean = getMean(builder, groups);
  if (failed(mean))
    return failure();
  FailureOr<Tensor> inverse = getSpread(builder, groups, *mean, invert);
  if (failed(inverse))
    return failure();
  return Statistics{*mean, *inverse};
}

/// Returns (x - mean) * inverse for the element at `at`, which is in group `group`.
static Scalar standardize(Body &body, const Tensor &x, const Statistics &statistics,
                          ArrayRef<AffineExpr> at, ArrayRef<AffineExpr> group) {
  return (readScalar(body, x, at) - readScalar(body, statistics.mean, group)) *
         readScalar(body, statistics.inverse, group);
}

FailureOr<Tensor> keepStatisticDims(Builder &builder, const Tensor &statistic, int64_t rank) {
  SmallVector<Size> shape(statistic.shape());
  shape.resize(rank, Size(1));
  return builder.reshape(statistic, shape);
}

/// Returns the mean (null if the normalisation is not centered) and the inverse of the deviation.
static FailureOr<Statistics> getLayerStatistics(Builder &builder, const Groups &groups,
                                                const LayerOptions &options) {
  auto invert = getInverseDeviation(options.epsilon);
  if (options.isCentered)
    return getStatistics(builder, groups, invert);
  FailureOr<Tensor> inverse =
      averageGroups(builder, groups, [](Body &, Scalar x) { return x * x; }, invert);
  if (failed(inverse))
    return failure();
  return Statistics{Tensor(), *inverse};
}

/// Requires that `factor` is null or broadcasts to the shape of `x`.
static LogicalResult requireFactor(Builder &builder, const Tensor &factor, const Tensor &x) {
  if (!factor)
    return success();
  if (factor.rank() > x.rank())
    return builder.error("expected a scale or bias that broadcasts to " + x.str() + ", got " +
                         factor.str());
  for (auto [size, extent] : llvm::zip_equal(factor.shape(), x.shape().take_back(factor.rank())))
    if (!size.isConstant(1) &&
        failed(builder.requireEqual(size, extent, "sizes of a scale or bias and of the input")))
      return failure();
  return success();
}

FailureOr<NormalizedLayer> normalizeLayer(Builder &builder, const Tensor &x,
                                          const LayerOptions &options) {
  Groups groups = groupByAxes(x, llvm::to_vector(llvm::seq<int64_t>(options.axis, x.rank())));
  if (failed(requireFactor(builder, options.scale, x)) ||
      failed(requireFactor(builder, options.bias, x)))
    return failure();
  FailureOr<Statistics> statistics = getLayerStatistics(builder, groups, options);
  if (failed(statistics))
    return failure();
  DType type = options.scale ? options.scale.dtype() : x.dtype();
  DType wide = type == DType::F64 ? type : groups.wide();
  FailureOr<Tensor> result = builder.compute(type, x.shape(), [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, x.rank()), row = body.dims(0, options.axis);
    mlir::Type wideType = getElementType(builder.context(), wide);
    Scalar y = readScalar(body, x, at);
    if (options.isCentered)
      y = y - readScalar(body, statistics->mean, row);
    y = convert(y * readScalar(body, statistics->inverse, row), wideType);
    auto readFactor = [&](const Tensor &factor) {
      mlir::Value value = body.readBroadcast(factor, x.shape(), at);
      return convert(widen(toScalar(body, value, factor.dtype())), wideType);
    };
    if (options.scale)
      y = y * readFactor(options.scale);
    if (options.bias)
      y = y + readFactor(options.bias);
    return toElement(body, y, type);
  });
  if (failed(result))
    return failure();
  return NormalizedLayer{*result, statistics->mean, statistics->inverse};
}

static FailureOr<Tensors> buildLayerNormalization(Builder &builder, const Node &node,
                                                  bool isCentered) {
  const Tensor &x = node.inputs[0];
  FailureOr<int64_t> axis = builder.normalizeAxis(node.getInt("axis", -1), x.rank());
  if (failed(axis))
    return failure();
  FailureOr<NormalizedLayer> layer = normalizeLayer(
      builder, x,
      {*axis, node.getFloat("epsilon", 1e-5), isCentered, node.inputs[1], node.input(2)});
  if (failed(layer))
    return failure();
  Tensors results = {layer->result};
  SmallVector<Tensor> statistics = {layer->inverse};
  if (isCentered)
    statistics.insert(statistics.begin(), layer->mean);
  for (auto [i, statistic] : llvm::enumerate(statistics)) {
    results.push_back(Tensor());
    if (!node.hasOutput(i + 1))
      continue;
    FailureOr<Tensor> output = keepStatisticDims(builder, statistic, x.rank());
    if (failed(output))
      return failure();
    results.back() = *output;
  }
  return results;
}

/// Requires that `scale` and `bias` each have `count` elements.
static LogicalResult requireOneForEach(Builder &builder, const Tensor &scale, const Tensor &bias,
                                       const Size &count) {
  for (const Tensor &factor : {scale, bias}) {
    if (factor.rank() != 1)
      return builder.error("expected a scale and a bias of rank 1, got " + Twine(factor.str()));
    if (failed(builder.requireEqual(factor.dim(0), count, "elements of a scale or bias")))
      return failure();
  }
  return success();
}

static FailureOr<Tensors> buildInstanceNormalization(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0], &scale = node.inputs[1], &bias = node.inputs[2];
  if (x.rank() < 3)
    return builder.error("expected an input of rank 3 or more, got " + Twine(x.str()));
  if (failed(requireOneForEach(builder, scale, bias, x.dim(1))))
    return failure();
  Groups groups = groupByAxes(x, llvm::to_vector(llvm::seq<int64_t>(2, x.rank())));
  FailureOr<Statistics> statistics =
      getStatistics(builder, groups, getInverseDeviation(node.getFloat("epsilon", 1e-5)));
  if (failed(statistics))
    return failure();
  return single(builder.compute(x.dtype(), x.shape(), [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, x.rank()), row = body.dims(0, 2);
    Scalar y = standardize(body, x, *statistics, at, row);
    y = y * readScalar(body, scale, at[1]) + readScalar(body, bias, at[1]);
    return toElement(body, y, x.dtype());
  }));
}

FailureOr<Tensor> normalizeGroups(Builder &builder, const Tensor &x, const GroupOptions &options) {
  int64_t numGroups = options.numGroups;
  std::optional<int64_t> channels = x.rank() < 2 ? std::nullopt : x.dim(1).constant();
  if (!channels)
    return builder.unsupported("an input without a known number of channels");
  if (numGroups < 1 || *channels % numGroups != 0)
    return builder.error("num_groups " + Twine(numGroups) + " does not divide " + Twine(*channels) +
                         " channels");
  if (failed(requireOneForEach(builder, options.scale, options.bias,
                               options.isPerGroup ? numGroups : *channels)))
    return failure();
  int64_t perGroup = *channels / numGroups;
  Groups groups{x, {x.dim(0), numGroups}, {perGroup}, nullptr};
  groups.inner.append(x.shape().begin() + 2, x.shape().end());
  groups.at = [=](ArrayRef<AffineExpr> group, ArrayRef<AffineExpr> position) {
    SmallVector<AffineExpr> at = {group[0], group[1] * perGroup + position[0]};
    at.append(position.begin() + 1, position.end());
    return at;
  };
  FailureOr<Statistics> statistics =
      getStatistics(builder, groups, getInverseDeviation(options.epsilon));
  if (failed(statistics))
    return failure();
  return builder.compute(x.dtype(), x.shape(), [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, x.rank());
    AffineExpr group = at[1].floorDiv(std::max<int64_t>(perGroup, 1)),
               factor = options.isPerGroup ? group : at[1];
    Scalar y = standardize(body, x, *statistics, at, {at[0], group});
    y = y * readScalar(body, options.scale, factor) + readScalar(body, options.bias, factor);
    return toElement(body, y, x.dtype());
  });
}

/// Builds GroupNormalization. Scale and bias have one element per channel; before version 21, one
/// element per group.
static FailureOr<Tensors> buildGroupNormalization(Builder &builder, const Node &node) {
  return single(normalizeGroups(builder, node.inputs[0],
                                {node.getInt("num_groups", 0), node.getFloat("epsilon", 1e-5),
                                 node.inputs[1], node.inputs[2], node.version < 21}));
}

static FailureOr<Tensors> buildMeanVarianceNormalization(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0];
  FailureOr<SmallVector<int64_t>> axes =
      builder.normalizeAxes(node.getInts("axes", {0, 2, 3}), x.rank());
  if (failed(axes))
    return failure();
  Groups groups = groupByAxes(x, *axes);
  FailureOr<Statistics> statistics =
      getStatistics(builder, groups, [](Scalar variance) { return 1.0 / (sqrt(variance) + 1e-9); });
  if (failed(statistics))
    return failure();
  return single(builder.compute(x.dtype(), x.shape(), [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, x.rank()), row;
    for (AffineExpr dim : at)
      if (!llvm::is_contained(*axes, cast<AffineDimExpr>(dim).getPosition()))
        row.push_back(dim);
    Scalar y = standardize(body, x, *statistics, at, row);
    return toElement(body, y, x.dtype());
  }));
}

OperatorRows getNormalizationRows() {
  return {
      {"LayerNormalization", bindBack(buildLayerNormalization, /*isCentered=*/true)},
      {"RMSNormalization", bindBack(buildLayerNormalization, /*isCentered=*/false)},
      {"InstanceNormalization", buildInstanceNormalization},
      {"GroupNormalization", buildGroupNormalization},
      {"MeanVarianceNormalization", buildMeanVarianceNormalization},
  };
}

} // namespace tssa::operators

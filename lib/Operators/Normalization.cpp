//===- Normalization.cpp - normalisation by mean and variance -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Mean, then the mean of the squared distances from it, then the result: three
/// computes. Statistics are kept in f32 for f16 and bf16.
///
//===----------------------------------------------------------------------===//

#include "lib/Operators/Contraction.h"
#include "tssa/Operators/Registry.h"
#include <cmath>

using namespace mlir;

namespace tssa::operators {

namespace {
/// How elements of `x` are grouped: groups have the sizes `outer`, and `at` is an
/// element's point in terms of its group and its place in it.
struct Groups {
  Tensor x;
  SmallVector<Size> outer, inner;
  std::function<SmallVector<AffineExpr>(ArrayRef<AffineExpr> group, ArrayRef<AffineExpr> place)>
      at;

  DType wide() const { return getAccumulator(x.dtype()); }
};

/// What of a group is made of the mean of f(x) over it.
using MeanFn = llvm::function_ref<Scalar(Scalar)>;
} // namespace

/// finish(mean of term(element)) for each group.
static FailureOr<Tensor> averageGroups(Builder &builder, const Groups &groups,
                                       llvm::function_ref<Scalar(Body &, Scalar)> term,
                                       MeanFn finish) {
  ReducedDims reduced(groups.outer.size());
  unsigned slot = reduced.add(groups.inner);
  Size count = product(groups.inner);
  return sum(
      builder, groups.wide(), groups.wide(), groups.outer, reduced,
      [&](Body &body) {
        SmallVector<AffineExpr> place;
        for (unsigned i = 0; i < groups.inner.size(); ++i)
          place.push_back(reduced.expr(body, slot + i));
        auto at = groups.at(body.dims(0, groups.outer.size()), place);
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

/// finish(variance) for each group.
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

/// Groups of all elements that differ only in `axes`, which are sorted.
static Groups groupByAxes(const Tensor &x, ArrayRef<int64_t> axes) {
  Groups groups{x, {}, {}, nullptr};
  SmallVector<bool> isInner(x.rank(), false);
  for (int64_t axis : axes)
    isInner[axis] = true;
  for (auto [size, inner] : llvm::zip_equal(x.shape(), isInner))
    (inner ? groups.inner : groups.outer).push_back(size);
  groups.at = [isInner](ArrayRef<AffineExpr> group, ArrayRef<AffineExpr> place) {
    SmallVector<AffineExpr> at;
    for (bool inner : isInner) {
      ArrayRef<AffineExpr> &from = inner ? place : group;
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

/// Mean and inverse of the deviation, `invert(variance)`, of each group.
static FailureOr<Statistics> getStatistics(Builder &builder, const Groups &groups, MeanFn invert) {
  FailureOr<Tensor> mean = getMean(builder, groups);
  if (failed(mean))
    return failure();
  FailureOr<Tensor> inverse = getSpread(builder, groups, *mean, invert);
  if (failed(inverse))
    return failure();
  return Statistics{*mean, *inverse};
}

/// (x - mean) * inverse at `at`, which is in group `group`.
static Scalar standardize(Body &body, const Tensor &x, const Statistics &statistics,
                          ArrayRef<AffineExpr> at, ArrayRef<AffineExpr> group) {
  return (readScalar(body, x, at) - readScalar(body, statistics.mean, group)) *
         readScalar(body, statistics.inverse, group);
}

/// A statistic of groups over the last dims, with these dims of size 1.
static FailureOr<Tensor> keepDims(Builder &builder, const Tensor &statistic, int64_t rank) {
  SmallVector<Size> shape(statistic.shape());
  shape.resize(rank, Size(1));
  return builder.reshape(statistic, shape);
}

static FailureOr<Tensors> buildLayerNormalization(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0], &scale = node.inputs[1];
  Tensor bias = node.input(2);
  FailureOr<int64_t> axis = builder.normalizeAxis(node.getInt("axis", -1), x.rank());
  if (failed(axis))
    return failure();
  Groups groups = groupByAxes(x, llvm::to_vector(llvm::seq<int64_t>(*axis, x.rank())));
  FailureOr<Statistics> statistics = getStatistics(
      builder, groups, getInverseDeviation(node.getFloat("epsilon", 1e-5)));
  if (failed(statistics))
    return failure();
  FailureOr<Tensor> result = builder.compute(x.dtype(), x.shape(), [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, x.rank()), row = body.dims(0, *axis);
    Scalar y = standardize(body, x, *statistics, at, row);
    y = y * widen(toScalar(body, body.readBroadcast(scale, x.shape(), at), scale.dtype()));
    if (bias)
      y = y + widen(toScalar(body, body.readBroadcast(bias, x.shape(), at), bias.dtype()));
    return toElement(body, y, x.dtype());
  });
  if (failed(result))
    return failure();
  Tensors results = {*result, Tensor(), Tensor()};
  for (unsigned i : {1, 2}) {
    if (!node.hasOutput(i))
      continue;
    FailureOr<Tensor> output = keepDims(builder, i == 1 ? statistics->mean : statistics->inverse, x.rank());
    if (failed(output))
      return failure();
    results[i] = *output;
  }
  return results;
}

static FailureOr<Tensors> buildRMSNormalization(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0], &scale = node.inputs[1];
  FailureOr<int64_t> axis = builder.normalizeAxis(node.getInt("axis", -1), x.rank());
  if (failed(axis))
    return failure();
  Groups groups = groupByAxes(x, llvm::to_vector(llvm::seq<int64_t>(*axis, x.rank())));
  FailureOr<Tensor> inverse =
      averageGroups(builder, groups, [](Body &, Scalar x) { return x * x; },
                    getInverseDeviation(node.getFloat("epsilon", 1e-5)));
  if (failed(inverse))
    return failure();
  return single(builder.compute(x.dtype(), x.shape(), [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, x.rank()), row = body.dims(0, *axis);
    Value factor = body.readBroadcast(scale, x.shape(), at);
    Scalar y = readScalar(body, x, at) * readScalar(body, *inverse, row);
    return toElement(body, y * widen(toScalar(body, factor, scale.dtype())), x.dtype());
  }));
}

static FailureOr<Tensors> buildInstanceNormalization(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0], &scale = node.inputs[1], &bias = node.inputs[2];
  if (x.rank() < 3)
    return builder.error("expected an input of rank 3 or more, got " + Twine(x.str()));
  Groups groups = groupByAxes(x, llvm::to_vector(llvm::seq<int64_t>(2, x.rank())));
  FailureOr<Statistics> statistics = getStatistics(
      builder, groups, getInverseDeviation(node.getFloat("epsilon", 1e-5)));
  if (failed(statistics))
    return failure();
  return single(builder.compute(x.dtype(), x.shape(), [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, x.rank()), row = body.dims(0, 2);
    Scalar y = standardize(body, x, *statistics, at, row);
    y = y * readScalar(body, scale, at[1]) + readScalar(body, bias, at[1]);
    return toElement(body, y, x.dtype());
  }));
}

/// Scale and bias are per channel; per group before version 21.
static FailureOr<Tensors> buildGroupNormalization(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0], &scale = node.inputs[1], &bias = node.inputs[2];
  int64_t numGroups = node.getInt("num_groups", 0);
  std::optional<int64_t> channels = x.rank() < 2 ? std::nullopt : x.dim(1).constant();
  if (!channels)
    return builder.unsupported("an input without a known number of channels");
  if (numGroups < 1 || *channels % numGroups != 0)
    return builder.error("num_groups " + Twine(numGroups) + " does not divide " +
                         Twine(*channels) + " channels");
  int64_t perGroup = *channels / numGroups;
  Groups groups{x, {x.dim(0), numGroups}, {perGroup}, nullptr};
  groups.inner.append(x.shape().begin() + 2, x.shape().end());
  groups.at = [=](ArrayRef<AffineExpr> group, ArrayRef<AffineExpr> place) {
    SmallVector<AffineExpr> at = {group[0], group[1] * perGroup + place[0]};
    at.append(place.begin() + 1, place.end());
    return at;
  };
  FailureOr<Statistics> statistics = getStatistics(
      builder, groups, getInverseDeviation(node.getFloat("epsilon", 1e-5)));
  if (failed(statistics))
    return failure();
  return single(builder.compute(x.dtype(), x.shape(), [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, x.rank());
    AffineExpr group = at[1].floorDiv(perGroup), factor = node.version < 21 ? group : at[1];
    Scalar y = standardize(body, x, *statistics, at, {at[0], group});
    y = y * readScalar(body, scale, factor) + readScalar(body, bias, factor);
    return toElement(body, y, x.dtype());
  }));
}

static FailureOr<Tensors> buildMeanVarianceNormalization(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0];
  FailureOr<SmallVector<int64_t>> axes =
      builder.normalizeAxes(node.getInts("axes", {0, 2, 3}), x.rank());
  if (failed(axes))
    return failure();
  Groups groups = groupByAxes(x, *axes);
  FailureOr<Statistics> statistics = getStatistics(builder, groups, [](Scalar variance) {
    return 1.0 / (sqrt(variance) + 1e-9);
  });
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

void registerNormalization(Registry &registry) {
  registry.add("LayerNormalization", buildLayerNormalization);
  registry.add("RMSNormalization", buildRMSNormalization);
  registry.add("InstanceNormalization", buildInstanceNormalization);
  registry.add("GroupNormalization", buildGroupNormalization);
  registry.add("MeanVarianceNormalization", buildMeanVarianceNormalization);
}

} // namespace tssa::operators

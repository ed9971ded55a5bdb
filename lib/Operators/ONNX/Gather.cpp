//===- Gather.cpp - reads at data-dependent indexes -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "tssa/Builder/Indexing.h"
#include "tssa/Builder/KnownIndexes.h"
#include "tssa/Builder/Shapes.h"

using namespace mlir;

namespace tssa::operators {

/// If the indexes and the size of the dim are known, returns the indexes in [0, size); otherwise
/// nothing. Fails if an index is out of bounds.
static FailureOr<std::optional<SmallVector<int64_t>>>
getKnownIndexes(Builder &builder, const Tensor &indices, const Size &size) {
  std::optional<SmallVector<int64_t>> known = builder.constantInts(indices);
  std::optional<int64_t> extent = size.constant();
  if (!known || !extent)
    return std::optional<SmallVector<int64_t>>();
  for (int64_t &index : *known) {
    if (index < -*extent || index >= *extent)
      return builder.error("expected an index in [" + Twine(-*extent) + ", " + Twine(*extent) +
                           "), got " + Twine(index));
    index += index < 0 ? *extent : 0;
  }
  return known;
}

static Tensor gatherContents(Builder &builder, const Tensor &data, int64_t axis,
                             ArrayRef<int64_t> indexes, ArrayRef<Size> shape) {
  SmallVector<Size> elements;
  int64_t inner = *product(data.shape().drop_front(axis + 1)).constant();
  int64_t outer = *product(data.shape().take_front(axis)).constant();
  int64_t extent = *data.dim(axis).constant();
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t index : indexes)
      for (int64_t i = 0; i < inner; ++i)
        elements.push_back(data.contents()[(o * extent + index) * inner + i]);
  return builder.fromSizes(data.dtype(), shape, elements);
}

/// If `indices` is one index that the host program computes, such as the number of an iteration,
/// returns it as an index in [0, size).
static std::optional<Size> getKnownPosition(Builder &builder, const Tensor &indices,
                                            const Size &size) {
  if (indices.rank() != 0 || !indices.hasContents())
    return std::nullopt;
  const Size &index = indices.contents().front();
  return builder.select(builder.isLess(index, 0), index + size, index);
}

static FailureOr<Tensors> buildGather(Builder &builder, const Node &node) {
  const Tensor &data = node.inputs[0], &indices = node.inputs[1];
  FailureOr<int64_t> axis = builder.normalizeAxis(node.getInt("axis", 0), data.rank());
  if (failed(axis))
    return failure();
  int64_t begin = *axis, end = begin + indices.rank();
  SmallVector<Size> shape(data.shape().take_front(begin));
  shape.append(indices.shape().begin(), indices.shape().end());
  shape.append(data.shape().begin() + begin + 1, data.shape().end());
  FailureOr<std::optional<SmallVector<int64_t>>> known =
      getKnownIndexes(builder, indices, data.dim(begin));
  if (failed(known))
    return failure();
  if (*known && data.hasContents() && product(shape).isAtMost(Builder::maxContents))
    return Tensors{gatherContents(builder, data, begin, **known, shape)};
  std::optional<Size> position = getKnownPosition(builder, indices, data.dim(begin));
  auto affine = matchAffineIndexes(builder, indices, data.dim(begin), /*isScalar=*/true);
  return single(builder.compute(data.dtype(), shape, [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, begin);
    if (position)
      at.push_back(body.size(*position));
    else if (affine)
      at.push_back(affine->front().expr(body, begin));
    else
      at.push_back(dataIndex(body, indices, body.dims(begin, end), data.dim(begin)));
    at.append(body.dims(end, shape.size()));
    return body.read(data, at);
  }));
}

static FailureOr<Tensors> buildGatherElements(Builder &builder, const Node &node) {
  const Tensor &data = node.inputs[0], &indices = node.inputs[1];
  FailureOr<int64_t> axis = builder.normalizeAxis(node.getInt("axis", 0), data.rank());
  if (failed(axis) || failed(requireInside(builder, data, indices, *axis)))
    return failure();
  return single(builder.compute(data.dtype(), indices.shape(), [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, data.rank());
    at[*axis] = dataIndex(body, indices, at, data.dim(*axis));
    return body.read(data, at);
  }));
}

static FailureOr<Tensors> buildGatherND(Builder &builder, const Node &node) {
  const Tensor &data = node.inputs[0], &indices = node.inputs[1];
  int64_t batch = node.getInt("batch_dims", 0), numOuter = indices.rank() - 1;
  if (indices.rank() < 1 || batch < 0 || batch > numOuter)
    return builder.error("expected indices of rank " + Twine(batch + 1) + " or more, got " +
                         indices.str());
  std::optional<int64_t> depth = indices.shape().back().constant();
  if (!depth)
    return builder.unsupported("indices whose last dim is not known");
  if (*depth < 1 || *depth > data.rank() - batch)
    return builder.error("expected the last dim of indices to be in [1, " +
                         Twine(data.rank() - batch) + "], got " + Twine(*depth));
  for (int64_t i = 0; i < batch; ++i)
    if (failed(builder.requireEqual(data.dim(i), indices.dim(i),
                                    "dim " + Twine(i) + " of data and indices")))
      return failure();
  SmallVector<Size> shape(indices.shape().drop_back());
  shape.append(data.shape().begin() + batch + *depth, data.shape().end());
  ArrayRef<Size> extents = data.shape().slice(batch, *depth);
  auto affine = matchAffineIndexes(builder, indices, extents, /*isScalar=*/false);
  return single(builder.compute(data.dtype(), shape, [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, batch);
    for (int64_t i = 0; i < *depth; ++i) {
      if (affine) {
        at.push_back((*affine)[i].expr(body, 0));
        continue;
      }
      SmallVector<AffineExpr> indexAt = body.dims(0, numOuter);
      indexAt.push_back(body.constantExpr(i));
      at.push_back(dataIndex(body, indices, indexAt, data.dim(batch + i)));
    }
    at.append(body.dims(numOuter, shape.size()));
    return body.read(data, at);
  }));
}

/// If the declared rank of the result determines the length of the index tuples of a GatherND,
/// returns that length.
static std::optional<int64_t> numIndexed(const NodeFacts &facts) {
  int64_t batch = facts.node.getInt("batch_dims", 0);
  if (batch < 0 || batch > facts.rank())
    return std::nullopt;
  return facts.fromResult(-1, facts.rank() + facts.rank(1) - 1 - batch);
}

OperatorRows getGatherRows() {
  return {
      {"Gather", buildGather, movesStrings},
      {"GatherElements", buildGatherElements},
      {"GatherND", buildGatherND, List{1, numIndexed}},
  };
}

} // namespace tssa::operators

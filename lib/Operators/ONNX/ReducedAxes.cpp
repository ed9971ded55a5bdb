//===- ReducedAxes.cpp - reduction axes as lists of unknown length -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/ONNX/Reduction.h"

using namespace mlir;

namespace tssa::operators {

/// Returns for each dim how often it occurs in `axes`. A run checks that each axis is a dim.
static FailureOr<SmallVector<Size>> countAxes(Builder &builder, const Tensor &axes, int64_t rank) {
  ReducedDims reduced(1);
  unsigned slot = reduced.add(axes.dim(0));
  FailureOr<Tensor> counts =
      sum(builder, DType::I64, DType::I64, Size(rank), reduced, [&](Body &body) {
        Scalar axis = readScalar(body, axes, reduced.expr(body, slot));
        Scalar dim = indexScalar(body, body.dim(0), DType::I64);
        Scalar names = (axis == dim) | (axis == dim - dim.constant(static_cast<double>(rank)));
        return select(names, dim.constant(1), dim.constant(0));
      });
  if (failed(counts))
    return failure();
  FailureOr<SmallVector<Size>> sizes = builder.requireSizes(*counts, "axes");
  if (failed(sizes))
    return failure();
  Size total(0);
  for (const Size &count : *sizes)
    total = total + count;
  if (failed(builder.require(builder.isEqual(total, axes.dim(0)), "an axis is out of range")))
    return failure();
  return sizes;
}

/// Returns a list of known length with the same set of dims as `axes`. If the result drops the
/// reduced dims, the list has `numReduced` entries. Otherwise the list has an entry for every dim
/// of the input: the dim itself if it is reduced, else the first reduced dim.
static FailureOr<Tensor> listReduced(Builder &builder, const Tensor &axes, int64_t rank,
                                     std::optional<int64_t> numReduced) {
  FailureOr<SmallVector<Size>> counts = countAxes(builder, axes, rank);
  if (failed(counts))
    return failure();
  Builder::Condition isEmpty = builder.isEqual(axes.dim(0), 0);
  SmallVector<Size> isReduced;
  Size total(0), first(rank);
  for (const Size &count : *counts) {
    isReduced.push_back(builder.select(isEmpty, 1, Size::min(count, 1)));
    total = total + isReduced.back();
  }
  for (int64_t dim = rank - 1; dim >= 0; --dim)
    first = builder.select(builder.isEqual(isReduced[dim], 1), dim, first);
  SmallVector<Size> list;
  if (!numReduced) {
    for (int64_t dim = 0; dim < rank; ++dim)
      list.push_back(builder.select(builder.isEqual(isReduced[dim], 1), dim, first));
    return builder.fromSizes(list);
  }
  if (failed(builder.requireEqual(total, *numReduced, "the number of axes and of dims that go")))
    return failure();
  list.assign(*numReduced, first);
  Size position(0);
  for (int64_t dim = 0; dim < rank; ++dim) {
    for (auto [i, entry] : llvm::enumerate(list)) {
      Size isHere = isReduced[dim] * builder.select(builder.isEqual(position, i), 1, 0);
      entry = builder.select(builder.isEqual(isHere, 1), dim, entry);
    }
    position = position + isReduced[dim];
  }
  return builder.fromSizes(list);
}

FailureOr<Tensor> settleReducedAxes(Builder &builder, const NodeFacts &facts, const Tensor &axes) {
  const Node &node = facts.node;
  // With this attribute, an empty list means that nothing is reduced. Only a run knows whether the
  // list is empty, so the dims of the result are not known.
  if (axes.rank() != 1 || node.getInt("noop_with_empty_axes", 0))
    return axes;
  int64_t rank = facts.rank();
  std::optional<int64_t> numReduced;
  if (node.getInt("keepdims", 1) == 0) {
    std::optional<int64_t> left = resultRank(facts);
    if (!left || *left > rank)
      return axes;
    numReduced = rank - *left;
  }
  return listReduced(builder, axes, rank, numReduced);
}

} // namespace tssa::operators

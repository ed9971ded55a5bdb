//===- KnownIndexes.cpp - constant index tensors -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Builder/KnownIndexes.h"

using namespace mlir;

namespace tssa::operators {

AffineExpr AffineIndex::expr(Body &body, unsigned firstDim) const {
  AffineExpr result = body.constantExpr(base);
  for (auto [i, stride] : llvm::enumerate(strides))
    if (stride != 0)
      result = result + body.dim(firstDim + i) * stride;
  return result;
}

/// `values` are the elements of a tensor of this shape. Returns the affine function that maps the
/// position of each element to its value, or nothing if there is no such function.
static std::optional<AffineIndex> matchAffine(ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
  AffineIndex index{values.front(), {}};
  int64_t step = values.size();
  for (int64_t extent : shape) {
    step /= extent;
    index.strides.push_back(extent > 1 ? values[step] - values.front() : 0);
  }
  for (auto [position, value] : llvm::enumerate(values)) {
    int64_t expected = index.base, rest = position;
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      int64_t step;
      if (llvm::MulOverflow(index.strides[dim], rest % shape[dim], step) ||
          llvm::AddOverflow(expected, step, expected))
        return std::nullopt;
      rest /= shape[dim];
    }
    if (value != expected)
      return std::nullopt;
  }
  return index;
}

std::optional<SmallVector<AffineIndex>> matchAffineIndexes(Builder &builder, const Tensor &indices,
                                                           ArrayRef<Size> extents, bool isScalar) {
  std::optional<SmallVector<int64_t>> known = builder.constantInts(indices);
  std::optional<SmallVector<int64_t>> shape = indices.staticShape();
  if (!known || !shape || known->empty())
    return std::nullopt;
  if (!isScalar)
    shape->pop_back();
  SmallVector<AffineIndex> result;
  for (auto [component, size] : llvm::enumerate(extents)) {
    std::optional<int64_t> extent = size.constant();
    if (!extent)
      return std::nullopt;
    SmallVector<int64_t> values;
    for (size_t i = component; i < known->size(); i += extents.size()) {
      int64_t value = (*known)[i] + ((*known)[i] < 0 ? *extent : 0);
      if (value < 0 || value >= *extent)
        return std::nullopt;
      values.push_back(value);
    }
    std::optional<AffineIndex> index = matchAffine(*shape, values);
    if (!index)
      return std::nullopt;
    result.push_back(*index);
  }
  return result;
}

} // namespace tssa::operators

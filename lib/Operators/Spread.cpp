//===- Spread.cpp - values per axis -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Spread.h"

using namespace mlir;

namespace tssa::operators {

FailureOr<SmallVector<Size>> spreadByAxes(Builder &builder, ArrayRef<Size> axes,
                                          ArrayRef<Size> values, ArrayRef<Size> otherwise) {
  int64_t rank = otherwise.size();
  SmallVector<Size> result(otherwise);
  SmallVector<int64_t> seen;
  for (auto [axis, value] : llvm::zip_equal(axes, values)) {
    if (std::optional<int64_t> constant = axis.constant()) {
      FailureOr<int64_t> normal = builder.normalizeAxis(*constant, rank);
      if (failed(normal))
        return failure();
      if (llvm::is_contained(seen, *normal))
        return builder.error("axis " + Twine(*constant) + " is given twice");
      seen.push_back(*normal);
      result[*normal] = value;
      continue;
    }
    if (failed(builder.require(builder.isLess(axis, rank), "an axis is out of range")) ||
        failed(builder.require(builder.isLess(-rank - 1, axis), "an axis is out of range")))
      return failure();
    Size normal = builder.select(builder.isLess(axis, 0), axis + rank, axis);
    for (int64_t dim = 0; dim < rank; ++dim)
      result[dim] = builder.select(builder.isEqual(normal, dim), value, result[dim]);
  }
  return result;
}

} // namespace tssa::operators

//===- Indexing.h - indexes that are data -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_BUILDER_INDEXING_H
#define TSSA_BUILDER_INDEXING_H

#include "tssa/Builder/BodyScalar.h"

namespace tssa::operators {

/// A size as an i64 scalar.
inline Scalar sizeScalar(Body &body, const Size &size) {
  return indexScalar(body, body.size(size), DType::I64);
}

/// The index that the data `index` means in a dim of `size` elements: a negative one
/// counts from the end. Checked when the program runs.
inline mlir::AffineExpr dataIndex(Body &body, const Scalar &index, const Size &size) {
  Scalar wide = convert(index, body.ops.getI64Type());
  if (!index.isUnsigned())
    wide = select(wide < 0.0, wide + sizeScalar(body, size), wide);
  return body.opaque(toIndex(wide));
}

/// The index that the element of `indices` at `at` means.
inline mlir::AffineExpr dataIndex(Body &body, const Tensor &indices,
                                  llvm::ArrayRef<mlir::AffineExpr> at, const Size &size) {
  return dataIndex(body, readScalar(body, indices, at), size);
}

} // namespace tssa::operators

#endif // TSSA_BUILDER_INDEXING_H

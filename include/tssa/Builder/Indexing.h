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

/// Returns `size` as an i64 scalar.
inline Scalar sizeScalar(Body &body, const Size &size) {
  return indexScalar(body, body.size(size), DType::I64);
}

/// Returns an opaque index expression for `index`, which is read from data and indexes a dim of
/// `size` elements. A negative index counts from the end. The run checks the bounds.
inline mlir::AffineExpr dataIndex(Body &body, const Scalar &index, const Size &size) {
  Scalar wide = convert(index, body.ops.getI64Type());
  if (!index.isUnsigned())
    wide = select(wide < 0.0, wide + sizeScalar(body, size), wide);
  return body.opaque(toIndex(wide));
}

/// Does the same for an index that is the element of `indices` at `at`.
inline mlir::AffineExpr dataIndex(Body &body, const Tensor &indices,
                                  llvm::ArrayRef<mlir::AffineExpr> at, const Size &size) {
  return dataIndex(body, readScalar(body, indices, at), size);
}

} // namespace tssa::operators

#endif // TSSA_BUILDER_INDEXING_H

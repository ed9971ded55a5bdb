//===- Image.h - the elements that an access touches -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_IMAGE_H
#define DIALECTS_TE_ANALYSIS_IMAGE_H

#include "dialects/te/Analysis/SizeTable.h"
#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// The number of distinct elements or indexes.
struct Image {
  Polynomial count = Polynomial(1);
  bool isExact = true; ///< Otherwise `count` is an upper bound.
};

/// Returns the sizes of the dims of `access` in an expression with this iteration domain, as far as
/// its piece restricts them.
SmallVector<OpFoldResult> getExtents(const TensorAccess &access, ArrayRef<OpFoldResult> domain);

/// Returns the elements of the tensor of `access` that the points of a box with these sizes touch.
/// An index that data decide may be any index.
Image countImage(const TensorAccess &access, ArrayRef<OpFoldResult> extents, SizeTable &sizes);

/// Returns the sizes of `tensor`, null where no value holds one.
SmallVector<OpFoldResult> findSizes(Value tensor);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_IMAGE_H

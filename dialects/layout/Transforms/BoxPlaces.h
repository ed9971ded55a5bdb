//===- BoxPlaces.h - where a kernel in boxes computes what ------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_BOXPLACES_H
#define DIALECTS_LAYOUT_TRANSFORMS_BOXPLACES_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::layout {

/// Returns the sizes of the boxes of `member` that `owner` reads, itself or through others, in
/// `extents[d]` consecutive iterations of each of its dims d, all of them if that is kDynamic. A
/// size that no constant bounds is that of the member's dim.
SmallVector<int64_t> getBoxSizes(te::ComputeOp owner, ArrayRef<int64_t> extents,
                                 te::ComputeOp member);

/// Returns the dim of `owner`, from `rowDims` on, of which each iteration reads a part of its own
/// of `member`: the outermost of several. Returns nothing if there is none.
std::optional<unsigned> findBlockDim(te::ComputeOp owner, unsigned rowDims, te::ComputeOp member);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_BOXPLACES_H

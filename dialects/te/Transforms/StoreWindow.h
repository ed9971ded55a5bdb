//===- StoreWindow.h - windows of expressions as expressions of their own -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_STOREWINDOW_H
#define DIALECTS_TE_TRANSFORMS_STOREWINDOW_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// The elements of an expression that one read needs: a box, possibly with strides.
struct ReadWindow {
  SmallVector<OpFoldResult> sizes;
  /// For each dim of the source, its index as an expression over the dims of the window and the
  /// symbols of the read.
  SmallVector<AffineExpr> source;
  /// For each dim of the window, its index as an expression over the dims of the reader.
  SmallVector<AffineExpr> reader;
};

/// Returns the window of `producer` that `read` needs. Returns nothing if the read has a guard or
/// indexes that depend on data, or if its reader is a reduction or has other bounds than constants.
std::optional<ReadWindow> findReadWindow(ReadOp read, ComputeOp producer);

/// Builds before the reader an expression that computes the elements of `window`, and reads it
/// instead of `producer`.
ComputeOp storeWindow(RewriterBase &rewriter, ReadOp read, ComputeOp producer,
                      const ReadWindow &window);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_STOREWINDOW_H

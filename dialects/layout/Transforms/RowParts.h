//===- RowParts.h - reductions of rows in two phases ------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A reduction of rows as two expressions: one reduces each of equal parts of a row, wherever the
/// row is computed, and the other one combines the parts (Souffle, Figure 1).
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_ROWPARTS_H
#define DIALECTS_LAYOUT_TRANSFORMS_ROWPARTS_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::layout {

/// A reduction of whole rows of `tensor` whose value at a point depends on no other tensor, apart
/// from `mean`.
struct RowReduction {
  te::ComputeOp op;
  Value tensor;
  /// If set, the reduction is the sum of (x - mean)^2, and `mean` is computed from the sum of x.
  te::ComputeOp mean;
  AffineMap map; ///< of its reads of `tensor`
  unsigned dim;  ///< of `tensor`, along which it reduces
};

/// Matches a reduction of rows of `tensor`. `others` are those of the same rows that were matched
/// before; one of them may be its mean.
std::optional<RowReduction> matchRowReduction(te::ComputeOp op, Value tensor,
                                              ArrayRef<RowReduction> others);

/// For each parallel dim of the reduction, returns the dim of the tensor that it indexes. Returns
/// nothing for one that indexes none, which has size 1.
SmallVector<std::optional<unsigned>> getRowDims(const RowReduction &row);

/// Builds the first phase where `tensor`, of these sizes, is what `row` reduces. Its parallel dims
/// are those of the reduction and then the parts, of `length` elements each. `meanParts` is the
/// first phase of the mean.
te::ComputeOp buildRowParts(OpBuilder &builder, const RowReduction &row, Value tensor,
                            ArrayRef<OpFoldResult> sizes, int64_t length, te::ComputeOp meanParts);

/// Replaces `row` by the second phase, which has its label. `parts` and, if there is a mean,
/// `meanParts` are the first phases. `row.mean` is the second phase of the mean, if replaced
/// before.
te::ComputeOp combineRowParts(const RowReduction &row, Value parts, Value meanParts,
                              int64_t length);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_ROWPARTS_H

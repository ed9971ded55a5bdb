//===- RowDims.h - expressions computed row by row with another -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_ROWDIMS_H
#define DIALECTS_LAYOUT_TRANSFORMS_ROWDIMS_H

#include "dialects/layout/IR/LayoutOps.h"
#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::layout {

/// Returns the number of leading dims of `root` that index the reads of `inner`, in order. An
/// iteration of the loops over these dims reads one row of `inner`. The reads may be in `root`, or
/// in expressions that are computed row by row with `root`. Returns 0 if there are no such reads.
unsigned countRowDims(te::ComputeOp root, te::ComputeOp inner);

/// Returns the greatest result of `countRowDims(root, e)` for an expression e of `inner`.
unsigned countRowDims(te::ComputeOp root, ArrayRef<te::ComputeOp> inner);

/// For each expression of `inner`, adds an op to the schedule that computes it in the loop over the
/// rows of `root` that read it. `loops` are the loops of the root's leading dims. An expression
/// that is not read row by row gets no op, which is an error when the schedule is applied.
void computeAtRows(OpBuilder &builder, te::ComputeOp root, ArrayRef<te::ComputeOp> inner,
                   ArrayRef<Value> loops);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_ROWDIMS_H

//===- RowDims.h - expressions computed at rows of another -===//
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

/// Leading dims of `root` that are indexes of its reads of `inner`, in order: what an
/// iteration of their loops reads of `inner` is one row. Expressions computed at such rows
/// may read it, too, or only they.
unsigned countRowDims(te::ComputeOp root, te::ComputeOp inner);

/// The most of them that one of `inner` has.
unsigned countRowDims(te::ComputeOp root, ArrayRef<te::ComputeOp> inner);

/// Has each of `inner` computed at the row of `root` that it is read at: at one of `loops`, those
/// of the root's leading dims. What is no part of a row is left out; it is refused where the
/// schedule is applied.
void computeAtRows(OpBuilder &builder, te::ComputeOp root, ArrayRef<te::ComputeOp> inner,
                   ArrayRef<Value> loops);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_ROWDIMS_H

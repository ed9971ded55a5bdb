//===- RowDims.h - expressions computed at rows of another -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_ROWDIMS_H
#define DIALECTS_LAYOUT_TRANSFORMS_ROWDIMS_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::layout {

/// Leading dims of `root` that are indexes of its reads of `inner`, in order: what an
/// iteration of their loops reads of `inner` is one row.
unsigned countRowDims(te::ComputeOp root, te::ComputeOp inner);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_ROWDIMS_H

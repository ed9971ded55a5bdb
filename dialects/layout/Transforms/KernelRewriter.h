//===- KernelRewriter.h - kernels with other orders of dims -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_KERNELREWRITER_H
#define DIALECTS_LAYOUT_TRANSFORMS_KERNELREWRITER_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::layout {

/// An order of dims: dim i in storage is logical dim `order[i]`. An empty order is the identity.
using Order = SmallVector<int64_t, 6>;

bool isIdentity(ArrayRef<int64_t> order);

/// Returns the type whose dim i is dim `order[i]` of `type`.
RankedTensorType reorderType(RankedTensorType type, ArrayRef<int64_t> order);

/// Maps the indexes of an element to its indexes in storage.
using IndexFn = function_ref<SmallVector<AffineExpr>(ArrayRef<AffineExpr>)>;

/// Changes the type of parameter `arg` of `kernel` to `type`, and applies `index` to the index
/// expressions of its reads. If the parameter has dynamic dims, its sizes are reordered by `order`.
void rewriteParameter(te::KernelOp kernel, unsigned arg, RankedTensorType type, IndexFn index,
                      ArrayRef<int64_t> order = {});

/// Changes `kernel` such that parameter `arg` is stored in `order`.
void reorderParameter(te::KernelOp kernel, unsigned arg, ArrayRef<int64_t> order);

/// Changes `kernel` such that the results of `compute`, one of its expressions, are stored in
/// `order`: permutes the parallel dims and all maps and sets over them.
void reorderResults(te::KernelOp kernel, te::ComputeOp compute, ArrayRef<int64_t> order);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_KERNELREWRITER_H

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

/// An order of dims: storage dim i is logical dim `order[i]`. Empty means as it is.
using Order = SmallVector<int64_t, 6>;

bool isIdentity(ArrayRef<int64_t> order);

/// The type whose dim i is dim `order[i]` of `type`.
RankedTensorType reorderType(RankedTensorType type, ArrayRef<int64_t> order);

/// How an index of a parameter becomes indexes of its storage.
using IndexFn = function_ref<SmallVector<AffineExpr>(ArrayRef<AffineExpr>)>;

/// Gives parameter `arg` of `kernel` the type `type`; reads of it get the index
/// expressions that `index` makes of theirs. Sizes of a parameter with dynamic
/// dims are reordered by `order`.
void rewriteParameter(te::KernelOp kernel, unsigned arg, RankedTensorType type, IndexFn index,
                      ArrayRef<int64_t> order = {});

/// Stores parameter `arg` in `order`.
void reorderParameter(te::KernelOp kernel, unsigned arg, ArrayRef<int64_t> order);

/// Stores the results of `compute`, an expression of `kernel`, in `order`: its
/// parallel dims are permuted, and with them all that speaks of them.
void reorderResults(te::KernelOp kernel, te::ComputeOp compute, ArrayRef<int64_t> order);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_KERNELREWRITER_H

//===- ApplyStores.h - rewrites a kernel for the stores of its schedule -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_APPLYSTORES_H
#define DIALECTS_LAYOUT_TRANSFORMS_APPLYSTORES_H

#include "dialects/layout/Transforms/KernelStores.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::tssa::layout {

/// Rewrites `kernel` such that its parameters and expressions have the types that `stores` give
/// them, and removes the stores. A schedule of stores only is removed with them. Launches of the
/// kernel are not changed.
///
/// An expression runs over the cells of its results. Cells without an element are zero: they are
/// pieces of their own, or, in a reduction, combine zeros that guarded reads give. Expressions are
/// rewritten first, then parameters (the ALT paper, section 4.2: outputs, then inputs).
///
/// Emits an error at a store with padding if the expression is a reduction that has several pieces
/// or ops that may fail, and at a store with which an inner expression can no longer be computed
/// row by row.
///
/// Guards of reads are dropped where a parameter has a padding of zeros (DropGuards.h). If
/// `explain`, remarks say which.
LogicalResult applyStores(te::KernelOp kernel, ArrayRef<KernelStore> stores, bool explain);

/// Returns a copy of `kernel`, in no module, with the stores of its schedule applied. Returns null,
/// without a diagnostic or remark, if they cannot be applied. `zeroPadded` says for each parameter
/// whether its cells without an element hold zero; if it is empty, this is not known.
OwningOpRef<te::KernelOp> applyStoresToCopy(te::KernelOp kernel,
                                            const std::vector<bool> &zeroPadded = {});

/// If an index of `read` has a division, simplifies all its indexes for the points at which its
/// guard holds.
void simplifyDivisions(te::ReadOp read);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_APPLYSTORES_H

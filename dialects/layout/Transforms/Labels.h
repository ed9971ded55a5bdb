//===- Labels.h - checks the labels of a kernel's expressions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_LABELS_H
#define DIALECTS_LAYOUT_TRANSFORMS_LABELS_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::layout {

/// Checks that each te.compute of the kernel has a unique label, by which the schedule refers to
/// it. Emits an error and fails otherwise.
LogicalResult checkLabels(te::KernelOp kernel);

/// Returns the first op of the schedule that names an expression which the kernel does not have, or
/// null.
Operation *findUnknownLabel(te::KernelOp kernel);

/// Emits an error at the op that `findUnknownLabel` returns and fails, or succeeds if there is
/// none.
LogicalResult checkScheduledLabels(te::KernelOp kernel);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_LABELS_H

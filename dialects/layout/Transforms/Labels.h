//===- Labels.h - names of the expressions of a kernel -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_LABELS_H
#define DIALECTS_LAYOUT_TRANSFORMS_LABELS_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::layout {

/// Whether each expression of the kernel has a label of its own, which is how a schedule
/// speaks of it; emits an error where not.
LogicalResult checkLabels(te::KernelOp kernel);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_LABELS_H

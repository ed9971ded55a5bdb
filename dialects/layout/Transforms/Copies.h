//===- Copies.h - kernels that only copy -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_COPIES_H
#define DIALECTS_LAYOUT_TRANSFORMS_COPIES_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::layout {

/// If `kernel` only copies a tensor, element by element, returns the parameter of this tensor;
/// otherwise null.
BlockArgument findCopiedParameter(te::KernelOp kernel);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_COPIES_H

//===- Inline.h - expressions inlined into their readers -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_INLINE_H
#define LIB_CONVERSION_KERNELTOLOOPS_INLINE_H

#include "dialects/te/IR/TEOps.h"

namespace tssa::conversion {

/// Inlines the expressions that the schedule says to inline: replaces each read of such an
/// expression by its body, and erases the expression.
mlir::LogicalResult applyInline(mlir::tssa::te::KernelOp kernel);

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_INLINE_H

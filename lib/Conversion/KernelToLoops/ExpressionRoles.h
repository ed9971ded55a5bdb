//===- ExpressionRoles.h - which loops compute an expression ---*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_EXPRESSIONROLES_H
#define LIB_CONVERSION_KERNELTOLOOPS_EXPRESSIONROLES_H

#include "tssa/Conversion/KernelTarget.h"

namespace tssa::conversion {

/// What the expressions of a kernel are, apart from those that are computed at a loop of another.
struct ExpressionRoles {
  llvm::SmallVector<mlir::tssa::te::ComputeOp> roots;     ///< which have loops of their own
  llvm::SmallVector<mlir::tssa::te::ComputeOp> followers; ///< computed after a loop of a root
  bool isSequence = false; ///< whether a root reads another one, so that one thread computes all
};

/// Finds the roots and the followers of `kernel`, and reports an error if they are not the results
/// of the kernel, or read each other where the target cannot wait for that.
mlir::LogicalResult findRoles(mlir::tssa::te::KernelOp kernel, KernelTarget &target,
                              ExpressionRoles &roles);

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_EXPRESSIONROLES_H

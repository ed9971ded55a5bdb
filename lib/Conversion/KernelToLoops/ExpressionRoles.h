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

/// What the expressions of a kernel are.
struct ExpressionRoles {
  llvm::SmallVector<mlir::tssa::te::ComputeOp> roots;     ///< which have loops of their own
  llvm::SmallVector<mlir::tssa::te::ComputeOp> followers; ///< computed after a loop of a root
  bool isSequence = false; ///< whether a root reads another one, so that one thread computes all
  /// For each member the expression at a loop of which it is computed: a root, or another member.
  llvm::DenseMap<mlir::Operation *, mlir::tssa::te::ComputeOp> owners;

  /// Returns whether `op` is `owner`, or is computed at a loop of `owner` or of what is computed
  /// there.
  bool isInside(mlir::Operation *op, mlir::tssa::te::ComputeOp owner) const;
  /// Returns whether an expression that is not inside of `owner` reads `member`.
  bool isReadOutside(mlir::tssa::te::ComputeOp member, mlir::tssa::te::ComputeOp owner) const;
};

/// Returns the expressions that a piece of `op` reads, directly or through others. What a piece
/// does not read is not computed for it: at the padding of a layout, the elements that it would
/// read do not exist.
llvm::DenseSet<mlir::Operation *> findRead(mlir::tssa::te::ComputeOp op, unsigned piece);

/// Finds the roots, the followers and the members of `kernel`. Reports an error if roots and
/// followers are not results of the kernel, or read each other where the target cannot wait for
/// that, if a result is neither of them nor a member that its root reads, or if a member is
/// computed at a loop of an expression that does not come after it.
mlir::LogicalResult findRoles(mlir::tssa::te::KernelOp kernel, KernelTarget &target,
                              ExpressionRoles &roles);

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_EXPRESSIONROLES_H

//===- FlopCount.h - floating-point operations -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_FLOPCOUNT_H
#define DIALECTS_TE_ANALYSIS_FLOPCOUNT_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// The floating-point operations at the points of a domain: `each` at every point, at least 1.
struct FlopTerm {
  int64_t each;
  SmallVector<OpFoldResult> sizes;
  int64_t transcendental = 0; ///< of `each`, those of functions such as exp (OpCost)
};

/// Returns the floating-point operations that the expressions of `kernel` define for one launch, as
/// a sum of terms whose sizes are constants or values of the kernel. Operations that a schedule
/// repeats count once. Each arithmetic operation, maximum, minimum and math function counts as one,
/// and an fma as two. Points at which a guard does not hold count as well. If an expression has
/// several pieces, each point counts as the most expensive piece.
SmallVector<FlopTerm> countFlops(KernelOp kernel);
/// Returns those of one expression, in a kernel or outside of one.
SmallVector<FlopTerm> countFlops(ExpressionOpInterface expression);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_FLOPCOUNT_H

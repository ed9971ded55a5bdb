//===- GuardedPoints.h - how many points guards leave -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_GUARDEDPOINTS_H
#define DIALECTS_TE_ANALYSIS_GUARDEDPOINTS_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// Returns the share of the points of the domain at which the guards of all reads of `expression`
/// hold: a step at any other point, such as a tap of a window that lies in the padding, need not be
/// computed. The share is exact where it can be counted, which takes constant sizes and constraints
/// on few dims; otherwise it is 0, which no share is below.
double getGuardedShare(ExpressionOpInterface expression);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_GUARDEDPOINTS_H

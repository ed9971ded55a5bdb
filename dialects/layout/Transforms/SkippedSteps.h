//===- SkippedSteps.h - steps of a reduction that guards skip -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_SKIPPEDSTEPS_H
#define DIALECTS_LAYOUT_TRANSFORMS_SKIPPEDSTEPS_H

#include "dialects/layout/Template/Point.h"
#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::layout {

/// Returns the share of the steps of the reduction of `compute` that run with the loops of `point`.
/// Where the guard of a factor fails for a whole tile and the other factor is finite, the products
/// are zero, and the loops skip the step.
double getShareOfSteps(te::ComputeOp compute, const Point &point);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_SKIPPEDSTEPS_H

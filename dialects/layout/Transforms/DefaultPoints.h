//===- DefaultPoints.h - the points that the draft ranks first -----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_DEFAULTPOINTS_H
#define DIALECTS_LAYOUT_TRANSFORMS_DEFAULTPOINTS_H

#include "dialects/layout/Template/Space.h"
#include "dialects/layout/Transforms/ConstantOperands.h"
#include "dialects/layout/Transforms/KernelSchedule.h"

namespace mlir::tssa::layout {

/// Called with an expression, the point that was chosen for it, and the number of points that there
/// were.
using ExplainChoice = function_ref<void(te::ComputeOp, const RankedPoint &, size_t)>;

/// Returns the points of the expressions of a kernel: of each that of rank `rank`, modulo their
/// number. `constants` are the parameters that are constants.
SmallVector<Point, 0> chooseDefaultPoints(ArrayRef<KernelExpression> expressions,
                                          const ConstantOperands &constants,
                                          const MachineModel &machine, unsigned rank,
                                          ExplainChoice explain);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_DEFAULTPOINTS_H

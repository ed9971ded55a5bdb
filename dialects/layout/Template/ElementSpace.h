//===- ElementSpace.h - the points of element-wise expressions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TEMPLATE_ELEMENTSPACE_H
#define DIALECTS_LAYOUT_TEMPLATE_ELEMENTSPACE_H

#include "dialects/layout/Template/Draft.h"
#include "dialects/layout/Template/Space.h"

namespace mlir::tssa::layout {

/// Returns the points of `op`, which has no reduction, in the order in which they are made. The
/// first `rowDims` dims are neither split nor fused nor moved. `scalar`, the point without vectors,
/// comes first.
SmallVector<Point, 0> getElementPoints(te::ComputeOp op, ArrayRef<Access> accesses,
                                       const Roles &roles, const MachineModel &machine,
                                       unsigned rowDims, const Point &scalar, Draft &draft);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TEMPLATE_ELEMENTSPACE_H

//===- DropGuards.h - guards that zero padding makes superfluous -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_DROPGUARDS_H
#define DIALECTS_LAYOUT_TRANSFORMS_DROPGUARDS_H

#include "dialects/layout/Algebra/TensorLayout.h"
#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::layout {

/// Returns why the guard of `read` stays although the source may have padding of zeros, or an empty
/// string if constraints of the guard may be dropped.
StringRef findObstacleToDropping(te::ReadOp read);

/// Drops constraints of the guard of `read`, which has no obstacle. The indexes of `read` are those
/// of cells of a tensor stored in `layout`, whose cells without an element hold zero. A constraint
/// is dropped if, wherever it alone fails, the cell is proved to be in the tensor and to have no
/// element: the read then finds the zero that it would give. Without constraints, the guard goes.
/// Returns the number of constraints that were dropped.
unsigned dropConstraints(te::ReadOp read, const TensorLayout &layout);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_DROPGUARDS_H

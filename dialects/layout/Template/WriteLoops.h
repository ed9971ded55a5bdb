//===- WriteLoops.h - writes the loops of a point -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TEMPLATE_WRITELOOPS_H
#define DIALECTS_LAYOUT_TEMPLATE_WRITELOOPS_H

#include "dialects/layout/Template/Point.h"
#include "mlir/IR/Builders.h"

namespace mlir::tssa::layout {

/// Writes the schedule of `op`, a labelled expression, at `point`, whose orders name each dim once.
/// The loops are, outermost first: the outer loops of `rows`, dims that are not fused, which the
/// caller has seen to; the loops over the tiles of a box; the outer loops of the other parallel
/// dims, the reduction loops, the unrolled reduction dims, the rows of a tile, vectors and lanes.
/// If `bind`, the outer loops run on threads: only those of `rows` if there are any, since threads
/// share rows and not the work within a row. Returns the outermost loop of each dim; it is null for
/// a dim that is fused with a later one.
SmallVector<Value> writeLoops(OpBuilder &builder, te::ComputeOp op, const Point &point,
                              ArrayRef<unsigned> rows, bool bind);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TEMPLATE_WRITELOOPS_H

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

/// Returns the order of the outer loops of the first `rowDims` dims, which run over rows: those of
/// tiled rows are innermost, since they share what they read.
SmallVector<unsigned> orderRows(const Point &point, unsigned rowDims);

/// Writes the schedule of `op`, a labelled expression, at `point`, whose orders name each dim once.
/// The loops are, outermost first: the outer loops of parallel dims, the reduction loops, the
/// unrolled reduction dims, rows, vectors and lanes. The first `rowDims` dims run over rows; their
/// loops are outermost, and are not fused, which the caller has seen to. If `bind`, the outer loops run on threads: only those of
/// the row dims if there are any, since threads share rows and not the work within a row. Returns
/// the outermost loop of each dim; it is null for a dim that is fused with a later one.
SmallVector<Value> writeLoops(OpBuilder &builder, te::ComputeOp op, const Point &point,
                              unsigned rowDims, bool bind);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TEMPLATE_WRITELOOPS_H

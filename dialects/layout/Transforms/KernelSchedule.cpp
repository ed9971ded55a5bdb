//===- KernelSchedule.cpp - the schedule of a kernel from points -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/KernelSchedule.h"
#include "dialects/layout/Template/WriteLoops.h"
#include "dialects/layout/Transforms/RowDims.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

SmallVector<KernelExpression> layout::getKernelExpressions(te::KernelOp kernel) {
  SmallVector<te::ComputeOp> ops(kernel.getBodyBlock().getOps<te::ComputeOp>());
  SmallVector<KernelExpression> expressions;
  if (ops.empty())
    return expressions;
  te::ComputeOp root = ops.pop_back_val();
  unsigned rowDims = countRowDims(root, ops);
  bool isInBoxes = root.hasReduction() && rowDims != 0;
  for (te::ComputeOp op : ops) {
    unsigned own = countRowDims(root, op);
    expressions.push_back({op, own, isInBoxes && own == rowDims});
  }
  expressions.push_back({root, rowDims, isInBoxes});
  return expressions;
}

void layout::writeSchedule(te::KernelOp kernel, ArrayRef<KernelExpression> expressions,
                           ArrayRef<Point> points) {
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointToEnd(&kernel.getSchedule().emplaceBlock());
  SmallVector<Value> loops; // of the last one: only the loops of the root are bound to threads
  SmallVector<te::ComputeOp> inner;
  for (auto [expression, point] : llvm::zip_equal(expressions, points)) {
    bool isRoot = inner.size() + 1 == expressions.size();
    loops = writeLoops(builder, expression.op, point, expression.rowDims, isRoot);
    if (!isRoot)
      inner.push_back(expression.op);
    else if (expression.isInBoxes) // all at the innermost loop of rows
      llvm::fill(MutableArrayRef(loops).take_front(expression.rowDims),
                 loops[orderRows(point, expression.rowDims).back()]);
  }
  computeAtRows(builder, expressions.back().op, inner, loops);
}

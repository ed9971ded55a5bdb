//===- RowDims.cpp - expressions computed row by row with another -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/RowDims.h"

using namespace mlir;
using namespace mlir::tssa;

/// Returns whether `reader` reads dim `dim` of a result of `inner` at its own index of that dim. Of
/// one index, 0 is all there is.
static bool readsOwnIndex(te::ComputeOp reader, te::ComputeOp inner, unsigned dim,
                          AffineExpr expr) {
  bool isOne = reader.getStaticSizes()[dim] == 1 && inner.getStaticSizes()[dim] == 1;
  return expr == getAffineDimExpr(dim, expr.getContext()) ||
         (isOne && expr == getAffineConstantExpr(0, expr.getContext()));
}

unsigned layout::countRowDims(te::ComputeOp root, te::ComputeOp inner) {
  unsigned rows = inner.getNumParallel();
  bool found = false;
  for (Operation *user : inner->getUsers()) {
    auto read = dyn_cast<te::ReadOp>(user);
    if (!read)
      continue;
    auto reader = cast<te::ComputeOp>(read->getParentOp());
    unsigned common = reader == root ? root.getNumParallel() : countRowDims(root, reader);
    found |= reader == root || common != 0;
    for (auto [dim, expr] : llvm::enumerate(read.getMap().getResults()))
      if (dim >= common || !readsOwnIndex(reader, inner, dim, expr))
        rows = std::min<unsigned>(rows, dim);
  }
  return found ? rows : 0;
}

unsigned layout::countRowDims(te::ComputeOp root, ArrayRef<te::ComputeOp> inner) {
  unsigned rows = 0;
  for (te::ComputeOp expression : inner)
    rows = std::max(rows, countRowDims(root, expression));
  return rows;
}

void layout::computeAtRows(OpBuilder &builder, te::ComputeOp root, ArrayRef<te::ComputeOp> inner,
                           ArrayRef<Value> loops) {
  for (te::ComputeOp expression : inner)
    if (unsigned dims = countRowDims(root, expression))
      ComputeAtOp::create(builder, root.getLoc(), *expression.getLabel(), loops[dims - 1]);
}

//===- Copies.cpp - kernels that only copy -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/Copies.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// Returns whether `read` reads the element at its own point. The index in a dim of size 1 is 0.
static bool isIdentity(te::ReadOp read) {
  for (auto [dim, expr] : llvm::enumerate(read.getMap().getResults()))
    if (read.getSourceType().getDimSize(dim) != 1 &&
        expr != getAffineDimExpr(dim, expr.getContext()))
      return false;
  return true;
}

BlockArgument layout::findCopiedParameter(te::KernelOp kernel) {
  Operation *terminator = kernel.getBodyBlock().getTerminator();
  if (terminator->getNumOperands() != 1)
    return {};
  auto compute = terminator->getOperand(0).getDefiningOp<te::ComputeOp>();
  if (!compute || compute.hasReduction() || compute.getPieces().size() != 1)
    return {};
  auto read = compute.getPieceBlock()->getTerminator()->getOperand(0).getDefiningOp<te::ReadOp>();
  if (!read || read.getGuard() || read.getSourceType() != compute.getResult(0).getType() ||
      !isIdentity(read))
    return {};
  return dyn_cast<BlockArgument>(read.getSource());
}

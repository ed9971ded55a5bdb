//===- Inline.cpp - expressions inlined into their readers ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inline.h"
#include "dialects/layout/IR/LayoutOps.h"
#include "dialects/te/IR/PointOps.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// Returns the expression of `kernel` with this label, or null.
static te::ComputeOp findExpression(te::KernelOp kernel, StringRef label) {
  for (auto op : kernel.getBodyBlock().getOps<te::ComputeOp>())
    if (op.getLabel() == label)
      return op;
  return {};
}

static LogicalResult inlineReads(InlineOp inlineOp, te::ComputeOp expression) {
  if (expression.hasReduction() || expression.getPieces().size() != 1)
    return inlineOp.emitError("expected an expression of one piece and without a reduction");
  for (Value result : expression.getResults())
    for (Operation *user : llvm::make_early_inc_range(result.getUsers())) {
      auto read = dyn_cast<te::ReadOp>(user);
      if (!read || read.getGuard())
        return inlineOp.emitError("expected only unguarded reads of '")
               << inlineOp.getLabel() << "'";
      OpBuilder builder(read);
      IRMapping mapping;
      te::PointMap point{read.getMap(), llvm::to_vector(read.getSymbols())};
      SmallVector<Value> values =
          te::cloneBody(builder, *expression.getPieceBlock(), point, mapping);
      read.getResult().replaceAllUsesWith(values[cast<OpResult>(result).getResultNumber()]);
      read.erase();
    }
  expression.erase();
  return success();
}

namespace tssa::conversion {

LogicalResult applyInline(te::KernelOp kernel) {
  for (auto inlineOp : llvm::make_early_inc_range(kernel.getSchedule().getOps<InlineOp>())) {
    te::ComputeOp expression = findExpression(kernel, inlineOp.getLabel());
    if (!expression)
      return inlineOp.emitError("expected an expression '") << inlineOp.getLabel() << "'";
    if (failed(inlineReads(inlineOp, expression)))
      return failure();
    inlineOp.erase();
  }
  return success();
}

} // namespace tssa::conversion

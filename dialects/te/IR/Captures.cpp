//===- Captures.cpp - values that a te op captures -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/Captures.h"
#include "mlir/IR/Region.h"

using namespace mlir;
using namespace mlir::tssa;

void te::collectCaptures(Operation *op, llvm::SetVector<Value> &captures) {
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!op->isProperAncestor(operand.getParentRegion()->getParentOp()) &&
          operand.getParentRegion()->getParentOp() != op)
        captures.insert(operand);
  });
}

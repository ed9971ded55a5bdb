//===- FlopCount.cpp - floating-point operations of a kernel -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/FlopCount.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Returns the number of floating-point operations in a body; an fma counts as two.
static int64_t countOps(Region &region) {
  int64_t count = 0;
  region.walk([&](Operation *op) {
    if (isa<math::FmaOp>(op))
      count += 2;
    else if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::RemFOp,
                 arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
                 arith::MinNumFOp>(op))
      ++count;
    else if (isa<math::MathDialect>(op->getDialect()) && op->getNumResults() == 1 &&
             isa<FloatType>(op->getResult(0).getType()))
      ++count;
  });
  return count;
}

static void addTerm(SmallVectorImpl<FlopTerm> &terms, ArrayRef<OpFoldResult> sizes, int64_t each) {
  if (each != 0)
    terms.push_back({each, SmallVector<OpFoldResult>(sizes)});
}

SmallVector<FlopTerm> te::countFlops(KernelOp kernel) {
  SmallVector<FlopTerm> terms;
  for (auto expression : kernel.getBodyBlock().getOps<ExpressionOpInterface>()) {
    SmallVector<OpFoldResult> domain = expression.getIterationDomain();
    int64_t most = 0; // the most expensive piece; only one piece runs at a point
    for (ExpressionBody body : expression.getBodies()) {
      int64_t count = countOps(*body.region);
      if (body.where)
        most = std::max(most, count);
      else
        addTerm(terms, ArrayRef(domain).take_front(body.numDims), count);
    }
    addTerm(terms, domain, most + countOps(expression.getCombiner()));
  }
  return terms;
}

//===- FlopCount.cpp - floating-point operations -===//
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

namespace {
/// Floating-point operations; an fma counts as two.
struct Count {
  int64_t all = 0, transcendental = 0;
};
} // namespace

bool te::isTranscendental(Operation &op) {
  return isa<math::MathDialect>(op.getDialect()) &&
         !isa<math::AbsFOp, math::AbsIOp, math::CopySignOp, math::FmaOp, math::FloorOp,
              math::CeilOp, math::TruncOp, math::RoundOp, math::RoundEvenOp, math::IsNaNOp,
              math::IsInfOp>(op);
}

static Count countOps(Region &region) {
  Count count;
  region.walk([&](Operation *op) {
    if (isa<math::FmaOp>(op)) {
      count.all += 2;
    } else if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::RemFOp,
                   arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
                   arith::MinNumFOp>(op)) {
      ++count.all;
    } else if (isa<math::MathDialect>(op->getDialect()) && op->getNumResults() == 1 &&
               isa<FloatType>(op->getResult(0).getType())) {
      ++count.all;
      count.transcendental += isTranscendental(*op);
    }
  });
  return count;
}

static void addTerm(SmallVectorImpl<FlopTerm> &terms, ArrayRef<OpFoldResult> sizes, Count each) {
  if (each.all != 0)
    terms.push_back({each.all, SmallVector<OpFoldResult>(sizes), each.transcendental});
}

SmallVector<FlopTerm> te::countFlops(ExpressionOpInterface expression) {
  SmallVector<FlopTerm> terms;
  SmallVector<OpFoldResult> domain = expression.getIterationDomain();
  Count most; // the most expensive piece; only one piece runs at a point
  for (ExpressionBody body : expression.getBodies()) {
    Count count = countOps(*body.region);
    if (!body.where)
      addTerm(terms, ArrayRef(domain).take_front(body.numDims), count);
    else if (count.all > most.all)
      most = count;
  }
  Count combiner = countOps(expression.getCombiner());
  addTerm(terms, domain, {most.all + combiner.all, most.transcendental + combiner.transcendental});
  return terms;
}

SmallVector<FlopTerm> te::countFlops(KernelOp kernel) {
  SmallVector<FlopTerm> terms;
  for (auto expression : kernel.getBodyBlock().getOps<ExpressionOpInterface>())
    llvm::append_range(terms, countFlops(expression));
  return terms;
}

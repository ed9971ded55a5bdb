//===- FlopCount.cpp - floating-point operations -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/FlopCount.h"
#include "dialects/te/Analysis/OpCost.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

static void addTerm(SmallVectorImpl<FlopTerm> &terms, ArrayRef<OpFoldResult> sizes, int64_t flops,
                    int64_t functions) {
  if (flops != 0)
    terms.push_back({flops, SmallVector<OpFoldResult>(sizes), functions});
}

SmallVector<FlopTerm> te::countFlops(ExpressionOpInterface expression) {
  SmallVector<FlopTerm> terms;
  SmallVector<OpFoldResult> domain = expression.getIterationDomain();
  OpCost most; // the most expensive piece; only one piece runs at a point
  for (ExpressionBody body : expression.getBodies()) {
    OpCost cost = getCost(*body.region);
    if (!body.where)
      addTerm(terms, ArrayRef(domain).take_front(body.numDims), cost.flops, cost.functions);
    else if (cost.flops > most.flops)
      most = cost;
  }
  OpCost combiner = getCost(expression.getCombiner());
  addTerm(terms, domain, most.flops + combiner.flops, most.functions + combiner.functions);
  return terms;
}

SmallVector<FlopTerm> te::countFlops(KernelOp kernel) {
  SmallVector<FlopTerm> terms;
  for (auto expression : kernel.getBodyBlock().getOps<ExpressionOpInterface>())
    llvm::append_range(terms, countFlops(expression));
  return terms;
}

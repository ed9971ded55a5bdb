//===- SelectPieces.cpp - pieces as one body that selects -----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/SelectPieces.h"
#include "dialects/te/Analysis/BodyFacts.h"
#include "dialects/te/Analysis/ReadFacts.h"
#include "dialects/te/IR/PointOps.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

bool te::canSelectPieces(ComputeOp compute) {
  unsigned numDear = 0;
  for (Region &piece : compute.getPieces()) {
    BodyFacts facts = getBodyFacts(piece.front());
    numDear += !facts.isCheap();
    if (facts.mayTrap || numDear > 1)
      return false;
    for (auto read : piece.front().getOps<ReadOp>())
      if (!isInside(read))
        return false;
  }
  return true;
}

ComputeOp te::selectPieces(RewriterBase &rewriter, ComputeOp compute) {
  rewriter.setInsertionPoint(compute);
  Location loc = compute.getLoc();
  unsigned numDims = compute.getNumParallel();
  auto result = ComputeOp::create(rewriter, loc, compute.getResultTypes(),
                                  compute.getDynamicSizes(), ValueRange(), compute.getStaticSizes(),
                                  numDims, ArrayAttr(), ArrayAttr(), compute.getLabelAttr(), 1);
  rewriter.createBlock(&result.getPieces().front());
  SmallVector<Value> values;
  PointMap identity = identityPoint(rewriter.getContext(), numDims);
  for (unsigned number = compute.getPieces().size(); number-- > 0;) {
    IRMapping mapping;
    SmallVector<Value> own = cloneBody(rewriter, *compute.getPieceBlock(number), identity, mapping);
    if (values.empty()) {
      values = own;
      continue;
    }
    Value inside =
        InsideOp::create(rewriter, loc, compute.getSymbols(), compute.getPieceSet(number));
    for (auto [value, other] : llvm::zip_equal(values, own))
      value = arith::SelectOp::create(rewriter, loc, inside, other, value);
  }
  YieldOp::create(rewriter, loc, values);
  rewriter.replaceOp(compute, result);
  return result;
}

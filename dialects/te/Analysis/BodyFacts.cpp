//===- BodyFacts.cpp - what bodies compute, and how often -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/BodyFacts.h"
#include "dialects/te/Analysis/OpCost.h"
#include "dialects/te/Analysis/PieceBounds.h"
#include "dialects/te/Analysis/SizeTable.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

BodyFacts te::getBodyFacts(Block &body) {
  BodyFacts facts;
  for (Operation &op : body.without_terminator()) {
    if (isa<ReadOp>(op))
      ++facts.numReads;
    else if (!isa<IndexOp, arith::IndexCastOp>(op) && !op.hasTrait<OpTrait::ConstantLike>())
      ++facts.numOps;
    facts.mayTrap |= mayTrap(op);
  }
  facts.cost = getCost(*body.getParent()).vector;
  return facts;
}

BodyFacts te::getFacts(ComputeOp compute) {
  BodyFacts sum;
  for (Region &piece : compute.getPieces()) {
    BodyFacts facts = getBodyFacts(piece.front());
    sum.numOps = std::max(sum.numOps, facts.numOps);
    sum.cost = std::max(sum.cost, facts.cost);
    sum.numReads = std::max(sum.numReads, facts.numReads);
    sum.mayTrap |= facts.mayTrap;
  }
  return sum;
}

double te::getReuse(ArrayRef<OpFoldResult> points, ArrayRef<OpFoldResult> elements) {
  double reuse = 1;
  SmallVector<OpFoldResult> rest(elements);
  for (OpFoldResult size : points) {
    if (std::optional<int64_t> constant = getConstantSize(size))
      reuse *= std::max<int64_t>(*constant, 1);
    else if (auto *it = llvm::find(rest, size); it != rest.end())
      rest.erase(it);
    else
      reuse *= assumedSize; // in range: a double
  }
  for (OpFoldResult size : rest) {
    std::optional<int64_t> constant = getConstantSize(size);
    reuse /= constant ? std::max<int64_t>(*constant, 1) : assumedSize;
  }
  return reuse;
}

/// Restricts the points of `site` to those of the piece that contains `read`.
static void restrictToPiece(ReadOp read, ReadSite &site) {
  PieceBounds bounds = getPieceBounds(getBodyAround(read).where, site.points.size());
  for (auto [dim, size] : llvm::enumerate(site.points))
    size = bounds.getExtent(dim, size);
}

double te::countTrips(Operation *op, Operation *scope) {
  double trips = 1;
  for (Operation *parent = op->getParentOp(); parent && !(scope && parent->isAncestor(scope));
       parent = parent->getParentOp()) {
    auto loop = dyn_cast<LoopLikeOpInterface>(parent);
    if (!loop)
      continue;
    std::optional<APInt> count = loop.getStaticTripCount();
    trips *=
        count ? std::max(count->getSExtValue(), int64_t(1)) : assumedSize; // in range: a double
  }
  return trips;
}

ReadSite te::getReadSite(ReadOp read, Operation *producer) {
  ReadSite site;
  site.op = read->getParentOp();
  auto expression = cast<ExpressionOpInterface>(site.op);
  site.points = expression.getIterationDomain();
  site.points.truncate(getBodyAround(read).numDims);
  restrictToPiece(read, site);
  for (unsigned dim = 0; dim < site.points.size(); ++dim)
    site.isReduced |= expression.getDimKind(dim) == DimKind::Reduction;
  site.trips = countTrips(site.op, producer);
  return site;
}

double te::estimateOperations(ComputeOp compute) {
  double points = getReuse(compute.getIterationDomain(), {});
  return points * (getFacts(compute).numOps + compute.hasReduction());
}

//===- IndexCost.cpp - what the indexes of a merged read cost -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Partition/IndexCost.h"
#include "dialects/te/Analysis/BodyFacts.h"
#include "dialects/te/Analysis/IndexSimplifier.h"
#include "dialects/te/IR/Sizes.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// The number of nodes that an index expression may have after merging a rearrangement.
static constexpr unsigned maxIndexSize = 64;

/// Returns the row-major address of an element as an expression over dims and the table of symbols,
/// or null if a size is not known or the expression is not semi-affine.
static AffineExpr getAddress(PointDomain &domain, Value tensor, ArrayRef<AffineExpr> indexes) {
  AffineExpr address = getAffineConstantExpr(0, tensor.getContext());
  for (auto [dim, index] : llvm::enumerate(indexes)) {
    OpFoldResult size = findSize(tensor, dim);
    if (!size)
      return {};
    AffineExpr extent = domain.getSize(size);
    if (!address.isSymbolicOrConstant() && !extent.isSymbolicOrConstant())
      return {};
    address = address * extent + index;
  }
  return domain.getSimplifier().simplify(address);
}

/// Returns whether the indexes at `read` would be too large or divide in a reduction.
static bool hasDivision(ReadOp read, ComputeOp producer, unsigned piece, bool isReduced,
                        PointDomain &domain) {
  SmallVector<AffineExpr> point = domain.enter(read.getMap().getResults(), read.getSymbols());
  auto enter = [&](AffineExpr expr, ValueRange symbols) {
    return domain.getSimplifier().simplify(domain.enter(expr, symbols).replaceDims(point));
  };
  for (Operation &op : *producer.getPieceBlock(piece)) {
    // An index that the run checks is computed as it is written.
    if (auto index = dyn_cast<IndexOp>(op);
        index && isReduced && divides(enter(index.getMap().getResult(0), index.getSymbols())))
      return true;
    auto inner = dyn_cast<ReadOp>(op);
    if (!inner)
      continue;
    SmallVector<AffineExpr> indexes;
    bool divided = false;
    for (AffineExpr expr : inner.getMap().getResults()) {
      indexes.push_back(enter(expr, inner.getSymbols()));
      divided |= divides(indexes.back());
      if (getExprSize(indexes.back()) > maxIndexSize)
        return true;
    }
    if (!isReduced || !divided)
      continue;
    // Packing of constants needs plain indexes.
    if (inner.getGuard() || inner.getSource().getDefiningOp<ConstantOp>())
      return true;
    AffineExpr address = getAddress(domain, inner.getSource(), indexes);
    if (!address || divides(address))
      return true;
  }
  return false;
}

StringRef te::findIndexObstacle(ReadOp read, ComputeOp producer, unsigned piece,
                                PointDomain &domain) {
  ReadSite site = getReadSite(read, producer);
  if (!getFacts(producer).isRearrangement() ||
      getReuse(site.points, producer.getParallelSizes()) <= 1 ||
      !hasDivision(read, producer, piece, site.isReduced, domain))
    return "";
  return "a reduction would divide for its index, or the index would be too large";
}

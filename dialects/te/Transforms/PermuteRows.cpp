//===- PermuteRows.cpp - expressions with their rows in another order -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/PermuteRows.h"
#include "dialects/te/IR/PointOps.h"
#include "dialects/te/IR/Sizes.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Replaces `compute` by an expression whose dim i is its dim `order[i]`, for the leading dims.
static ComputeOp permuteDims(RewriterBase &rewriter, ComputeOp compute, ArrayRef<unsigned> order) {
  MLIRContext *context = rewriter.getContext();
  unsigned numParallel = compute.getNumParallel(), numDims = compute.getNumDims();
  SmallVector<OpFoldResult> oldSizes = compute.getIterationDomain(), sizes(oldSizes);
  SmallVector<AffineExpr> old; // the old dims over the new ones
  for (unsigned dim = 0; dim < numDims; ++dim)
    old.push_back(getAffineDimExpr(dim, context));
  for (auto [dim, from] : llvm::enumerate(order)) {
    sizes[dim] = oldSizes[from];
    old[from] = getAffineDimExpr(dim, context);
  }
  SmallVector<int64_t> staticSizes;
  SmallVector<Value> dynamicSizes;
  dispatchSizes(sizes, staticSizes, dynamicSizes);
  SmallVector<Type> types;
  for (Type type : compute.getResultTypes())
    types.push_back(
        cast<RankedTensorType>(type).clone(ArrayRef(staticSizes).take_front(numParallel)));
  rewriter.setInsertionPoint(compute);
  auto result =
      ComputeOp::create(rewriter, compute.getLoc(), types, dynamicSizes, ValueRange(), staticSizes,
                        numParallel, compute.getInitAttr(), ArrayAttr(), compute.getLabelAttr(), 1);
  auto copy = [&](Region &from, Region &to, unsigned dims) {
    if (from.empty())
      return;
    Block &block = from.front();
    SmallVector<Location> locations(block.getNumArguments(), compute.getLoc());
    Block *created = rewriter.createBlock(&to, {}, block.getArgumentTypes(), locations);
    IRMapping mapping;
    mapping.map(block.getArguments(), created->getArguments());
    PointMap point{AffineMap::get(dims, 0, ArrayRef(old).take_front(dims), context), {}};
    YieldOp::create(rewriter, compute.getLoc(), cloneBody(rewriter, block, point, mapping));
  };
  copy(compute.getPieces().front(), result.getPieces().front(), numDims);
  copy(compute.getCombiner(), result.getCombiner(), numDims);
  copy(compute.getEpilogue(), result.getEpilogue(), numParallel);
  for (Operation *user : llvm::make_early_inc_range(compute->getUsers())) {
    auto read = cast<ReadOp>(user);
    SmallVector<AffineExpr> indexes(read.getMap().getResults()), moved(indexes);
    for (auto [dim, from] : llvm::enumerate(order))
      moved[dim] = indexes[from];
    read.setMap(
        AffineMap::get(read.getMap().getNumDims(), read.getMap().getNumSymbols(), moved, context));
  }
  rewriter.replaceOp(compute, result);
  return result;
}

void te::permuteRows(RewriterBase &rewriter, MutableArrayRef<Operation *> group,
                     ArrayRef<unsigned> order) {
  if (llvm::is_sorted(order))
    return;
  for (Operation *&member : group.drop_back())
    member = permuteDims(rewriter, cast<ComputeOp>(member), order);
}

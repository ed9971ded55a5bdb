//===- RowGroups.cpp - expressions that run row by row together -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/RowGroups.h"
#include "dialects/te/Analysis/ReadFacts.h"
#include "dialects/te/Analysis/Rows.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/te/Transforms/SelectPieces.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Returns whether `read` reads the element of `expression` that belongs to the current row of the
/// reader. The indexes of such a read are the leading dims of the reader, and these have the same
/// sizes.
static bool readsRow(ReadOp read, ComputeOp expression) {
  auto reader = cast<ComputeOp>(read->getParentOp());
  SmallVector<OpFoldResult> sizes = reader.getParallelSizes();
  SmallVector<OpFoldResult> rows = expression.getParallelSizes();
  return readsOwnPoint(read) && ArrayRef(sizes).take_front(rows.size()) == ArrayRef(rows);
}

static llvm::SetVector<Value> collectSources(ComputeOp compute) {
  llvm::SetVector<Value> sources;
  compute.walk([&](ReadOp read) { sources.insert(read.getSource()); });
  return sources;
}

static bool dependsOnReduction(ReadOp read, ComputeOp compute) {
  bool depends = !read.getSymbols().empty();
  for (unsigned dim = compute.getNumParallel(); dim < compute.getNumDims(); ++dim)
    depends |= read.getMap().isFunctionOfDim(dim);
  return depends;
}

/// Returns whether each tensor over whose elements `compute` reduces is also read by the root.
static bool sumsRowOfRoot(ComputeOp compute, const llvm::SetVector<Value> &rootSources) {
  bool found = false, onlyRoot = true;
  compute.walk([&](ReadOp read) {
    if (read->getParentRegion() == &compute.getEpilogue() || !dependsOnReduction(read, compute))
      return;
    found = true;
    onlyRoot &= rootSources.contains(read.getSource());
  });
  return found && onlyRoot;
}

/// Returns an empty string if the reduction `compute` can be computed row by row with the
/// expressions of `group`; otherwise the reason why not. The last expression is the root, and
/// `sources` are the tensors that the root reads.
static StringRef findRowObstacle(ComputeOp compute, ArrayRef<Operation *> group,
                                 const llvm::SetVector<Value> &sources) {
  auto root = cast<ComputeOp>(group.back());
  if (compute->getBlock() != root->getBlock())
    return "it is in another block";
  if (!hasResultsOfRows(compute, root))
    return "it does not have one result for each row";
  if (!hasEnoughRows(compute))
    return "there are too few rows";
  if (!sumsRowOfRoot(compute, sources))
    return "its reader does not read what it reduces";
  bool isRow = llvm::all_of(compute->getUsers(), [&](Operation *user) {
    auto read = dyn_cast<ReadOp>(user);
    return read && llvm::is_contained(group, read->getParentOp()) && readsRow(read, compute);
  });
  return isRow ? "" : "some use does not read it row by row";
}

SmallVector<Operation *> te::findRowGroup(ComputeOp root, bool explains) {
  SmallVector<Operation *> group = {root};
  if (root.hasReduction() || root.getNumParallel() < 2 ||
      (root.getPieces().size() > 1 && !canSelectPieces(root)))
    return group;
  llvm::SetVector<Value> sources = collectSources(root);
  SmallVector<ComputeOp> candidates;
  for (Value source : sources)
    if (auto compute = source.getDefiningOp<ComputeOp>())
      if (!llvm::is_contained(candidates, compute))
        candidates.push_back(compute);
  // The candidates are visited in reverse program order, so that the readers of a candidate are
  // already in the group.
  llvm::sort(candidates, [](ComputeOp lhs, ComputeOp rhs) {
    return lhs->getBlock() == rhs->getBlock() && rhs->isBeforeInBlock(lhs);
  });
  for (ComputeOp compute : candidates) {
    if (!compute.hasReduction())
      continue;
    StringRef obstacle = findRowObstacle(compute, group, sources);
    if (obstacle.empty())
      group.insert(group.begin(), compute);
    else if (explains)
      remark::missed(compute.getLoc(),
                     remark::RemarkOpts::name("grouped").category("te-form-kernels"))
          << remark::reason("{0}", obstacle);
  }
  return group;
}

bool te::isComputedByRows(ComputeOp reduction) {
  return llvm::any_of(reduction->getUsers(), [&](Operation *user) {
    auto root = isa<ReadOp>(user) ? dyn_cast<ComputeOp>(user->getParentOp()) : ComputeOp();
    return root && llvm::is_contained(findRowGroup(root, /*explains=*/false), reduction);
  });
}

void te::nameRowDims(ArrayRef<Operation *> group) {
  for (Operation *member : group)
    for (Operation *user : member->getUsers()) {
      auto read = dyn_cast<ReadOp>(user);
      if (!read || !llvm::is_contained(group, read->getParentOp()))
        continue;
      AffineMap map = read.getMap();
      SmallVector<AffineExpr> indexes(map.getResults());
      auto reader = cast<ComputeOp>(read->getParentOp());
      for (auto [dim, index] : llvm::enumerate(indexes))
        if (index == getAffineConstantExpr(0, map.getContext()) && dim < reader.getNumParallel() &&
            reader.getStaticSizes()[dim] == 1)
          index = getAffineDimExpr(dim, map.getContext());
      read.setMap(AffineMap::get(map.getNumDims(), map.getNumSymbols(), indexes, map.getContext()));
    }
}

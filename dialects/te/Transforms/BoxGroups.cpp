//===- BoxGroups.cpp - products that run with what they read -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/BoxGroups.h"
#include "dialects/te/IR/Contraction.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Returns the number of leading indexes of `read` that are the reader's leading dims, one by one,
/// of the same sizes, where the other indexes depend on none of these dims.
static unsigned countOwnRowDims(ReadOp read) {
  auto reader = dyn_cast<ComputeOp>(read->getParentOp());
  if (!reader || read.getGuard())
    return 0;
  SmallVector<OpFoldResult> sizes = reader.getParallelSizes();
  ArrayRef<AffineExpr> indexes = read.getMap().getResults();
  auto isOwn = [&](unsigned dim) {
    if (dim >= sizes.size() || findSize(read.getSource(), dim) != sizes[dim])
      return false;
    bool isUnit = getConstantSize(sizes[dim]) == 1;
    return indexes[dim] == getAffineDimExpr(dim, read.getContext()) ||
           (isUnit && indexes[dim] == getAffineConstantExpr(0, read.getContext()));
  };
  unsigned count = 0;
  while (count < indexes.size() && isOwn(count))
    ++count;
  for (AffineExpr index : indexes.drop_front(count))
    for (unsigned dim = 0; dim < count; ++dim)
      if (index.isFunctionOfDim(dim) && getConstantSize(sizes[dim]) != 1)
        count = dim;
  return count;
}

namespace {
/// Collects what a product sums over, from the product back to where its rows come from.
class BoxGroup {
public:
  explicit BoxGroup(ComputeOp root) : root(root) { group.insert(root); }

  SmallVector<Operation *> find() {
    if (!startAtSummed())
      return {root};
    while (ComputeOp next = findNext())
      group.insert(next);
    bool hasProduct = llvm::any_of(group, [&](Operation *member) {
      return member != root && savesRow(cast<ComputeOp>(member));
    });
    if (!hasProduct)
      return {root};
    SmallVector<Operation *> result(group.begin(), group.end());
    llvm::sort(result, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    return result;
  }

private:
  /// Finds the factor of the root that its block computes, and adds it. Its indexes are rows of the
  /// root, and then dims that the root sums over.
  bool startAtSummed() {
    std::optional<Contraction> product = matchContraction(root);
    if (!product || root.getPieces().size() != 1)
      return false;
    for (ReadOp read : {product->lhs, product->rhs}) {
      auto source = read.getSource().getDefiningOp<ComputeOp>();
      numRows = countOwnRowDims(read);
      if (!source || numRows == 0 || numRows == source.getNumParallel() || !canJoin(source))
        continue;
      bool isSummed =
          llvm::all_of(read.getMap().getResults().drop_front(numRows), [&](AffineExpr index) {
            auto dim = dyn_cast<AffineDimExpr>(index);
            return dim && dim.getPosition() >= root.getNumParallel();
          });
      if (!isSummed)
        continue;
      group.insert(source);
      return true;
    }
    return false;
  }

  /// Returns whether each use of `compute` is a read by the group at the index of the row.
  bool isReadByRows(ComputeOp compute) {
    return llvm::all_of(compute->getUsers(), [&](Operation *user) {
      auto read = dyn_cast<ReadOp>(user);
      return read && group.contains(read->getParentOp()) && countOwnRowDims(read) >= numRows;
    });
  }

  /// Returns whether the rows of `compute` have more elements than what it reads for them, so that
  /// computing them where they are needed saves more than it costs.
  bool savesRow(ComputeOp compute) {
    if (!matchContraction(compute))
      return false;
    std::optional<int64_t> own =
        countElements(ArrayRef(compute.getParallelSizes()).drop_front(numRows));
    std::optional<int64_t> summed = countElements(compute.getReductionSizes());
    return own && summed && *own > *summed;
  }

  static std::optional<int64_t> countElements(ArrayRef<OpFoldResult> sizes) {
    int64_t count = 1;
    for (OpFoldResult size : sizes) {
      std::optional<int64_t> known = getConstantSize(size);
      if (!known || llvm::MulOverflow(count, *known, count))
        return std::nullopt;
    }
    return count;
  }

  bool canJoin(ComputeOp compute) {
    if (compute->getBlock() != root->getBlock() || compute.getPieces().size() != 1 ||
        compute.getNumParallel() < numRows || !isReadByRows(compute))
      return false;
    return !matchContraction(compute) || savesRow(compute);
  }

  /// Returns an expression that the group reads and that can join it, or null.
  ComputeOp findNext() {
    for (Operation *member : group) {
      ComputeOp found;
      member->walk([&](ReadOp read) {
        auto source = read.getSource().getDefiningOp<ComputeOp>();
        if (!found && source && !group.contains(source) && canJoin(source))
          found = source;
      });
      if (found)
        return found;
    }
    return {};
  }

  ComputeOp root;
  llvm::SetVector<Operation *> group;
  unsigned numRows = 0;
};
} // namespace

SmallVector<Operation *> te::findBoxGroup(ComputeOp root) { return BoxGroup(root).find(); }

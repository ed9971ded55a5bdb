//===- BoxGroup.cpp - products that run with what they read -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Partition/BoxGroup.h"
#include "dialects/te/IR/AssumedSize.h"
#include "dialects/te/IR/Contraction.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"

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

/// If the leading indexes of `read` are the leading dims of its reader in some order, of the same
/// sizes, returns for each of these dims the position of its index. A dim of size 1 may be read at
/// 0, in its own position or in another one.
static SmallVector<unsigned> matchRows(ReadOp read) {
  auto reader = cast<ComputeOp>(read->getParentOp());
  SmallVector<OpFoldResult> sizes = reader.getParallelSizes();
  SmallVector<unsigned> dims; // by position
  auto isUnit = [&](unsigned dim) {
    return dim < sizes.size() && getConstantSize(sizes[dim]) == 1 && !llvm::is_contained(dims, dim);
  };
  // The row that an index selects, or the number of dims.
  auto findRow = [&](unsigned position, AffineExpr index) -> unsigned {
    if (auto dim = dyn_cast<AffineDimExpr>(index))
      return dim.getPosition();
    if (index != getAffineConstantExpr(0, read.getContext()))
      return sizes.size();
    return isUnit(position) ? position
                            : *llvm::find_if(llvm::seq<unsigned>(0, sizes.size()), isUnit);
  };
  if (read.getGuard())
    return {};
  for (auto [position, index] : llvm::enumerate(read.getMap().getResults())) {
    unsigned row = findRow(position, index);
    if (row >= sizes.size() || llvm::is_contained(dims, row) ||
        findSize(read.getSource(), position) != sizes[row])
      break;
    dims.push_back(row);
  }
  // The longest prefix whose dims are the leading ones.
  while (!dims.empty() && *llvm::max_element(dims) + 1 != dims.size())
    dims.pop_back();
  SmallVector<unsigned> positions(dims.size());
  for (auto [position, dim] : llvm::enumerate(dims))
    positions[dim] = position;
  return positions;
}

namespace {
/// Collects what a product sums over, from the product back to where its rows come from.
class BoxGroupFinder {
public:
  explicit BoxGroupFinder(ComputeOp root) : root(root) { group.insert(root); }

  std::optional<BoxGroup> find() {
    if (!startAtSummed())
      return std::nullopt;
    while (ComputeOp next = findNext())
      group.insert(next);
    bool hasProduct = llvm::any_of(group, [&](Operation *member) {
      return member != root && savesRow(cast<ComputeOp>(member));
    });
    if (!hasProduct || needsOrderOfShared())
      return std::nullopt;
    SmallVector<Operation *> ops(group.begin(), group.end());
    llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    return BoxGroup{std::move(ops), std::move(order)};
  }

private:
  /// Returns whether a product of the group needs another order of a tensor of its block that the
  /// group reads twice. The order could not be chosen for the product alone.
  bool needsOrderOfShared() {
    llvm::SmallDenseMap<Value, unsigned> reads;
    for (Operation *member : group)
      member->walk([&](ReadOp read) {
        auto producer = read.getSource().getDefiningOp<ComputeOp>();
        if ((producer || isa<BlockArgument>(read.getSource())) && !group.contains(producer))
          ++reads[read.getSource()];
      });
    return llvm::any_of(group, [&](Operation *member) {
      auto compute = cast<ComputeOp>(member);
      std::optional<Contraction> product = matchContraction(compute);
      return product &&
             (reads[product->lhs.getSource()] > 1 || reads[product->rhs.getSource()] > 1) &&
             !hasAdjacentLanes(compute, product->lhs, product->rhs) &&
             !hasAdjacentLanes(compute, product->rhs, product->lhs);
    });
  }

  /// Finds the factor of the root that its block computes, and adds it. Its indexes are rows of the
  /// root, and then dims that the root sums over.
  bool startAtSummed() {
    std::optional<Contraction> product = matchContraction(root);
    if (!product || root.getPieces().size() != 1 || hasWindows(root))
      return false;
    for (ReadOp read : {product->lhs, product->rhs}) {
      auto source = read.getSource().getDefiningOp<ComputeOp>();
      order = matchRows(read);
      numRows = order.size();
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

  /// Returns whether `index` moves along windows that overlap, as in a convolution: the steps of a
  /// parallel dim are smaller than what the reduction dims span.
  static bool overlaps(ComputeOp compute, AffineExpr index) {
    SmallVector<int64_t> row;
    if (index.isSymbolicOrConstant() || isa<AffineDimExpr>(index))
      return false;
    unsigned numDims = compute.getNumDims();
    if (!index.isPureAffine() || failed(getFlattenedAffineExpr(index, numDims, 0, &row)) ||
        row.size() != numDims + 1)
      return true;
    int64_t span = 0, step = std::numeric_limits<int64_t>::max();
    for (unsigned dim = 0; dim < numDims; ++dim) {
      int64_t size = compute.getStaticSizes()[dim];
      if (row[dim] == 0 || size == 1)
        continue;
      if (dim < compute.getNumParallel())
        step = std::min(step, std::abs(row[dim]));
      else if (ShapedType::isDynamic(size))
        return true;
      else
        span += std::abs(row[dim]) * (size - 1);
    }
    return step <= span;
  }

  static bool hasWindows(ComputeOp product) {
    return llvm::any_of(product.getPieceBlock()->getOps<ReadOp>(), [&](ReadOp read) {
      return read.getGuard() || !read.getSymbols().empty() ||
             llvm::any_of(read.getMap().getResults(),
                          [&](AffineExpr index) { return overlaps(product, index); });
    });
  }

  /// Returns whether each use of `compute` is a read by the group at the index of the row.
  bool isReadByRows(ComputeOp compute) {
    return llvm::all_of(compute->getUsers(), [&](Operation *user) {
      auto read = dyn_cast<ReadOp>(user);
      return read && group.contains(read->getParentOp()) &&
             (read->getParentOp() == root ? matchRows(read) == order
                                          : countOwnRowDims(read) >= numRows);
    });
  }

  /// Returns whether the rows of `compute` have more elements than what it reads for them, so that
  /// computing them where they are needed saves more than it costs.
  bool savesRow(ComputeOp compute) {
    if (!matchContraction(compute) || hasWindows(compute))
      return false;
    ArrayRef<int64_t> sizes = compute.getStaticSizes();
    unsigned numParallel = compute.getNumParallel();
    return countElements(sizes.take_front(numParallel).drop_front(numRows)) >
           countElements(sizes.drop_front(numParallel));
  }

  static double countElements(ArrayRef<int64_t> sizes) {
    double count = 1;
    for (int64_t size : sizes)
      count *= static_cast<double>(assumeSize(size, SizeRole::Large));
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
  SmallVector<unsigned> order; ///< for each row dim of the root, that of the others
};
} // namespace

std::optional<BoxGroup> te::findBoxGroup(ComputeOp root) { return BoxGroupFinder(root).find(); }

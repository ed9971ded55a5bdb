//===- Join.cpp - kernels that only concatenate tensors -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/Join.h"
#include "dialects/te/Analysis/PieceBounds.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Returns the axis along which `bounds` is a part of a box of sizes `sizes`, if it is a part along
/// one dim of constant size.
static std::optional<unsigned> findAxis(const PieceBounds &bounds, ArrayRef<OpFoldResult> sizes) {
  std::optional<unsigned> axis;
  if (!bounds.rest.empty())
    return std::nullopt;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    std::optional<int64_t> known = getConstantSize(size);
    if (bounds.lower[dim] == 0 && (!bounds.upper[dim] || (known && *bounds.upper[dim] >= *known)))
      continue;
    if (axis || !known)
      return std::nullopt;
    axis = dim;
  }
  return axis;
}

/// Returns whether `read` reads, at the points of a piece that begins at `begin` along `axis`, the
/// elements of its source one by one.
static bool readsInOrder(ReadOp read, unsigned axis, int64_t begin) {
  MLIRContext *context = read.getContext();
  for (auto [dim, expr] : llvm::enumerate(read.getMap().getResults())) {
    AffineExpr expected = getAffineDimExpr(dim, context) - (dim == axis ? begin : 0);
    bool isUnit = read.getSourceType().getDimSize(dim) == 1;
    if (expr != expected && !(isUnit && expr == getAffineConstantExpr(0, context)))
      return false;
  }
  return !read.getGuard();
}

namespace {
/// A tensor that lies in the result of a concatenation, and the index of its first element.
struct Part {
  Value tensor;
  int64_t begin;
};
} // namespace

/// Matches the piece number `piece` of `compute`.
static std::optional<Part> matchPart(ComputeOp compute, unsigned piece, unsigned axis) {
  auto read = compute.getPieceBlock(piece)->getTerminator()->getOperand(0).getDefiningOp<ReadOp>();
  SmallVector<OpFoldResult> sizes = compute.getParallelSizes();
  if (!read || read.getSourceType().getRank() != static_cast<int64_t>(sizes.size()))
    return std::nullopt;
  PieceBounds bounds = getPieceBounds(compute.getPieceSet(piece), sizes.size());
  int64_t begin = bounds.lower[axis];
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (findSize(read.getSource(), dim) != (dim == axis ? bounds.getExtent(dim, size) : size))
      return std::nullopt;
  if (!readsInOrder(read, axis, begin))
    return std::nullopt;
  return Part{read.getSource(), begin};
}

std::optional<Join> te::matchJoin(ComputeOp compute) {
  if (compute.hasReduction() || compute.getPieces().size() < 2 || compute.getNumResults() != 1)
    return std::nullopt;
  SmallVector<OpFoldResult> sizes = compute.getParallelSizes();
  std::optional<unsigned> axis;
  SmallVector<Part> parts;
  for (unsigned piece = 0; piece < compute.getPieces().size(); ++piece) {
    std::optional<unsigned> own =
        findAxis(getPieceBounds(compute.getPieceSet(piece), sizes.size()), sizes);
    if (!own || (axis && *axis != *own))
      return std::nullopt;
    axis = own;
    std::optional<Part> part = matchPart(compute, piece, *axis);
    if (!part)
      return std::nullopt;
    parts.push_back(*part);
  }
  llvm::sort(parts, [](const Part &a, const Part &b) { return a.begin < b.begin; });
  return Join{*axis, llvm::map_to_vector(parts, [](const Part &part) { return part.tensor; })};
}

std::optional<Join> te::matchJoin(KernelOp kernel) {
  Operation *terminator = kernel.getBodyBlock().getTerminator();
  auto compute = terminator->getNumOperands() == 1
                     ? terminator->getOperand(0).getDefiningOp<ComputeOp>()
                     : ComputeOp();
  std::optional<Join> join = compute ? matchJoin(compute) : std::nullopt;
  return join && llvm::all_of(join->parts, llvm::IsaPred<BlockArgument>) ? join : std::nullopt;
}

/// Returns whether all parts of one concatenation are, in the same order, parts of the other.
static bool areNested(const Join &a, const Join &b) {
  ArrayRef<Value> outer = a.parts, inner = b.parts;
  if (outer.size() < inner.size())
    std::swap(outer, inner);
  const Value *begin = llvm::find(outer, inner.front());
  return a.axis == b.axis && inner.size() <= static_cast<size_t>(outer.end() - begin) &&
         ArrayRef<Value>(begin, inner.size()) == inner;
}

bool te::mayJoinInPlace(ComputeOp compute) {
  std::optional<Join> join = matchJoin(compute);
  if (!join)
    return false;
  auto fits = [&](Operation *user) {
    if (isa<tensor::DimOp>(user))
      return true;
    auto reader = isa<ReadOp>(user) ? dyn_cast<ComputeOp>(user->getParentOp()) : ComputeOp();
    std::optional<Join> other = reader ? matchJoin(reader) : std::nullopt;
    return reader && (!other || areNested(*join, *other));
  };
  llvm::SmallDenseSet<Value> seen;
  return llvm::all_of(join->parts, [&](Value part) {
    auto producer = part.getDefiningOp<ComputeOp>();
    return producer && producer->getBlock() == compute->getBlock() && seen.insert(part).second &&
           llvm::all_of(part.getUsers(), fits);
  });
}

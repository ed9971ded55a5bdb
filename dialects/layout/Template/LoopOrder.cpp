//===- LoopOrder.cpp - orders of loops, and loops that can be fused -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/LoopOrder.h"
#include "dialects/te/IR/AssumedSize.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// Returns the index expressions that the body of `op` computes at each point, but not those of its
/// reads.
static SmallVector<AffineMap> getPointMaps(te::ComputeOp op) {
  SmallVector<AffineMap> maps;
  for (Region &piece : op.getPieces())
    piece.walk([&](Operation *inner) {
      if (auto index = dyn_cast<te::IndexOp>(inner)) {
        maps.push_back(index.getMap());
      } else if (auto inside = dyn_cast<te::InsideOp>(inner)) {
        IntegerSet set = inside.getSet();
        maps.push_back(AffineMap::get(set.getNumDims(), set.getNumSymbols(), set.getConstraints(),
                                      op.getContext()));
      }
    });
  return maps;
}

/// Returns whether an expression of `map` must divide the index of the fused loop of dims `outer`
/// and `inner`, of which `inner` has `extent` iterations. Indexes of 64 bits are divided lane by
/// lane.
static bool dividesFused(AffineMap map, unsigned outer, unsigned inner, int64_t extent) {
  AffineExpr first = getAffineDimExpr(outer, map.getContext());
  AffineExpr last = getAffineDimExpr(inner, map.getContext());
  return llvm::any_of(map.getResults(), [&](AffineExpr expr) {
    if (expr.isFunctionOfDim(outer) != expr.isFunctionOfDim(inner))
      return true;
    AffineExpr change = expr.replace(first, first + 1) - expr.replace(last, last + extent);
    return expr.isFunctionOfDim(outer) && expr.isPureAffine() &&
           simplifyAffineExpr(change, map.getNumDims(), map.getNumSymbols()) != 0;
  });
}

unsigned layout::countFusable(te::ComputeOp op, ArrayRef<Access> accesses, unsigned dim,
                              unsigned first) {
  // Lines shorter than this would leave lanes idle, which costs more than divisions.
  constexpr int64_t leastLine = 16;
  SmallVector<AffineMap> maps = getPointMaps(op);
  unsigned count = 0;
  int64_t extent = te::assumeSize(op.getStaticSizes()[dim], te::SizeRole::Large);
  while (op.getPieces().size() == 1 && dim - count > first &&
         llvm::all_of(accesses, [&](const Access &access) {
           return access.canFuse(dim - count - 1, dim, extent);
         })) {
    if (extent >= leastLine && llvm::any_of(maps, [&](AffineMap map) {
          return dividesFused(map, dim - count - 1, dim, extent);
        }))
      break;
    ++count;
    if (llvm::MulOverflow(
            extent, te::assumeSize(op.getStaticSizes()[dim - count], te::SizeRole::Large), extent))
      break;
  }
  return count;
}

/// Looks for a read that varies along the vector dim and is invariant along an earlier dim. Returns
/// the first such dim. A block of what the read loads should stay in the cache while the loop of
/// this dim runs.
static std::optional<unsigned> findFirstReuse(te::ComputeOp op, ArrayRef<Access> accesses,
                                              std::optional<unsigned> vectorDim) {
  if (!vectorDim || *vectorDim >= op.getNumParallel() || !op.hasReduction())
    return std::nullopt;
  for (unsigned dim = 0; dim < *vectorDim; ++dim)
    for (const Access &access : accesses)
      if (isReadInSteps(op, access) && op.getStaticSizes()[dim] != 1 &&
          access.getStrideKind(*vectorDim, 2) != StrideKind::Invariant &&
          access.getStrideKind(dim, 2) == StrideKind::Invariant)
        return dim;
  return std::nullopt;
}

SmallVector<unsigned> layout::getOuterOrder(te::ComputeOp op, ArrayRef<Access> accesses,
                                            std::optional<unsigned> vectorDim) {
  std::optional<unsigned> firstReuse = findFirstReuse(op, accesses, vectorDim);
  SmallVector<unsigned> order;
  for (unsigned dim = 0; dim < op.getNumParallel(); ++dim) {
    if (firstReuse && dim == *firstReuse)
      order.push_back(*vectorDim);
    if (!firstReuse || dim != *vectorDim)
      order.push_back(dim);
  }
  return order;
}

SmallVector<unsigned> layout::getReductionOrder(te::ComputeOp op, ArrayRef<Access> accesses) {
  SmallVector<unsigned> order;
  DenseMap<unsigned, int64_t> strides;
  for (unsigned dim = op.getNumParallel(); dim < op.getNumDims(); ++dim) {
    order.push_back(dim);
    for (const Access &access : accesses)
      if (!access.isWrite() && !access.isPackable())
        strides[dim] += std::abs(access.getStride(dim));
  }
  llvm::stable_sort(order, [&](unsigned a, unsigned b) { return strides[a] > strides[b]; });
  return order;
}

//===- ReadFacts.cpp - facts of what a body reads and computes -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/ReadFacts.h"
#include "dialects/te/Analysis/OpCost.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

bool te::readsLeadingDims(AffineMap map, ArrayRef<OpFoldResult> sizes) {
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    if (dim >= sizes.size())
      return false;
    bool isUnit = getConstantSize(sizes[dim]) == 1;
    if (expr != getAffineDimExpr(dim, map.getContext()) &&
        !(isUnit && expr == getAffineConstantExpr(0, map.getContext())))
      return false;
  }
  return true;
}

bool te::readsOwnPoint(ReadOp read) {
  auto reader = cast<ExpressionOpInterface>(read->getParentOp());
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, size] : llvm::enumerate(reader.getIterationDomain()))
    if (reader.getDimKind(dim) == DimKind::Parallel)
      sizes.push_back(size);
  return !read.getGuard() && readsLeadingDims(read.getMap(), sizes);
}

/// Returns whether the indexes 0 to `extent` - 1 are inside of a dim of size `size`.
static bool isWithin(OpFoldResult extent, OpFoldResult size) {
  std::optional<int64_t> points = getConstantSize(extent), known = getConstantSize(size);
  return extent == size || (points && known && *points <= *known);
}

bool te::isInside(ReadOp read) {
  SmallVector<OpFoldResult> domain =
      cast<ExpressionOpInterface>(read->getParentOp()).getIterationDomain();
  return llvm::all_of(llvm::enumerate(read.getMap().getResults()), [&](auto entry) {
    OpFoldResult size = findSize(read.getSource(), entry.index());
    if (!size)
      return false;
    if (auto own = dyn_cast<AffineDimExpr>(entry.value()))
      return isWithin(domain[own.getPosition()], size);
    auto constant = dyn_cast<AffineConstantExpr>(entry.value());
    std::optional<int64_t> known = getConstantSize(size);
    return constant && known && constant.getValue() >= 0 && constant.getValue() < *known;
  });
}

bool te::isFinite(ReadOp read) {
  auto parameter = dyn_cast<BlockArgument>(read.getSource());
  auto kernel = read->getParentOfType<KernelOp>();
  return kernel && parameter && !read.getGuard() && kernel.isFinite(parameter.getArgNumber());
}

bool te::isPositiveZero(Attribute value) {
  if (auto number = dyn_cast_or_null<FloatAttr>(value))
    return number.getValue().isPosZero();
  auto number = dyn_cast_or_null<IntegerAttr>(value);
  return number && number.getValue().isZero();
}

Operation *te::findUnsafe(ComputeOp compute) {
  Operation *unsafe = nullptr;
  compute->walk([&](Operation *op) {
    bool isSafe = op == compute || isa<ReadOp>(op) || op->hasTrait<OpTrait::IsTerminator>() ||
                  (isSpeculatable(op) && !mayTrap(*op));
    if (isSafe)
      return WalkResult::advance();
    unsafe = op;
    return WalkResult::interrupt();
  });
  return unsafe;
}

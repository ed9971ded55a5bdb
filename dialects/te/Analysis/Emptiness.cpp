//===- Emptiness.cpp - whether a small integer set has a point -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/Emptiness.h"
#include "dialects/te/Analysis/Polynomial.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tssa;

/// Limits on the problems given to the integer solver, which is exact and hence not always fast.
static constexpr unsigned maxConstraints = 24;
static constexpr unsigned maxDims = 6;
static constexpr unsigned maxNodes = 120;

/// Returns the dims that the constraints use, or nothing if the problem has symbols, is not pure
/// affine, or exceeds the limits.
static std::optional<llvm::SetVector<unsigned>> collectDims(ArrayRef<AffineExpr> constraints) {
  llvm::SetVector<unsigned> dims;
  unsigned numNodes = 0;
  for (AffineExpr constraint : constraints) {
    numNodes += te::getExprSize(constraint);
    if (!constraint.isPureAffine() || numNodes > maxNodes)
      return std::nullopt;
    bool hasSymbols = false;
    constraint.walk([&](AffineExpr expr) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        dims.insert(dim.getPosition());
      hasSymbols |= isa<AffineSymbolExpr>(expr);
    });
    if (hasSymbols)
      return std::nullopt;
  }
  if (dims.size() > maxDims || constraints.size() + 2 * dims.size() > maxConstraints)
    return std::nullopt;
  return dims;
}

std::optional<bool> te::isEmpty(ArrayRef<int64_t> sizes, ArrayRef<AffineExpr> constraints) {
  if (llvm::is_contained(sizes, 0))
    return true;
  if (constraints.empty())
    return llvm::is_contained(sizes, ShapedType::kDynamic) ? std::optional<bool>() : false;
  auto dims = collectDims(constraints);
  if (!dims)
    return std::nullopt;
  MLIRContext *context = constraints.front().getContext();
  SmallVector<AffineExpr> renumbered(sizes.size(), getAffineConstantExpr(0, context)), all;
  for (auto [index, dim] : llvm::enumerate(*dims)) {
    AffineExpr expr = getAffineDimExpr(index, context);
    renumbered[dim] = expr;
    all.push_back(expr);
    if (!ShapedType::isDynamic(sizes[dim]))
      all.push_back(sizes[dim] - 1 - expr);
  }
  for (AffineExpr constraint : constraints)
    all.push_back(constraint.replaceDims(renumbered));
  auto set = IntegerSet::get(dims->size(), 0, all, SmallVector<bool>(all.size(), false));
  bool empty = FlatLinearConstraints(FlatLinearValueConstraints(set)).isIntegerEmpty();
  if (!empty && llvm::is_contained(sizes, ShapedType::kDynamic))
    return std::nullopt;
  return empty;
}

te::Constraints te::getInequalities(IntegerSet set) {
  Constraints result;
  for (unsigned i = 0; i < set.getNumConstraints(); ++i) {
    result.push_back(set.getConstraint(i));
    if (set.isEq(i))
      result.push_back(-set.getConstraint(i));
  }
  return result;
}

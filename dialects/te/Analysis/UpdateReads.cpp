//===- UpdateReads.cpp - the reads of an update's base --------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/UpdateReads.h"

using namespace mlir;
using namespace mlir::tssa;

/// Returns the results of `map` with each symbol that a te.index computes replaced by its
/// expression. Appends the operands of the remaining symbols to `leaves`.
static SmallVector<AffineExpr> expand(AffineMap map, ValueRange symbols,
                                      SmallVectorImpl<Value> &leaves) {
  SmallVector<AffineExpr> replacements;
  for (Value symbol : symbols) {
    if (auto index = symbol.getDefiningOp<te::IndexOp>()) {
      replacements.push_back(expand(index.getMap(), index.getSymbols(), leaves).front());
      continue;
    }
    auto *it = llvm::find(leaves, symbol);
    replacements.push_back(getAffineSymbolExpr(it - leaves.begin(), map.getContext()));
    if (it == leaves.end())
      leaves.push_back(symbol);
  }
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
    return expr.replaceDimsAndSymbols({}, replacements);
  });
}

/// Returns whether `expr` has a different value for each value of dim `dim`, for any values of
/// the symbols: it is linear in this dim and depends on no other one.
static bool isInjectiveInDim(AffineExpr expr, unsigned dim, unsigned numDims) {
  for (unsigned other = 0; other < numDims; ++other)
    if (expr.isFunctionOfDim(other) != (other == dim))
      return false;
  bool isSum = true;
  expr.walk([&](AffineExpr part) {
    AffineExprKind kind = part.getKind();
    isSum &= kind != AffineExprKind::Mod && kind != AffineExprKind::FloorDiv &&
             kind != AffineExprKind::CeilDiv;
    if (kind == AffineExprKind::Mul)
      isSum &= isa<AffineConstantExpr>(cast<AffineBinaryOpExpr>(part).getRHS());
  });
  return isSum;
}

/// Returns whether different points of the domain have different targets.
static bool isInjective(te::UpdateOp update, ArrayRef<AffineExpr> target) {
  return llvm::all_of(llvm::enumerate(update.getStaticSizes()), [&](auto entry) {
    unsigned dim = entry.index();
    return entry.value() == 1 || llvm::any_of(target, [&](AffineExpr expr) {
             return isInjectiveInDim(expr, dim, update.getNumDims());
           });
  });
}

bool te::readsOnlyTarget(UpdateOp update, Value base) {
  SmallVector<Value> leaves, symbols(update.getSymbols());
  llvm::append_range(symbols, update.getBody().front().getTerminator()->getOperands().drop_front());
  SmallVector<AffineExpr> target = expand(update.getMap(), symbols, leaves);
  if (base.hasOneUse())
    return base.use_begin()->get() == update.getBase();
  bool dependsOnData = llvm::any_of(
      leaves, [&](Value leaf) { return update.getBody().isAncestor(leaf.getParentRegion()); });
  if (dependsOnData || !isInjective(update, target))
    return false;
  return llvm::all_of(base.getUses(), [&](OpOperand &use) {
    if (use.getOwner() == update)
      return &use == &update.getBaseMutable();
    auto read = dyn_cast<ReadOp>(use.getOwner());
    return read && read->getParentRegion() == &update.getBody() &&
           expand(read.getMap(), read.getSymbols(), leaves) == target;
  });
}

//===- BodyConditions.cpp - guards as values ------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyEvaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tssa;

using namespace ::tssa::conversion;

Condition BodyEvaluator::getCondition(IntegerSet set, ValueRange symbols) {
  Condition condition;
  SmallVector<AffineExpr> bounds;
  for (unsigned i = 0; i < set.getNumConstraints(); ++i)
    collectConstraint(substitute(set.getConstraint(i), symbols), set.isEq(i), condition, bounds);
  for (auto *it = bounds.begin(); it != bounds.end(); ++it)
    if (*it)
      addBound(*it, MutableArrayRef(std::next(it), bounds.end()), condition);
  return condition;
}

void BodyEvaluator::addBound(AffineExpr expr, MutableArrayRef<AffineExpr> others,
                             Condition &condition) {
  condition.depth = std::max(condition.depth, index.getDepth(expr));
  for (AffineExpr &other : others) {
    auto most =
        other ? dyn_cast<AffineConstantExpr>(index.simplify(expr + other)) : AffineConstantExpr();
    if (!most || most.getValue() < 0)
      continue;
    other = {};
    condition.uniform =
        andMasks(condition.uniform, index.materializeRange(expr, most.getValue() + 1));
    return;
  }
  condition.uniform = andMasks(condition.uniform, index.materializeCondition(expr, false));
}

/// Returns the factor of `variable` in the sum `expr`. Returns nothing if `variable` occurs other
/// than in multiples by constants.
static std::optional<int64_t> getCoefficient(AffineExpr expr, AffineExpr variable) {
  if (expr == variable)
    return 1;
  bool found = false;
  expr.walk([&](AffineExpr e) { found |= e == variable; });
  if (!found)
    return 0;
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto lhs = getCoefficient(binary.getLHS(), variable);
  if (expr.getKind() == AffineExprKind::Add) {
    auto rhs = getCoefficient(binary.getRHS(), variable);
    return lhs && rhs ? std::optional(*lhs + *rhs) : std::nullopt;
  }
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() != AffineExprKind::Mul || !factor || !lhs)
    return std::nullopt;
  return *lhs * factor.getValue();
}

AffineExpr BodyEvaluator::getLeast(AffineExpr expr, const LoopBounds &loops) {
  auto minimize = [&](AffineExpr variable, AffineExpr last) {
    std::optional<int64_t> factor = getCoefficient(expr, variable);
    if (!factor)
      return false;
    if (*factor != 0)
      expr = index.simplify(expr.replace(
          variable, *factor > 0 ? getAffineConstantExpr(0, index.getContext()) : last));
    return true;
  };
  for (auto [loop, last] : loops)
    if (!minimize(loop, last))
      return {};
  expr = substituteLoops(expr);
  AffineExpr lane = getAffineDimExpr(laneDim, index.getContext());
  if (!minimize(lane, getAffineConstantExpr(lanes - 1, index.getContext())))
    return {};
  for (auto [row, last] : point.greatest)
    if (!minimize(row, last))
      return {};
  return expr;
}

bool BodyEvaluator::isAssumed(AffineExpr expr) {
  if (kernel.assumed.contains(substituteLoops(expr)))
    return true;
  if (!kernel.interior)
    return false;
  AffineExpr least = getLeast(expr, kernel.interior->loops);
  return least && (kernel.interior->least.contains(least) || index.isNonNegative(least));
}

void BodyEvaluator::addConstraint(AffineExpr expr, bool equality, Condition &condition) {
  SmallVector<AffineExpr> bounds;
  collectConstraint(expr, equality, condition, bounds);
  for (AffineExpr bound : bounds)
    addBound(bound, {}, condition);
}

void BodyEvaluator::collectConstraint(AffineExpr expr, bool equality, Condition &condition,
                                      SmallVectorImpl<AffineExpr> &bounds) {
  expr = index.simplify(expr);
  bool assumed = !equality && isAssumed(expr);
  expr = substituteLoops(expr);
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    condition.never |= equality ? constant.getValue() != 0 : constant.getValue() < 0;
    return;
  }
  if (assumed || (!equality && index.isNonNegative(expr)))
    return;
  if (index.hasLanes(expr)) {
    Value holds = index.materializeLaneCondition(expr, equality, laneDim, lanes);
    condition.lanes = andMasks(condition.lanes, holds);
    return;
  }
  if (!equality)
    return bounds.push_back(expr);
  condition.uniform = andMasks(condition.uniform, index.materializeCondition(expr, equality));
  condition.depth = std::max(condition.depth, index.getDepth(expr));
}

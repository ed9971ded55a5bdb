//===- IndexBuilder.cpp - index expressions as values -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Conversion/IndexBuilder.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace ::tssa::conversion;

static void collectTerms(AffineExpr expr, SmallVectorImpl<AffineExpr> &terms) {
  if (expr.getKind() != AffineExprKind::Add) {
    terms.push_back(expr);
    return;
  }
  collectTerms(cast<AffineBinaryOpExpr>(expr).getLHS(), terms);
  collectTerms(cast<AffineBinaryOpExpr>(expr).getRHS(), terms);
}

namespace tssa::conversion {

SmallVector<AffineExpr> getTerms(AffineExpr expr) {
  SmallVector<AffineExpr> terms;
  collectTerms(expr, terms);
  return terms;
}

} // namespace tssa::conversion

AffineExpr IndexBuilder::getSymbol(Value value) {
  auto *it = llvm::find(symbols, value);
  unsigned position = it - symbols.begin();
  if (it == symbols.end())
    symbols.push_back(value);
  return getAffineSymbolExpr(position, getContext());
}

AffineExpr IndexBuilder::getSymbolUpTo(Value value, int64_t most) {
  AffineExpr symbol = getSymbol(value);
  symbolBounds[cast<AffineSymbolExpr>(symbol).getPosition()] = most;
  simplifier.reset();
  return symbol;
}

AffineExpr IndexBuilder::getSize(OpFoldResult size) {
  if (std::optional<int64_t> constant = mlir::tssa::te::getConstantSize(size))
    return getAffineConstantExpr(*constant, getContext());
  return getSymbol(cast<Value>(size));
}

void IndexBuilder::declareLoop(unsigned loop, AffineExpr extent) {
  using mlir::tssa::te::IndexRange;
  if (ranges.size() <= loop)
    ranges.resize(loop + 1, IndexRange::atLeast(0));
  ranges[loop] = IndexRange::below(extent);
  simplifier.reset();
}

void IndexBuilder::setLoop(unsigned loop, Value value) { loops[loop] = {value, nextDepth++}; }

void IndexBuilder::dropLoop(unsigned loop) {
  loops.erase(loop);
  --nextDepth;
}

void IndexBuilder::setLane(unsigned dim, int64_t lanes) {
  lane = {dim, lanes};
  declareLoop(dim, getAffineConstantExpr(lanes, getContext()));
}

mlir::tssa::te::IndexSimplifier &IndexBuilder::getSimplifier() const {
  using mlir::tssa::te::IndexRange;
  if (simplifier && simplifierSymbols == symbols.size())
    return *simplifier;
  SmallVector<IndexRange> symbolRanges(symbols.size(), IndexRange::atLeast(0));
  for (auto [symbol, most] : symbolBounds)
    symbolRanges[symbol].upper = most;
  simplifierSymbols = symbols.size();
  simplifier =
      std::make_unique<mlir::tssa::te::IndexSimplifier>(getContext(), ranges, symbolRanges);
  return *simplifier;
}

AffineExpr IndexBuilder::getFirstOfRun(AffineExpr address, unsigned laneDim) const {
  AffineExpr lane = getAffineDimExpr(laneDim, getContext());
  AffineExpr zero = getAffineConstantExpr(0, getContext());
  AffineExpr first = address.replace(lane, zero);
  if (hasLanes(first)) // a vector symbol
    return {};
  return simplify(address - first - lane) == zero ? first : AffineExpr();
}

AffineExpr IndexBuilder::simplify(AffineExpr expr) const {
  return isa<AffineConstantExpr, AffineDimExpr, AffineSymbolExpr>(expr)
             ? expr
             : getSimplifier().simplify(expr);
}

bool IndexBuilder::isNonNegative(AffineExpr expr) const {
  return getSimplifier().isNonNegative(expr) || llvm::any_of(facts, [&](AffineExpr fact) {
           return getSimplifier().isNonNegative(simplify(expr - fact));
         });
}

void IndexBuilder::assuming(AffineExpr expr, function_ref<void()> body) {
  facts.push_back(expr);
  body();
  facts.pop_back();
}

unsigned IndexBuilder::getDepth(AffineExpr expr) const {
  unsigned depth = 0;
  expr.walk([&](AffineExpr e) {
    auto dim = dyn_cast<AffineDimExpr>(e);
    if (!dim)
      return;
    auto it = loops.find(dim.getPosition());
    if (it != loops.end())
      depth = std::max(depth, it->second.depth);
  });
  return depth;
}

Value IndexBuilder::constant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value IndexBuilder::clampOffset(Value offset, Value condition) {
  return condition
             ? arith::SelectOp::create(builder, loc, condition, offset, constant(0)).getResult()
             : offset;
}

Value IndexBuilder::splat(Value value, int64_t lanes) {
  if (!lanes || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(builder, loc, VectorType::get(lanes, value.getType()), value);
}

/// If one of the values is a vector, broadcasts the other one to as many lanes.
void IndexBuilder::matchLanes(Value &lhs, Value &rhs) {
  if (auto type = dyn_cast<VectorType>(lhs.getType()))
    rhs = splat(rhs, type.getNumElements());
  else if (auto type = dyn_cast<VectorType>(rhs.getType()))
    lhs = splat(lhs, type.getNumElements());
}

bool IndexBuilder::hasLanes(AffineExpr expr) const {
  bool found = false;
  expr.walk([&](AffineExpr e) {
    if (auto dim = dyn_cast<AffineDimExpr>(e))
      found |= lane && dim.getPosition() == lane->first;
    if (auto symbol = dyn_cast<AffineSymbolExpr>(e))
      found |= isa<VectorType>(symbols[symbol.getPosition()].getType());
  });
  return found;
}

bool IndexBuilder::isKnown(AffineExpr expr) const {
  bool known = true;
  expr.walk([&](AffineExpr e) {
    if (auto dim = dyn_cast<AffineDimExpr>(e))
      known &= hasLoop(dim.getPosition());
  });
  return known;
}

/// Adds terms of outer loops first, so that these sums move out of inner loops. Those that change
/// in the same loop are added to each other first: other sums may have them in common.
Value IndexBuilder::buildSum(AffineExpr expr, int64_t lanes, unsigned laneDim) {
  SmallVector<AffineExpr> terms = getTerms(expr);
  auto key = [&](AffineExpr term) {
    if (isa<AffineConstantExpr>(term))
      return 1u << 30; // last: a constant offset folds into the address
    bool hasLane = lanes && term.isFunctionOfDim(laneDim);
    return getDepth(term) + (hasLane ? 1u << 20 : 0);
  };
  llvm::stable_sort(terms, [&](AffineExpr a, AffineExpr b) { return key(a) < key(b); });
  auto add = [&](Value sum, Value value) -> Value {
    if (!sum)
      return value;
    matchLanes(sum, value);
    return arith::AddIOp::create(builder, loc, sum, value);
  };
  Value sum;
  for (auto *it = terms.begin(); it != terms.end();) {
    unsigned depth = key(*it);
    Value group;
    for (; it != terms.end() && key(*it) == depth; ++it)
      group = add(group, build(*it, lanes, laneDim));
    sum = add(sum, group);
  }
  return sum;
}

Value IndexBuilder::buildDivMod(AffineBinaryOpExpr expr, int64_t lanes, unsigned laneDim) {
  AffineExpr lhsExpr = expr.getLHS();
  bool nonNegative = isNonNegative(lhsExpr);
  Value lhs = build(lhsExpr, lanes, laneDim), rhs = build(expr.getRHS(), lanes, laneDim);
  matchLanes(lhs, rhs);
  switch (expr.getKind()) {
  case AffineExprKind::FloorDiv:
    if (nonNegative)
      return arith::DivUIOp::create(builder, loc, lhs, rhs);
    return arith::FloorDivSIOp::create(builder, loc, lhs, rhs);
  case AffineExprKind::CeilDiv:
    if (nonNegative)
      return arith::CeilDivUIOp::create(builder, loc, lhs, rhs);
    return arith::CeilDivSIOp::create(builder, loc, lhs, rhs);
  default: {
    if (nonNegative)
      return arith::RemUIOp::create(builder, loc, lhs, rhs);
    Value quotient = arith::FloorDivSIOp::create(builder, loc, lhs, rhs);
    Value multiple = arith::MulIOp::create(builder, loc, quotient, rhs);
    return arith::SubIOp::create(builder, loc, lhs, multiple);
  }
  }
}

Value IndexBuilder::build(AffineExpr expr, int64_t lanes, unsigned laneDim) {
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    return constant(cast<AffineConstantExpr>(expr).getValue());
  case AffineExprKind::DimId: {
    unsigned position = cast<AffineDimExpr>(expr).getPosition();
    if (lanes && position == laneDim)
      return vector::StepOp::create(builder, loc, VectorType::get(lanes, builder.getIndexType()));
    assert(loops.contains(position) && "the loop is around the insertion point");
    return loops.lookup(position).value;
  }
  case AffineExprKind::SymbolId:
    return symbols[cast<AffineSymbolExpr>(expr).getPosition()];
  case AffineExprKind::Add:
    return buildSum(expr, lanes, laneDim);
  case AffineExprKind::Mul: {
    auto product = cast<AffineBinaryOpExpr>(expr);
    Value lhs = build(product.getLHS(), lanes, laneDim),
          rhs = build(product.getRHS(), lanes, laneDim);
    matchLanes(lhs, rhs);
    return arith::MulIOp::create(builder, loc, lhs, rhs);
  }
  default:
    return buildDivMod(cast<AffineBinaryOpExpr>(expr), lanes, laneDim);
  }
}

Value IndexBuilder::materialize(AffineExpr expr) { return build(expr, 0, ~0u); }

Value IndexBuilder::materializeOrigin(AffineExpr expr) {
  Value value = materialize(expr);
  origins[value] = expr;
  return value;
}

AffineExpr IndexBuilder::getOrigin(Value value) {
  AffineExpr expr = origins.lookup(value);
  return expr ? expr : getSymbol(value);
}

Value IndexBuilder::materializeLanes(AffineExpr expr, unsigned laneDim, int64_t lanes) {
  return splat(build(expr, lanes, laneDim), lanes);
}

Value IndexBuilder::materializeCondition(AffineExpr expr, bool equality) {
  auto predicate = equality ? arith::CmpIPredicate::eq : arith::CmpIPredicate::sge;
  return arith::CmpIOp::create(builder, loc, predicate, materialize(expr), constant(0));
}

Value IndexBuilder::materializeFromOuter(AffineExpr expr) {
  AffineExpr outer = getAffineConstantExpr(0, getContext()), inner = outer;
  for (AffineExpr term : getTerms(expr)) {
    AffineExpr &part = getDepth(term) == 0 ? outer : inner;
    part = part + term;
  }
  Value first = materialize(outer);
  return arith::AddIOp::create(builder, loc, first, materialize(inner));
}

Value IndexBuilder::materializeRange(AffineExpr expr, int64_t count) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, materializeFromOuter(expr),
                               constant(count));
}

Value IndexBuilder::materializeLaneCondition(AffineExpr expr, bool equality, unsigned laneDim,
                                             int64_t lanes) {
  auto predicate = equality ? arith::CmpIPredicate::eq : arith::CmpIPredicate::sge;
  Value mask = arith::CmpIOp::create(
      builder, loc, predicate, materializeLanes(expr, laneDim, lanes), splat(constant(0), lanes));
  if (!equality)
    conditions[mask] = expr;
  return mask;
}

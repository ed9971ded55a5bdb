//===- IndexSimplifier.cpp - index expressions under known ranges -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/IndexSimplifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

IndexRange IndexRange::below(AffineExpr size) {
  IndexRange range;
  range.lower = 0;
  range.upperExpr = size - 1;
  if (auto constant = dyn_cast<AffineConstantExpr>(size))
    range.upper = constant.getValue() - 1;
  return range;
}

IndexSimplifier::IndexSimplifier(MLIRContext *context, ArrayRef<IndexRange> dims,
                                 ArrayRef<IndexRange> symbols)
    : context(context), dims(dims), symbols(symbols) {}

AffineExpr IndexSimplifier::addSymbol(const IndexRange &range) {
  symbols.push_back(range);
  return getAffineSymbolExpr(symbols.size() - 1, context);
}

void IndexSimplifier::assumeNonNegative(AffineExpr expr) {
  Polynomial value = normalize(expr);
  if (!value.isValid() || value.getConstant())
    return;
  if (!tightenRange(value))
    assumptions.push_back(value);
  normalForms.clear();
  intervals.clear();
  weights.clear();
}

bool IndexSimplifier::tightenRange(const Polynomial &value) {
  const Term &term = value.getTerms().front();
  bool isSingle = value.getTerms().size() == 1 ||
                  (value.getTerms().size() == 2 && value.getTerms().back().isConstant());
  const IndexRange *known = isSingle && term.atoms.size() == 1 ? getRange(term.atoms[0]) : nullptr;
  if (!known)
    return false;
  auto &ranges = isa<AffineDimExpr>(term.atoms[0]) ? dims : symbols;
  IndexRange &range = ranges[known - ranges.data()];
  int64_t constant = value.getConstantTerm(), factor = term.coefficient;
  if (factor > 0) {
    int64_t lower = llvm::divideCeilSigned(-constant, factor);
    range.lower = range.lower ? std::max(*range.lower, lower) : lower;
  } else {
    int64_t upper = llvm::divideFloorSigned(constant, -factor);
    range.upper = range.upper ? std::min(*range.upper, upper) : upper;
  }
  return true;
}

const IndexRange *IndexSimplifier::getRange(AffineExpr leaf) const {
  if (auto dim = dyn_cast<AffineDimExpr>(leaf))
    return dim.getPosition() < dims.size() ? &dims[dim.getPosition()] : nullptr;
  if (auto symbol = dyn_cast<AffineSymbolExpr>(leaf))
    return symbol.getPosition() < symbols.size() ? &symbols[symbol.getPosition()] : nullptr;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Normal forms
//===----------------------------------------------------------------------===//

Polynomial IndexSimplifier::normalize(AffineExpr expr) {
  auto it = normalForms.find(expr);
  if (it != normalForms.end())
    return it->second;
  Polynomial result = computeNormalForm(expr);
  normalForms[expr] = result;
  return result;
}

Polynomial IndexSimplifier::normalizeLeaf(AffineExpr leaf, const IndexRange *range) {
  if (range && range->lower && range->lower == range->upper)
    return *range->lower;
  return Polynomial(leaf);
}

Polynomial IndexSimplifier::computeNormalForm(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return normalizeLeaf(expr, getRange(expr));
  Polynomial lhs = normalize(binary.getLHS()), rhs = normalize(binary.getRHS());
  if (!lhs.isValid() || !rhs.isValid())
    return Polynomial::getInvalid();
  if (expr.getKind() == AffineExprKind::Add)
    return recombine(lhs + rhs);
  if (expr.getKind() == AffineExprKind::Mul)
    return lhs * rhs;
  // A division by a sum becomes one atom.
  if (rhs.getTerms().size() != 1 || rhs.getTerms().front().coefficient <= 0)
    return rhs.getTerms().size() > 1
               ? Polynomial(getAffineBinaryOpExpr(expr.getKind(), lhs.toExpr(context),
                                                  rhs.toExpr(context)))
               : Polynomial::getInvalid();
  const Term divisor = rhs.getTerms().front();
  switch (expr.getKind()) {
  case AffineExprKind::FloorDiv:
    return recombine(floorDiv(lhs, divisor));
  case AffineExprKind::CeilDiv:
    return recombine(floorDiv(lhs + rhs - Polynomial(1), divisor));
  default:
    return recombine(mod(lhs, divisor));
  }
}

AffineExpr IndexSimplifier::simplify(AffineExpr expr) {
  Polynomial result = normalize(expr);
  return result.isValid() ? result.toExpr(context) : expr;
}

AffineMap IndexSimplifier::simplify(AffineMap map) {
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults())
    results.push_back(simplify(expr));
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(), results, context);
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

/// Divides a constraint by the greatest common divisor of its coefficients and rounds the constant
/// of an inequality down. An equality is returned unchanged if the divisor does not divide its
/// constant.
static Polynomial tighten(const Polynomial &value, bool isEquality) {
  int64_t divisor = 0;
  for (const Term &term : value.getTerms())
    if (!term.isConstant())
      divisor = std::gcd(divisor, term.coefficient);
  if (divisor <= 1 || (isEquality && value.getConstantTerm() % divisor != 0))
    return value;
  Polynomial result(llvm::divideFloorSigned(value.getConstantTerm(), divisor));
  for (const Term &term : value.getTerms())
    if (!term.isConstant())
      result = result + Polynomial(Term{term.coefficient / divisor, term.atoms});
  return result;
}

Truth IndexSimplifier::decide(AffineExpr expr, bool isEquality) {
  Polynomial value = normalize(expr);
  if (!value.isValid())
    return Truth::Unknown;
  if (!isEquality) {
    value = tighten(value, false);
    if (proveNonNegative(value))
      return Truth::Always;
    return proveNonNegative(Polynomial(-1) - value) ? Truth::Never : Truth::Unknown;
  }
  if (value.isZero())
    return Truth::Always;
  if (proveNonNegative(value - Polynomial(1)) || proveNonNegative(Polynomial(-1) - value))
    return Truth::Never;
  return Truth::Unknown;
}

/// Removes each inequality that another inequality implies: its expression is never less than the
/// expression of the other.
void IndexSimplifier::dropImplied(SmallVectorImpl<AffineExpr> &constraints,
                                  SmallVectorImpl<bool> &equalities) {
  for (unsigned i = constraints.size(); i-- > 0;) {
    bool implied = false;
    for (unsigned j = 0; j < constraints.size() && !implied; ++j)
      implied = i != j && !equalities[i] && !equalities[j] &&
                proveNonNegative(normalize(constraints[i]) - normalize(constraints[j]));
    if (!implied)
      continue;
    constraints.erase(constraints.begin() + i);
    equalities.erase(equalities.begin() + i);
  }
}

IntegerSet IndexSimplifier::simplify(IntegerSet set, Truth &truth) {
  SmallVector<AffineExpr> constraints;
  SmallVector<bool> equalities;
  truth = Truth::Always;
  for (unsigned i = 0; i < set.getNumConstraints(); ++i) {
    bool isEquality = set.isEq(i);
    Truth one = decide(set.getConstraint(i), isEquality);
    if (one == Truth::Always)
      continue;
    Polynomial value = normalize(set.getConstraint(i));
    AffineExpr expr =
        value.isValid() ? tighten(value, isEquality).toExpr(context) : set.getConstraint(i);
    if (one == Truth::Never) {
      truth = Truth::Never;
      return IntegerSet::get(set.getNumDims(), set.getNumSymbols(),
                             getAffineConstantExpr(-1, context), false);
    }
    truth = Truth::Unknown;
    bool known = llvm::any_of(llvm::zip(constraints, equalities), [&](auto other) {
      return std::get<0>(other) == expr && std::get<1>(other) == isEquality;
    });
    if (known)
      continue;
    constraints.push_back(expr);
    equalities.push_back(isEquality);
  }
  if (truth == Truth::Always)
    return IntegerSet::get(set.getNumDims(), set.getNumSymbols(), getAffineConstantExpr(0, context),
                           true);
  dropImplied(constraints, equalities);
  return IntegerSet::get(set.getNumDims(), set.getNumSymbols(), constraints, equalities);
}

bool IndexSimplifier::isNonNegative(AffineExpr expr) { return proveNonNegative(normalize(expr)); }

std::optional<int64_t> IndexSimplifier::getConstantUpperBound(AffineExpr expr) {
  return getInterval(normalize(expr)).upper;
}

std::optional<int64_t> IndexSimplifier::getConstantLowerBound(AffineExpr expr) {
  return getInterval(normalize(expr)).lower;
}

//===- IndexProofs.cpp - what ranges imply about polynomials -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// To prove P >= 0, the atoms are eliminated one at a time. P = C*a + R is replaced by its least
/// value: a becomes its lower bound if C >= 0, and its upper bound if C <= 0. When only symbols
/// with constant lower bounds are left, they are shifted to start at 0. A sum without a negative
/// coefficient is then non-negative.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/IndexSimplifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// The number of steps that one proof may take.
static constexpr unsigned proofBudget = 96;
static constexpr unsigned maxDepth = 12;

//===----------------------------------------------------------------------===//
// Constant intervals
//===----------------------------------------------------------------------===//

static std::optional<int64_t> addBounds(std::optional<int64_t> lhs, std::optional<int64_t> rhs) {
  int64_t sum;
  if (!lhs || !rhs || llvm::AddOverflow(*lhs, *rhs, sum))
    return std::nullopt;
  return sum;
}

static std::optional<int64_t> mulBounds(std::optional<int64_t> lhs, std::optional<int64_t> rhs) {
  int64_t product;
  if (!lhs || !rhs || llvm::MulOverflow(*lhs, *rhs, product))
    return std::nullopt;
  return product;
}

IndexSimplifier::Interval IndexSimplifier::getInterval(AffineExpr atom) {
  auto it = intervals.find(atom);
  if (it != intervals.end())
    return it->second;
  Interval result = computeInterval(atom);
  intervals[atom] = result;
  return result;
}

IndexSimplifier::Interval IndexSimplifier::computeInterval(AffineExpr atom) {
  if (const IndexRange *range = getRange(atom)) {
    Interval result{range->lower, range->upper};
    if (!result.upper && range->upperExpr)
      if (auto constant = dyn_cast<AffineConstantExpr>(range->upperExpr))
        result.upper = constant.getValue();
    return result;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(atom);
  if (!binary)
    return {};
  auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  Interval value = getInterval(normalize(binary.getLHS()));
  if (atom.getKind() == AffineExprKind::Mod) {
    Interval result{0, std::nullopt};
    if (divisor)
      result.upper = divisor.getValue() - 1;
    if (value.lower && *value.lower >= 0 && value.upper &&
        (!result.upper || *value.upper < *result.upper))
      result.upper = value.upper;
    return result;
  }
  if (atom.getKind() != AffineExprKind::FloorDiv)
    return {};
  if (divisor) {
    for (std::optional<int64_t> *bound : {&value.lower, &value.upper})
      if (*bound)
        *bound = llvm::divideFloorSigned(**bound, divisor.getValue());
    return value;
  }
  // Division by an unknown positive divisor moves the value towards 0, or towards -1.
  Interval result;
  if (value.lower)
    result.lower = std::min<int64_t>(*value.lower, 0);
  if (value.upper)
    result.upper = std::max<int64_t>(*value.upper, -1);
  return result;
}

IndexSimplifier::Interval IndexSimplifier::getInterval(const Polynomial &value) {
  if (!value.isValid())
    return {};
  Interval sum{0, 0};
  for (const Term &term : value.getTerms()) {
    Interval product{1, 1};
    for (AffineExpr atom : term.atoms) {
      Interval factor = getInterval(atom);
      if (!product.lower || *product.lower < 0 || !factor.lower || *factor.lower < 0) {
        product = term.atoms.size() == 1 ? factor : Interval{};
        break;
      }
      product = {mulBounds(product.lower, factor.lower), mulBounds(product.upper, factor.upper)};
    }
    if (term.coefficient < 0)
      std::swap(product.lower, product.upper);
    sum.lower = addBounds(sum.lower, mulBounds(product.lower, term.coefficient));
    sum.upper = addBounds(sum.upper, mulBounds(product.upper, term.coefficient));
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Proofs
//===----------------------------------------------------------------------===//

bool IndexSimplifier::proveNonNegative(const Polynomial &value) {
  if (budget) // a query within a proof shares the budget of the proof
    return prove(value, 0);
  budget = proofBudget;
  llvm::scope_exit reset([&] { budget = 0; });
  return prove(value, 0);
}

bool IndexSimplifier::prove(const Polynomial &value, unsigned depth) {
  if (!value.isValid())
    return false;
  if (std::optional<int64_t> lower = getInterval(value).lower; lower && *lower >= 0)
    return true;
  if (value.getConstant() || depth > maxDepth || budget <= 1)
    return false;
  --budget;
  if (proveByBounds(value, depth))
    return true;
  if (depth > 0)
    return false;
  return llvm::any_of(assumptions, [&](const Polynomial &assumption) {
    return prove(value - assumption, depth + 1);
  });
}

/// Returns a weight that is larger for an expression than for its parts. The definition of a symbol
/// or dim counts as a part of it. If there is no definition, its upper bound counts as a part.
unsigned IndexSimplifier::getWeight(AffineExpr expr) {
  if (auto it = weights.find(expr); it != weights.end())
    return it->second;
  weights[expr] = 2; // the weight where `expr` occurs in its own bounds
  unsigned weight = 2 + isa<AffineDimExpr>(expr);
  auto add = [&](AffineExpr part) {
    if (part)
      weight = llvm::SaturatingAdd(weight, getWeight(part));
  };
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
    add(binary.getLHS());
    add(binary.getRHS());
  } else if (const IndexRange *range = getRange(expr)) {
    add(range->definition ? range->definition : range->upperExpr);
  }
  return weights[expr] = weight;
}

/// Returns the replaceable atom of the greatest weight, or null if no atom is replaceable. In this
/// order, an atom is replaced before the atoms that occur in its bounds.
AffineExpr IndexSimplifier::pickAtom(const Polynomial &value,
                                     llvm::function_ref<bool(AffineExpr)> isReplaceable) {
  AffineExpr best;
  unsigned bestWeight = 0;
  for (const Term &term : value.getTerms())
    for (AffineExpr atom : term.atoms) {
      if (!isReplaceable(atom))
        continue;
      if (unsigned weight = getWeight(atom); weight > bestWeight) {
        best = atom;
        bestWeight = weight;
      }
    }
  return best;
}

bool IndexSimplifier::proveByBounds(const Polynomial &value, unsigned depth) {
  AffineExpr atom = pickAtom(value, [&](AffineExpr candidate) {
    const IndexRange *range = getRange(candidate);
    return !isa<AffineSymbolExpr>(candidate) ||
           (range && (range->definition || range->upper || range->upperExpr));
  });
  if (!atom)
    return proveBySymbols(value);
  auto factored = value.factor(atom);
  if (!factored)
    return proveBySymbols(value);
  auto &[coefficient, rest] = *factored;
  const IndexRange *range = getRange(atom);
  if (range && range->definition &&
      prove(coefficient * normalize(range->definition) + rest, depth + 1))
    return true;
  if (prove(coefficient, depth + 1))
    return substituteAndProve(atom, coefficient, rest, /*lower=*/true, depth);
  if (prove(Polynomial(0) - coefficient, depth + 1))
    return substituteAndProve(atom, coefficient, rest, /*lower=*/false, depth);
  return false;
}

bool IndexSimplifier::substituteAndProve(AffineExpr atom, const Polynomial &coefficient,
                                         const Polynomial &rest, bool lower, unsigned depth) {
  // c * (x floordiv c) lies in [x - c + 1, x]. The bounds of the quotient give a wider range.
  if (atom.getKind() == AffineExprKind::FloorDiv) {
    auto division = cast<AffineBinaryOpExpr>(atom);
    Polynomial x = normalize(division.getLHS()), c = normalize(division.getRHS());
    if (c.getTerms().size() == 1 && coefficient.getTerms().size() == 1)
      if (std::optional<Term> times = divideExactly(coefficient.getTerms()[0], c.getTerms()[0])) {
        Polynomial bound = lower ? x - c + Polynomial(1) : x;
        if (prove(Polynomial(*times) * bound + rest, depth + 1))
          return true;
      }
  }
  return llvm::any_of(getBounds(atom, lower), [&](const Polynomial &bound) {
    return prove(coefficient * bound + rest, depth + 1);
  });
}

static bool hasDivision(AffineExpr expr) {
  return expr
      .walk([](AffineExpr part) {
        bool isDivision = isa<AffineBinaryOpExpr>(part) && part.getKind() != AffineExprKind::Add &&
                          part.getKind() != AffineExprKind::Mul;
        return isDivision ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Replaces the atom of the greatest weight by each of its bounds. Returns the resulting bounds of
/// `value`.
SmallVector<Polynomial, 2> IndexSimplifier::boundByOneAtom(const Polynomial &value, bool lower) {
  AffineExpr atom = pickAtom(value, [&](AffineExpr candidate) {
    const IndexRange *range = getRange(candidate);
    return !range || range->definition || range->upper || range->upperExpr;
  });
  auto factored = atom ? value.factor(atom) : std::nullopt;
  if (!factored)
    return {};
  auto &[coefficient, rest] = *factored;
  if (const IndexRange *range = getRange(atom); range && range->definition)
    return {coefficient * normalize(range->definition) + rest};
  Interval sign = getInterval(coefficient);
  bool rises = sign.lower && *sign.lower >= 0, falls = sign.upper && *sign.upper <= 0;
  if (!rises && !falls)
    return {};
  SmallVector<Polynomial, 2> bounds = getBounds(atom, lower == rises);
  // The definitions of symbols may cancel, so that the bound can be divided.
  auto isSum = [&](AffineExpr candidate) {
    const IndexRange *range = getRange(candidate);
    return range && range->definition && !hasDivision(range->definition);
  };
  for (Polynomial &bound : bounds) {
    bound = coefficient * bound + rest;
    for (unsigned step = 0; step < maxDepth; ++step) {
      AffineExpr symbol = pickAtom(bound, isSum);
      auto parts = symbol ? bound.factor(symbol) : std::nullopt;
      if (!parts)
        break;
      bound = parts->first * normalize(getRange(symbol)->definition) + parts->second;
    }
  }
  return bounds;
}

SmallVector<Polynomial, 2> IndexSimplifier::getBounds(AffineExpr atom, bool lower) {
  SmallVector<Polynomial, 2> bounds;
  Interval interval = getInterval(atom);
  if (std::optional<int64_t> bound = lower ? interval.lower : interval.upper)
    bounds.push_back(*bound);
  if (const IndexRange *range = getRange(atom)) {
    llvm::append_range(bounds, getAssumedBounds(atom, lower));
    if (!lower && range->upperExpr && !isa<AffineConstantExpr>(range->upperExpr))
      bounds.push_back(normalize(range->upperExpr));
    return bounds;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(atom);
  if (!binary)
    return bounds;
  Polynomial x = normalize(binary.getLHS()), c = normalize(binary.getRHS());
  if (atom.getKind() == AffineExprKind::FloorDiv && c.getTerms().size() == 1)
    for (const Polynomial &bound : boundByOneAtom(x, lower))
      bounds.push_back(floorDiv(bound, c.getTerms().front()));
  if (lower)
    return bounds;
  if (atom.getKind() == AffineExprKind::Mod && bounds.empty())
    bounds.push_back(c - Polynomial(1));
  std::optional<int64_t> least = getInterval(x).lower;
  if (least && *least >= 0) // 0 <= x mod c <= x and 0 <= x floordiv c <= x
    bounds.push_back(x);
  return bounds;
}

/// Returns the bounds of `atom`, a dim, over symbols that the assumptions give.
SmallVector<Polynomial, 2> IndexSimplifier::getAssumedBounds(AffineExpr atom, bool lower) {
  SmallVector<Polynomial, 2> bounds;
  for (const Polynomial &assumption : assumptions) {
    auto factored = isa<AffineDimExpr>(atom) ? assumption.factor(atom) : std::nullopt;
    if (!factored || factored->first.getConstant() != (lower ? 1 : -1))
      continue;
    Polynomial bound = lower ? Polynomial(0) - factored->second : factored->second;
    if (bound.isValid() && bound.toExpr(context).isSymbolicOrConstant())
      bounds.push_back(bound);
  }
  return bounds;
}

/// Returns whether the atoms of each negative term divide some positive term. If they do not,
/// nothing can make up for the negative term.
static bool mayCancel(const Polynomial &value) {
  return llvm::all_of(value.getTerms(), [&](const Term &negative) {
    return negative.coefficient > 0 || llvm::any_of(value.getTerms(), [&](const Term &positive) {
             return positive.coefficient > 0 &&
                    divideExactly(positive, Term{1, negative.atoms}).has_value();
           });
  });
}

/// Replaces each symbol s >= l by l + s' with s' >= 0. Returns whether no coefficient is negative
/// after that.
bool IndexSimplifier::proveBySymbols(const Polynomial &value) {
  if (!mayCancel(value))
    return false;
  Polynomial shifted;
  for (const Term &term : value.getTerms()) {
    Polynomial product(term.coefficient);
    for (AffineExpr atom : term.atoms) {
      std::optional<int64_t> lower = getInterval(atom).lower;
      if (!lower)
        return false;
      product = product * (Polynomial(atom) + Polynomial(*lower));
    }
    shifted = shifted + product;
  }
  return shifted.isValid() &&
         llvm::all_of(shifted.getTerms(), [](const Term &term) { return term.coefficient > 0; });
}

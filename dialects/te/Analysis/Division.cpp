//===- Division.cpp - floordiv and mod of polynomials -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The rules for a divisor c that is a single term:
/// 1. Multiples of c are split off: (q*c + r) floordiv c = q + r floordiv c.
/// 2. A remainder in [k*c, (k+1)*c) has the quotient k.
/// 3. For a remainder g*a + b with 0 <= b < g, where g divides c, the quotient is
///    a floordiv (c/g), and the mod is g*(a mod (c/g)) + b.
/// 4. Nested divisions become one. A division that no rule simplifies becomes an atom.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/IndexSimplifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// A value as g * high + low with 0 <= low < g, where g (the field `divisor`) divides c.
struct IndexSimplifier::Split {
  Term divisor;
  Polynomial high, low;
};

namespace {
struct Multiples {
  Polynomial quotient, rest;
};
} // namespace

/// Returns `quotient` and `rest` with value = divisor * quotient + rest. With `reduce` and a
/// constant divisor, the coefficients of the rest are reduced to values below the divisor.
static Multiples takeMultiples(const Polynomial &value, const Term &divisor, bool reduce) {
  Multiples result;
  for (const Term &term : value.getTerms()) {
    if (std::optional<Term> quotient = divideExactly(term, divisor)) {
      result.quotient = result.quotient + Polynomial(*quotient);
      continue;
    }
    if (!divisor.isConstant() || (!term.isConstant() && !reduce)) {
      result.rest = result.rest + Polynomial(term);
      continue;
    }
    int64_t c = divisor.coefficient, a = term.coefficient;
    int64_t q = term.isConstant() ? llvm::divideFloorSigned(a, c) : a / c;
    result.quotient = result.quotient + Polynomial(Term{q, term.atoms});
    result.rest = result.rest + Polynomial(Term{a - q * c, term.atoms});
  }
  return result;
}

/// If `value` is an atom of `kind` plus a constant, returns the atom; otherwise null.
static AffineBinaryOpExpr getSingleDivision(const Polynomial &value, AffineExprKind kind) {
  ArrayRef<Term> terms = value.getTerms();
  if (terms.empty() || terms.size() > 2 || (terms.size() == 2 && !terms[1].isConstant()))
    return AffineBinaryOpExpr(nullptr);
  if (terms[0].coefficient != 1 || terms[0].atoms.size() != 1 ||
      terms[0].atoms[0].getKind() != kind)
    return AffineBinaryOpExpr(nullptr);
  return cast<AffineBinaryOpExpr>(terms[0].atoms[0]);
}

/// If `value` is a single term with a positive coefficient, returns this term.
static std::optional<Term> getDivisor(const Polynomial &value) {
  if (value.getTerms().size() != 1 || value.getTerms()[0].coefficient <= 0)
    return std::nullopt;
  return value.getTerms()[0];
}

static bool isOne(const Term &term) { return term.isConstant() && term.coefficient == 1; }

Polynomial IndexSimplifier::makeDivision(AffineExprKind kind, const Polynomial &value,
                                         const Term &divisor) {
  if (!value.isValid())
    return value;
  if (std::optional<int64_t> constant = value.getConstant(); constant && divisor.isConstant())
    return kind == AffineExprKind::FloorDiv
               ? llvm::divideFloorSigned(*constant, divisor.coefficient)
               : llvm::mod(*constant, divisor.coefficient);
  return Polynomial(
      getAffineBinaryOpExpr(kind, value.toExpr(context), Polynomial(divisor).toExpr(context)));
}

/// Returns a constant k with k*divisor <= value < (k+1)*divisor, if this can be proven for some k.
std::optional<int64_t> IndexSimplifier::findQuotient(const Polynomial &value, const Term &divisor) {
  Interval interval = getInterval(value);
  if (divisor.isConstant() && interval.lower && interval.upper) {
    int64_t first = llvm::divideFloorSigned(*interval.lower, divisor.coefficient);
    if (first == llvm::divideFloorSigned(*interval.upper, divisor.coefficient))
      return first;
  }
  for (int64_t k : {0, -1}) {
    Polynomial above = value - Polynomial(divisor) * Polynomial(k);
    if (proveNonNegative(above) && proveNonNegative(Polynomial(divisor) - Polynomial(1) - above))
      return k;
  }
  return std::nullopt;
}

std::optional<IndexSimplifier::Split> IndexSimplifier::splitByCommonDivisor(const Polynomial &rest,
                                                                            const Term &divisor) {
  // Larger divisors are tried first.
  auto isLarger = [](const Term &lhs, const Term &rhs) {
    return std::make_pair(lhs.atoms.size(), lhs.coefficient) >
           std::make_pair(rhs.atoms.size(), rhs.coefficient);
  };
  SmallVector<Term> candidates;
  for (const Term &term : rest.getTerms()) {
    Term common = getCommonDivisor(term, divisor);
    if (!term.isConstant() && !isOne(common) && !llvm::is_contained(candidates, common))
      candidates.insert(llvm::upper_bound(candidates, common, isLarger), common);
  }
  for (const Term &candidate : candidates) {
    Multiples parts = takeMultiples(rest, candidate, /*reduce=*/false);
    std::optional<int64_t> k = findQuotient(parts.rest, candidate);
    if (k)
      return Split{candidate, parts.quotient + Polynomial(*k),
                   parts.rest - Polynomial(candidate) * Polynomial(*k)};
  }
  return std::nullopt;
}

Polynomial IndexSimplifier::floorDiv(const Polynomial &value, const Term &divisor) {
  if (!value.isValid())
    return value;
  Multiples reduced = takeMultiples(value, divisor, /*reduce=*/true);
  if (!reduced.rest.isValid() || !reduced.quotient.isValid())
    return Polynomial::getInvalid();
  if (std::optional<int64_t> k = findQuotient(reduced.rest, divisor))
    return reduced.quotient + Polynomial(*k);
  Multiples exact = takeMultiples(value, divisor, /*reduce=*/false);
  if (std::optional<int64_t> k = findQuotient(exact.rest, divisor))
    return exact.quotient + Polynomial(*k);
  const Polynomial &quotient = reduced.quotient, &rest = reduced.rest;
  if (std::optional<Split> split = splitByCommonDivisor(rest, divisor))
    return quotient + floorDiv(split->high, *divideExactly(divisor, split->divisor));

  if (AffineBinaryOpExpr inner = getSingleDivision(rest, AffineExprKind::FloorDiv)) {
    Polynomial innerDivisor = normalize(inner.getRHS());
    Polynomial combined = innerDivisor * Polynomial(divisor);
    if (std::optional<Term> product = getDivisor(combined))
      return quotient +
             floorDiv(normalize(inner.getLHS()) + innerDivisor * Polynomial(rest.getConstantTerm()),
                      *product);
  }
  AffineBinaryOpExpr inner = getSingleDivision(rest, AffineExprKind::Mod);
  if (inner && rest.getConstantTerm() == 0)
    if (std::optional<Term> innerDivisor = getDivisor(normalize(inner.getRHS())))
      if (std::optional<Term> fraction = divideExactly(*innerDivisor, divisor)) {
        Polynomial moved = mod(floorDiv(normalize(inner.getLHS()), divisor), *fraction);
        Polynomial kept = makeDivision(AffineExprKind::FloorDiv, rest, divisor);
        if (getExprSize(moved.toExpr(context)) <= getExprSize(kept.toExpr(context)))
          return quotient + moved;
      }
  return quotient + makeDivision(AffineExprKind::FloorDiv, rest, divisor);
}

Polynomial IndexSimplifier::mod(const Polynomial &value, const Term &divisor) {
  if (!value.isValid() || isOne(divisor))
    return value.isValid() ? Polynomial(0) : value;
  for (bool reduce : {true, false}) {
    Polynomial rest = takeMultiples(value, divisor, reduce).rest;
    if (!rest.isValid())
      return rest;
    if (std::optional<int64_t> k = findQuotient(rest, divisor))
      return rest - Polynomial(divisor) * Polynomial(*k);
  }
  Polynomial rest = takeMultiples(value, divisor, /*reduce=*/true).rest;
  if (std::optional<Split> split = splitByCommonDivisor(rest, divisor))
    return Polynomial(split->divisor) * mod(split->high, *divideExactly(divisor, split->divisor)) +
           split->low;
  if (AffineBinaryOpExpr inner = getSingleDivision(rest, AffineExprKind::Mod))
    if (std::optional<Term> innerDivisor = getDivisor(normalize(inner.getRHS())))
      if (divideExactly(*innerDivisor, divisor))
        return mod(normalize(inner.getLHS()) + Polynomial(rest.getConstantTerm()), divisor);
  return makeDivision(AffineExprKind::Mod, rest, divisor);
}

//===----------------------------------------------------------------------===//
// (x floordiv c) * c + x mod c = x
//===----------------------------------------------------------------------===//

/// Returns the term of `value` with exactly the atoms of `term`, or null.
static const Term *findTerm(const Polynomial &value, const Term &term) {
  const Term *it =
      llvm::find_if(value.getTerms(), [&](const Term &other) { return other.atoms == term.atoms; });
  return it == value.getTerms().end() ? nullptr : it;
}

std::optional<Polynomial> IndexSimplifier::recombineOnce(const Polynomial &value) {
  for (const Term &term : value.getTerms()) {
    for (AffineExpr atom : term.atoms) {
      if (atom.getKind() != AffineExprKind::Mod)
        continue;
      auto binary = cast<AffineBinaryOpExpr>(atom);
      std::optional<Term> divisor = getDivisor(normalize(binary.getRHS()));
      if (!divisor)
        continue;
      // term = scale * (x mod c); look for scale * c * (x floordiv c), which may
      // itself stand under a mod.
      Polynomial scale(*divideExactly(term, Term{1, {atom}}));
      Polynomial x = normalize(binary.getLHS());
      Polynomial high = floorDiv(x, *divisor);
      Polynomial wanted = scale * Polynomial(*divisor) * high;
      if (high.getTerms().size() != 1 || wanted.getTerms().size() != 1)
        continue;
      const Term *found = findTerm(value, wanted.getTerms()[0]);
      if (found && found->coefficient == wanted.getTerms()[0].coefficient)
        return value - Polynomial(term) - wanted + scale * x;
      for (const Term &other : value.getTerms())
        for (AffineExpr outer : other.atoms) {
          auto outerMod = dyn_cast<AffineBinaryOpExpr>(outer);
          if (!outerMod || outer.getKind() != AffineExprKind::Mod ||
              !(normalize(outerMod.getLHS()) == high) ||
              !(scale * Polynomial(*divisor) * Polynomial(outer) == Polynomial(other)))
            continue;
          std::optional<Term> product =
              getDivisor(Polynomial(*divisor) * normalize(outerMod.getRHS()));
          if (product)
            return value - Polynomial(term) - Polynomial(other) + scale * mod(x, *product);
        }
    }
  }
  return std::nullopt;
}

Polynomial IndexSimplifier::recombine(Polynomial value) {
  while (value.isValid()) {
    std::optional<Polynomial> next = recombineOnce(value);
    if (!next)
      break;
    value = *next;
  }
  return value;
}

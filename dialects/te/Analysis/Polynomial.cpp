//===- Polynomial.cpp - sums of products of index expressions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/Polynomial.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Returns the rank of a kind of expression in the order of atoms: dims, then operations, then
/// symbols, then constants.
static int getRank(AffineExpr expr) {
  switch (expr.getKind()) {
  case AffineExprKind::DimId:
    return 0;
  case AffineExprKind::SymbolId:
    return 2;
  case AffineExprKind::Constant:
    return 3;
  default:
    return 1;
  }
}

static int compareInts(int64_t lhs, int64_t rhs) { return lhs < rhs ? -1 : lhs > rhs; }

int te::compareExprs(AffineExpr lhs, AffineExpr rhs) {
  if (lhs == rhs)
    return 0;
  if (int order = compareInts(getRank(lhs), getRank(rhs)))
    return order;
  if (auto dim = dyn_cast<AffineDimExpr>(lhs))
    return compareInts(dim.getPosition(), cast<AffineDimExpr>(rhs).getPosition());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(lhs))
    return compareInts(symbol.getPosition(), cast<AffineSymbolExpr>(rhs).getPosition());
  if (auto constant = dyn_cast<AffineConstantExpr>(lhs))
    return compareInts(constant.getValue(), cast<AffineConstantExpr>(rhs).getValue());
  auto lhsBinary = cast<AffineBinaryOpExpr>(lhs), rhsBinary = cast<AffineBinaryOpExpr>(rhs);
  if (int order = compareExprs(lhsBinary.getLHS(), rhsBinary.getLHS()))
    return order;
  if (int order = compareExprs(lhsBinary.getRHS(), rhsBinary.getRHS()))
    return order;
  return compareInts(static_cast<int>(lhs.getKind()), static_cast<int>(rhs.getKind()));
}

static int compareAtoms(ArrayRef<AffineExpr> lhs, ArrayRef<AffineExpr> rhs) {
  if (lhs.empty() || rhs.empty()) // constants last
    return compareInts(lhs.empty(), rhs.empty());
  for (auto [l, r] : llvm::zip(lhs, rhs))
    if (int order = compareExprs(l, r))
      return order;
  return compareInts(lhs.size(), rhs.size());
}

bool te::divides(AffineExpr expr) {
  return expr
      .walk([](AffineExpr part) {
        bool isDivision =
            part.getKind() == AffineExprKind::FloorDiv || part.getKind() == AffineExprKind::Mod;
        return isDivision && !part.isSymbolicOrConstant() ? WalkResult::interrupt()
                                                          : WalkResult::advance();
      })
      .wasInterrupted();
}

unsigned te::getExprSize(AffineExpr expr) {
  unsigned size = 0;
  expr.walk([&](AffineExpr) { ++size; });
  return size;
}

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

std::optional<Term> te::divideExactly(const Term &lhs, const Term &rhs) {
  if (rhs.coefficient == 0 || rhs.coefficient == -1 || lhs.coefficient % rhs.coefficient != 0)
    return std::nullopt;
  Term result = lhs;
  result.coefficient /= rhs.coefficient;
  for (AffineExpr atom : rhs.atoms) {
    auto *it = llvm::find(result.atoms, atom);
    if (it == result.atoms.end())
      return std::nullopt;
    result.atoms.erase(it);
  }
  return result;
}

Term te::getCommonDivisor(const Term &lhs, const Term &rhs) {
  Term result;
  result.coefficient = std::gcd(lhs.coefficient, rhs.coefficient);
  SmallVector<AffineExpr, 2> rest = rhs.atoms;
  for (AffineExpr atom : lhs.atoms)
    if (auto *it = llvm::find(rest, atom); it != rest.end()) {
      rest.erase(it);
      result.atoms.push_back(atom);
    }
  return result;
}

//===----------------------------------------------------------------------===//
// Polynomials
//===----------------------------------------------------------------------===//

/// Returns whether a coefficient counts as an overflow. The limit leaves room for negations and
/// gcds.
static bool isTooLarge(int64_t coefficient) {
  constexpr int64_t limit = int64_t(1) << 62;
  return coefficient > limit || coefficient < -limit;
}

/// A polynomial with more terms becomes invalid, since products of sums grow fast.
static constexpr size_t maxTerms = 512;

Polynomial::Polynomial(int64_t constant) { add({constant, {}}); }

Polynomial::Polynomial(AffineExpr atom) { terms.push_back({1, {atom}}); }

Polynomial::Polynomial(Term term) { add(term); }

Polynomial Polynomial::getInvalid() {
  Polynomial result;
  result.valid = false;
  return result;
}

std::optional<int64_t> Polynomial::getConstant() const {
  if (!valid || terms.size() > 1 || (terms.size() == 1 && !terms[0].isConstant()))
    return std::nullopt;
  return getConstantTerm();
}

int64_t Polynomial::getConstantTerm() const {
  return !terms.empty() && terms.back().isConstant() ? terms.back().coefficient : 0;
}

void Polynomial::add(const Term &term) {
  if (!term.coefficient)
    return;
  auto *it = llvm::lower_bound(terms, term, [](const Term &lhs, const Term &rhs) {
    return compareAtoms(lhs.atoms, rhs.atoms) < 0;
  });
  if (it == terms.end() || it->atoms != term.atoms) {
    if (terms.size() == maxTerms) {
      *this = getInvalid();
      return;
    }
    valid &= !isTooLarge(term.coefficient);
    terms.insert(it, term);
    return;
  }
  if (llvm::AddOverflow(it->coefficient, term.coefficient, it->coefficient) ||
      isTooLarge(it->coefficient))
    *this = getInvalid();
  else if (it->coefficient == 0)
    terms.erase(it);
}

Polynomial Polynomial::operator+(const Polynomial &other) const {
  Polynomial result = *this;
  if (!valid || !other.valid)
    return getInvalid();
  for (const Term &term : other.terms)
    result.add(term);
  return result;
}

Polynomial Polynomial::operator-(const Polynomial &other) const {
  return *this + other * Polynomial(-1);
}

Polynomial Polynomial::operator*(const Polynomial &other) const {
  Polynomial result;
  if (!valid || !other.valid)
    return getInvalid();
  for (const Term &lhs : terms)
    for (const Term &rhs : other.terms) {
      Term product;
      if (llvm::MulOverflow(lhs.coefficient, rhs.coefficient, product.coefficient))
        return getInvalid();
      product.atoms = lhs.atoms;
      product.atoms.append(rhs.atoms);
      llvm::sort(product.atoms, [](AffineExpr l, AffineExpr r) { return compareExprs(l, r) < 0; });
      result.add(product);
      if (!result.valid)
        return result;
    }
  return result;
}

std::optional<std::pair<Polynomial, Polynomial>> Polynomial::factor(AffineExpr atom) const {
  Polynomial coefficient, rest;
  for (const Term &term : terms) {
    unsigned degree = term.degree(atom);
    if (degree > 1)
      return std::nullopt;
    if (degree == 0) {
      rest.terms.push_back(term);
      continue;
    }
    Term factored = term;
    factored.atoms.erase(llvm::find(factored.atoms, atom));
    coefficient.add(factored);
  }
  return std::make_pair(coefficient, rest);
}

static AffineExpr termToExpr(const Term &term, MLIRContext *context) {
  if (term.isConstant())
    return getAffineConstantExpr(term.coefficient, context);
  AffineExpr expr = term.atoms.front();
  for (AffineExpr atom : llvm::drop_begin(term.atoms))
    expr = expr * atom;
  return expr * term.coefficient;
}

AffineExpr Polynomial::toExpr(MLIRContext *context) const {
  if (terms.empty())
    return getAffineConstantExpr(0, context);
  AffineExpr sum = termToExpr(terms.front(), context);
  for (const Term &term : llvm::drop_begin(terms))
    sum = sum + termToExpr(term, context);
  return sum;
}

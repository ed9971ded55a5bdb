//===- Polynomial.h - sums of products of index expressions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The normal form of index expressions: a sum of products of *atoms* with integer coefficients.
/// An atom is a dim, a symbol, or a floordiv or mod that could not be simplified away. Atoms have
/// a fixed structural order, so that equal sums have equal terms. Arithmetic on coefficients is
/// checked: after an overflow the polynomial is invalid, and nothing can be proven of it.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_POLYNOMIAL_H
#define DIALECTS_TE_ANALYSIS_POLYNOMIAL_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::tssa::te {

/// The product coefficient * atoms[0] * atoms[1] * ... A constant has no atoms.
struct Term {
  int64_t coefficient = 0;
  SmallVector<AffineExpr, 2> atoms;

  bool isConstant() const { return atoms.empty(); }
  unsigned degree(AffineExpr atom) const { return llvm::count(atoms, atom); }
  bool operator==(const Term &other) const {
    return coefficient == other.coefficient && atoms == other.atoms;
  }
};

/// A sum of terms; see the comment at the head of this file.
class Polynomial {
public:
  Polynomial() = default;
  Polynomial(int64_t constant);
  /// The polynomial that is `atom` itself.
  explicit Polynomial(AffineExpr atom);
  explicit Polynomial(Term term);

  static Polynomial getInvalid();
  bool isValid() const { return valid; }

  /// The terms in the order of their atoms. No two terms have the same atoms, and no coefficient is
  /// 0.
  ArrayRef<Term> getTerms() const { return terms; }
  bool isZero() const { return valid && terms.empty(); }
  std::optional<int64_t> getConstant() const;
  int64_t getConstantTerm() const;

  Polynomial operator+(const Polynomial &other) const;
  Polynomial operator-(const Polynomial &other) const;
  Polynomial operator*(const Polynomial &other) const;
  bool operator==(const Polynomial &other) const {
    return valid == other.valid && terms == other.terms;
  }

  /// Returns two polynomials with this = first * atom + second, where `second` does not contain the
  /// atom. Returns nothing if the atom has a degree above 1.
  std::optional<std::pair<Polynomial, Polynomial>> factor(AffineExpr atom) const;

  /// Returns the polynomial as an affine expression.
  AffineExpr toExpr(MLIRContext *context) const;

private:
  void add(const Term &term);

  SmallVector<Term, 4> terms;
  bool valid = true;
};

/// Compares two expressions in a fixed structural order. The result is negative, zero or positive.
int compareExprs(AffineExpr lhs, AffineExpr rhs);

/// Returns whether `expr` divides by something, unless only symbols and constants are divided.
bool divides(AffineExpr expr);

/// Returns the number of nodes of an expression.
unsigned getExprSize(AffineExpr expr);

/// Returns lhs / rhs if `rhs` divides `lhs`.
std::optional<Term> divideExactly(const Term &lhs, const Term &rhs);

/// Returns the greatest common divisor, with a positive coefficient.
Term getCommonDivisor(const Term &lhs, const Term &rhs);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_POLYNOMIAL_H

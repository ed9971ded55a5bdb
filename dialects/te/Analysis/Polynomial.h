//===- Polynomial.h - sums of products of index expressions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The normal form of index expressions: a sum of products of *atoms* with integer
/// coefficients. An atom is a dim, a symbol, or a floordiv or mod that could not
/// be taken apart. Atoms stand in a fixed structural order, so equal sums have
/// equal terms. Coefficients are checked: after an overflow the polynomial is
/// invalid and nothing is known of it.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_POLYNOMIAL_H
#define DIALECTS_TE_ANALYSIS_POLYNOMIAL_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::tssa::te {

/// coefficient * atoms[0] * atoms[1] * ...; no atoms for a constant.
struct Term {
  int64_t coefficient = 0;
  SmallVector<AffineExpr, 2> atoms;

  bool isConstant() const { return atoms.empty(); }
  unsigned degree(AffineExpr atom) const { return llvm::count(atoms, atom); }
  bool operator==(const Term &other) const {
    return coefficient == other.coefficient && atoms == other.atoms;
  }
};

class Polynomial {
public:
  Polynomial() = default;
  Polynomial(int64_t constant);
  /// The atom itself.
  explicit Polynomial(AffineExpr atom);
  explicit Polynomial(Term term);

  static Polynomial getInvalid();
  bool isValid() const { return valid; }

  /// Ordered by their atoms; no two with the same atoms, none with coefficient 0.
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

  /// this = result.first * atom + result.second, where the second does not have
  /// the atom; nullopt if the atom has a degree above 1.
  std::optional<std::pair<Polynomial, Polynomial>> factor(AffineExpr atom) const;

  /// The expression, in a form that people would write.
  AffineExpr toExpr(MLIRContext *context) const;

private:
  void add(const Term &term);

  SmallVector<Term, 4> terms;
  bool valid = true;
};

/// A fixed order of expressions by structure: negative, zero or positive.
int compareExprs(AffineExpr lhs, AffineExpr rhs);

/// Number of nodes of an expression.
unsigned getExprSize(AffineExpr expr);

/// lhs / rhs when the division leaves nothing.
std::optional<Term> divideExactly(const Term &lhs, const Term &rhs);

/// The greatest common divisor, with a positive coefficient.
Term getCommonDivisor(const Term &lhs, const Term &rhs);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_POLYNOMIAL_H

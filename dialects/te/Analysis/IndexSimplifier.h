//===- IndexSimplifier.h - index expressions under known ranges -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Simplifies affine and semi-affine expressions over dims and symbols whose
/// ranges are known, also when a bound is itself a symbol:
///
///   | expression                          | known            | result           |
///   |-------------------------------------|------------------|------------------|
///   | (d0 * s0 + d1) floordiv s0          | 0 <= d1 < s0     | d0               |
///   | (d0 * 768 + d1) floordiv 64         |                  | d0 * 12 + d1 floordiv 64 |
///   | (d0 * 64 + d1) mod 128              | 0 <= d1 < 64     | d1 + (d0 mod 2) * 64 |
///   | (d0 floordiv 4) * 4 + d0 mod 4      |                  | d0               |
///   | (d0 floordiv 4) floordiv 3          |                  | d0 floordiv 12   |
///
/// For each point in the ranges: simplify(e) = e. If isNonNegative(e) returns true, e >= 0. If
/// decide(...) returns Always, the constraint holds; if it returns Never, it does not hold.
/// Divisors are assumed to be positive; otherwise an expression has no meaning. Work is bounded:
/// each expression is simplified once, and a proof has a budget of steps.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_INDEXSIMPLIFIER_H
#define DIALECTS_TE_ANALYSIS_INDEXSIMPLIFIER_H

#include "dialects/te/Analysis/Polynomial.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/IntegerSet.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::tssa::te {

/// The known range of a dim or a symbol, with inclusive bounds.
struct IndexRange {
  std::optional<int64_t> lower, upper;
  /// An upper bound that is an expression over symbols; null if there is none.
  AffineExpr upperExpr;
  /// An expression over other symbols that is equal to this symbol; null if there is none. Only
  /// proofs use the definition.
  AffineExpr definition;

  /// Returns the range 0 <= x < size, where `size` is a constant or an expression over symbols.
  static IndexRange below(AffineExpr size);
  static IndexRange atLeast(int64_t lower) { return {lower, std::nullopt, {}, {}}; }
};

enum class Truth { Never, Unknown, Always };

class IndexSimplifier {
public:
  IndexSimplifier(MLIRContext *context, ArrayRef<IndexRange> dims, ArrayRef<IndexRange> symbols);

  void addDim(const IndexRange &range) { dims.push_back(range); }
  /// Adds a symbol and returns it. Its range may use symbols that were added earlier.
  AffineExpr addSymbol(const IndexRange &range);

  /// Assumes `expr` >= 0 in all later queries.
  void assumeNonNegative(AffineExpr expr);

  AffineExpr simplify(AffineExpr expr);
  AffineMap simplify(AffineMap map);

  /// Simplifies the constraints, and drops each constraint that always holds or follows from
  /// another constraint. Sets `truth` to Always if the set is the whole domain, and to Never if it
  /// is known to be empty.
  IntegerSet simplify(IntegerSet set, Truth &truth);

  bool isNonNegative(AffineExpr expr);

  /// Decides the constraint `expr` >= 0, or `expr` == 0 if `isEquality`.
  Truth decide(AffineExpr expr, bool isEquality);

  /// Returns a constant that `expr` never exceeds, or never falls below, if one is found.
  std::optional<int64_t> getConstantUpperBound(AffineExpr expr);
  std::optional<int64_t> getConstantLowerBound(AffineExpr expr);

private:
  struct Interval {
    std::optional<int64_t> lower, upper;
  };

  /// If `value` is a * x + b for a dim or symbol x, tightens the range of x, given that it is >= 0.
  /// Returns whether `value` has this form.
  bool tightenRange(const Polynomial &value);
  void dropImplied(SmallVectorImpl<AffineExpr> &constraints, SmallVectorImpl<bool> &equalities);
  Polynomial normalize(AffineExpr expr);
  Polynomial computeNormalForm(AffineExpr expr);
  Polynomial normalizeLeaf(AffineExpr leaf, const IndexRange *range);

  // Division, in Division.cpp.
  Polynomial floorDiv(const Polynomial &value, const Term &divisor);
  Polynomial mod(const Polynomial &value, const Term &divisor);
  Polynomial makeDivision(AffineExprKind kind, const Polynomial &value, const Term &divisor);
  std::optional<int64_t> findQuotient(const Polynomial &value, const Term &divisor);
  struct Split;
  std::optional<Split> splitByCommonDivisor(const Polynomial &rest, const Term &divisor);
  Polynomial recombine(Polynomial value);
  std::optional<Polynomial> recombineOnce(const Polynomial &value);

  // Proofs, in IndexProofs.cpp.
  Interval getInterval(const Polynomial &value);
  Interval getInterval(AffineExpr atom);
  Interval computeInterval(AffineExpr atom);
  unsigned getWeight(AffineExpr expr);
  AffineExpr pickAtom(const Polynomial &value, llvm::function_ref<bool(AffineExpr)> isReplaceable);
  bool proveNonNegative(const Polynomial &value);
  bool prove(const Polynomial &value, unsigned depth);
  bool proveByBounds(const Polynomial &value, unsigned depth);
  bool proveBySymbols(const Polynomial &value);
  bool substituteAndProve(AffineExpr atom, const Polynomial &coefficient, const Polynomial &rest,
                          bool lower, unsigned depth);
  SmallVector<Polynomial, 2> boundByOneAtom(const Polynomial &value, bool lower);
  SmallVector<Polynomial, 2> getBounds(AffineExpr atom, bool lower);
  SmallVector<Polynomial, 2> getAssumedBounds(AffineExpr atom, bool lower);
  const IndexRange *getRange(AffineExpr leaf) const;

  MLIRContext *context;
  SmallVector<IndexRange> dims, symbols;
  SmallVector<Polynomial, 4> assumptions;
  llvm::DenseMap<AffineExpr, Polynomial> normalForms;
  llvm::DenseMap<AffineExpr, Interval> intervals;
  llvm::DenseMap<AffineExpr, unsigned> weights;
  unsigned budget = 0;
};

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_INDEXSIMPLIFIER_H

//===- PointDomain.h - known facts about the points of a te op -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_POINTDOMAIN_H
#define DIALECTS_TE_ANALYSIS_POINTDOMAIN_H

#include "dialects/te/Analysis/IndexSimplifier.h"
#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// The iteration domain of a tensor expression, with one table of symbols for all of its
/// index expressions and the known facts about each symbol. Sizes are non-negative. The sizes of
/// the domain itself are at least 1, because a point of it exists. A value computed by index
/// arithmetic has its definition as an expression.
class PointDomain {
public:
  PointDomain(MLIRContext *context, ArrayRef<OpFoldResult> sizes);
  /// Returns the facts that hold at each point where `body` of `expression` runs.
  static PointDomain get(ExpressionOpInterface expression, ExpressionBody body);
  /// Returns the facts that hold at each point where `read` is evaluated.
  static PointDomain get(ReadOp read);

  /// Returns `value` as an expression over the table, to which it is added if needed.
  AffineExpr getSymbol(Value value);
  /// Returns `size` as an expression over the table.
  AffineExpr getSize(OpFoldResult size);

  /// Translates an expression over dims and `symbols` to one over dims and the table. With
  /// `expand`, a symbol that the body computes from te.index is replaced by its expression over
  /// dims, if the result stays affine or semi-affine.
  AffineExpr enter(AffineExpr expr, ValueRange symbols, bool expand = false);
  SmallVector<AffineExpr> enter(ArrayRef<AffineExpr> exprs, ValueRange symbols,
                                bool expand = false);

  /// Assumes in all later queries that the point is in `set`.
  void assume(IntegerSet set, ValueRange symbols);

  IndexSimplifier &getSimplifier() { return simplifier; }
  ArrayRef<Value> getSymbols() const { return values; }

private:
  /// Returns the expression over dims of an index that a body computes from te.index, or null.
  AffineExpr getBodyExpr(Value value);
  AffineExpr addValue(Value value, std::optional<int64_t> lower);
  /// Returns the expression over the table that the op defining `value` computes, or null.
  AffineExpr getDefinition(Value value);

  MLIRContext *context;
  SmallVector<Value> values;
  llvm::DenseMap<Value, AffineExpr> table;
  IndexSimplifier simplifier;
  unsigned depth = 0;
};

/// Renumbers the symbols that `exprs` use in the order of their first use. Returns their values,
/// where `symbols` are the values of the old numbers.
SmallVector<Value> leaveSymbols(MutableArrayRef<AffineExpr> exprs, ArrayRef<Value> symbols,
                                MLIRContext *context);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_POINTDOMAIN_H

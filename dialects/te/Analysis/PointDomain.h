//===- PointDomain.h - what is known at a point of a te op -===//
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

/// The dims of a tensor expression with their sizes, and one table of
/// symbols for all of its index expressions, with what is known of each value:
/// sizes are not negative (at least 1 where they are the size of a dim of a
/// point that exists), and values made by index arithmetic have definitions.
class PointDomain {
public:
  PointDomain(MLIRContext *context, ArrayRef<OpFoldResult> sizes);
  /// What is known where `body` of `expression` runs.
  static PointDomain get(ExpressionOpInterface expression, ExpressionBody body);
  /// What is known at the point of `read`.
  static PointDomain get(ReadOp read);

  /// The expression of `value` in the table of symbols.
  AffineExpr getSymbol(Value value);
  /// A size as an expression over the table.
  AffineExpr getSize(OpFoldResult size);

  /// An expression over dims and `symbols` as one over dims and the table. With
  /// `expand`, indexes computed in the body from te.index are expressions over
  /// dims too, where the result stays affine or semi-affine.
  AffineExpr enter(AffineExpr expr, ValueRange symbols, bool expand = false);
  SmallVector<AffineExpr> enter(ArrayRef<AffineExpr> exprs, ValueRange symbols,
                                bool expand = false);

  /// Makes it known that the point is in the set.
  void assume(IntegerSet set, ValueRange symbols);

  IndexSimplifier &getSimplifier() { return simplifier; }
  ArrayRef<Value> getSymbols() const { return values; }

private:
  /// What an index computed in a body from te.index is, or null.
  AffineExpr getBodyExpr(Value value);
  AffineExpr addValue(Value value, std::optional<int64_t> lower);
  /// An equal expression over the table, from the op that makes the value.
  AffineExpr getDefinition(Value value);

  MLIRContext *context;
  SmallVector<Value> values;
  llvm::DenseMap<Value, AffineExpr> table;
  IndexSimplifier simplifier;
  unsigned depth = 0;
};

/// Renumbers the symbols that the expressions use in order of first use, and
/// returns their values.
SmallVector<Value> leaveSymbols(MutableArrayRef<AffineExpr> exprs, ArrayRef<Value> symbols,
                                MLIRContext *context);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_POINTDOMAIN_H

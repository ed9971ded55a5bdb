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
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::tssa::te {

/// The iteration domain of a tensor expression. One table has the symbols of all its index
/// expressions and the known facts about each symbol. Sizes are non-negative. The sizes of the
/// domain itself are at least 1, because all queries are about its points. If index arithmetic
/// computes the value of a symbol, the table also has this computation as an expression.
class PointDomain {
public:
  /// A value that is known to be at least `least`.
  struct LeastValue {
    Value value;
    int64_t least;
  };

  /// `known` holds wherever the points are computed.
  PointDomain(MLIRContext *context, ArrayRef<OpFoldResult> sizes, ArrayRef<LeastValue> known = {});
  /// Returns the domain of the points at which `body` of `expression` runs.
  static PointDomain get(ExpressionOpInterface expression, ExpressionBody body);
  /// Returns the domain of the points at which `read` runs.
  static PointDomain get(ReadOp read);

  /// Returns the expression over the symbols of the table that stands for `value`. Adds `value` to
  /// the table if needed.
  AffineExpr getSymbol(Value value);
  /// Returns `size` as an expression over the table.
  AffineExpr getSize(OpFoldResult size);

  /// Translates an expression over dims and `symbols` to one over dims and the table. With
  /// `expand`, a symbol that the body computes from te.index is replaced by its expression over
  /// dims, if the result stays affine or semi-affine.
  AffineExpr enter(AffineExpr expr, ValueRange symbols, bool expand = false);
  SmallVector<AffineExpr> enter(ArrayRef<AffineExpr> exprs, ValueRange symbols,
                                bool expand = false);

  /// If a body computes the integer `value` from te.index, returns it as an expression over dims
  /// and the table; otherwise null.
  AffineExpr getBodyExpr(Value value);

  /// Assumes in all later queries that the point is in `set`.
  void assume(IntegerSet set, ValueRange symbols);

  IndexSimplifier &getSimplifier() { return simplifier; }
  ArrayRef<Value> getSymbols() const { return values; }

private:
  /// Returns what `op` computes from the expressions of its operands, or null.
  AffineExpr buildBodyExpr(Operation *op);
  /// Returns the result of a comparison in a body, if it is the same at all points.
  std::optional<bool> decide(arith::CmpIOp compare);
  AffineExpr addValue(Value value, std::optional<int64_t> lower);
  /// If `value` is the result of index arithmetic, returns it as an expression over the table;
  /// otherwise null.
  AffineExpr getDefinition(Value value);

  MLIRContext *context;
  SmallVector<Value> values;
  llvm::DenseMap<Value, AffineExpr> table;
  IndexSimplifier simplifier;
  unsigned depth = 0;
};

/// Renumbers the symbols in `exprs` in the order of their first use. `symbols` has their values in
/// the old order. Returns the values of the used symbols in the new order.
SmallVector<Value> leaveSymbols(MutableArrayRef<AffineExpr> exprs, ArrayRef<Value> symbols,
                                MLIRContext *context);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_POINTDOMAIN_H

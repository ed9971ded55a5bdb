//===- CompiledExpr.h - the values of index expressions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_COMPILEDEXPR_H
#define DIALECTS_TE_IR_COMPILEDEXPR_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace mlir::tssa::te {

/// An index expression compiled to a stack program, which is faster to evaluate at many points
/// than the expression tree.
///
/// If `evaluate` returns a value, this is the constant that the expression becomes when all dims
/// and symbols are replaced by their values.
class CompiledExpr {
public:
  explicit CompiledExpr(AffineExpr expr) { compile(expr); }

  /// Returns the value, or nothing if an operation overflows or a divisor is not positive.
  std::optional<int64_t> evaluate(ArrayRef<int64_t> dims, ArrayRef<int64_t> symbols = {}) const;

private:
  struct Step {
    AffineExprKind kind;
    int64_t value; ///< a constant, or the position of a dim or a symbol
  };
  void compile(AffineExpr expr);

  SmallVector<Step> steps;
};

/// Returns the value of `expr` at one point; see `CompiledExpr::evaluate`.
inline std::optional<int64_t> evaluateExpr(AffineExpr expr, ArrayRef<int64_t> dims,
                                           ArrayRef<int64_t> symbols = {}) {
  return CompiledExpr(expr).evaluate(dims, symbols);
}

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_COMPILEDEXPR_H

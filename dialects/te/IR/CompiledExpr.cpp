//===- CompiledExpr.cpp - the values of index expressions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/CompiledExpr.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa::te;

void CompiledExpr::compile(AffineExpr expr) {
  int64_t value = 0;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    value = constant.getValue();
  } else if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    value = dim.getPosition();
  } else if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    value = symbol.getPosition();
  } else {
    auto binary = cast<AffineBinaryOpExpr>(expr);
    compile(binary.getLHS());
    compile(binary.getRHS());
  }
  steps.push_back({expr.getKind(), value});
}

/// Replaces `lhs` by the value of the operation. Returns false if the operation overflows or the
/// divisor is not positive.
static bool apply(AffineExprKind kind, int64_t &lhs, int64_t rhs) {
  if (kind == AffineExprKind::Add)
    return !llvm::AddOverflow(lhs, rhs, lhs);
  if (kind == AffineExprKind::Mul)
    return !llvm::MulOverflow(lhs, rhs, lhs);
  if (rhs <= 0)
    return false;
  if (kind == AffineExprKind::FloorDiv)
    lhs = llvm::divideFloorSigned(lhs, rhs);
  else if (kind == AffineExprKind::CeilDiv)
    lhs = llvm::divideCeilSigned(lhs, rhs);
  else
    lhs = llvm::mod(lhs, rhs);
  return true;
}

std::optional<int64_t> CompiledExpr::evaluate(ArrayRef<int64_t> dims,
                                              ArrayRef<int64_t> symbols) const {
  SmallVector<int64_t, 16> stack;
  for (const Step &step : steps) {
    if (step.kind == AffineExprKind::Constant) {
      stack.push_back(step.value);
    } else if (step.kind == AffineExprKind::DimId) {
      stack.push_back(dims[step.value]);
    } else if (step.kind == AffineExprKind::SymbolId) {
      stack.push_back(symbols[step.value]);
    } else {
      int64_t rhs = stack.pop_back_val();
      if (!apply(step.kind, stack.back(), rhs))
        return std::nullopt;
    }
  }
  return stack.back();
}

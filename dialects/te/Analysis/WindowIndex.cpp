//===- WindowIndex.cpp - indexes of a box of a tensor -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/WindowIndex.h"

using namespace mlir;
using namespace mlir::tssa;

std::optional<te::WindowIndex> te::matchWindowIndex(AffineExpr expr) {
  WindowIndex index;
  if (auto sum = dyn_cast<AffineBinaryOpExpr>(expr); sum && sum.getKind() == AffineExprKind::Add) {
    auto offset = dyn_cast<AffineConstantExpr>(sum.getRHS());
    if (!offset)
      return std::nullopt;
    index.offset = offset.getValue();
    expr = sum.getLHS();
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    index.dim = dim.getPosition();
  else if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    index.offset += constant.getValue();
  else
    return std::nullopt;
  return index;
}

std::optional<SmallVector<te::WindowIndex>> te::matchWindowIndexes(AffineMap map) {
  SmallVector<WindowIndex> indexes;
  for (AffineExpr expr : map.getResults()) {
    std::optional<WindowIndex> index = matchWindowIndex(expr);
    if (!index)
      return std::nullopt;
    indexes.push_back(*index);
  }
  return indexes;
}

std::optional<int64_t> te::findFactor(AffineExpr expr, AffineExpr dim, unsigned numDims,
                                      unsigned numSymbols) {
  AffineExpr step = simplifyAffineExpr(expr.replace(dim, dim + 1) - expr, numDims, numSymbols);
  auto factor = dyn_cast<AffineConstantExpr>(step);
  return factor ? std::optional(factor.getValue()) : std::nullopt;
}

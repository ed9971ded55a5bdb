//===- WindowedReads.cpp - reads that move windows over a tensor -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Analysis/WindowedReads.h"
#include "dialects/te/IR/Sizes.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

namespace {
/// A sum of multiples of dims and a constant.
struct LinearForm {
  SmallVector<int64_t> coefficients;
  int64_t constant = 0;

  /// Adds `factor * expr`. Returns false if `expr` is not linear over dims.
  bool add(AffineExpr expr, int64_t factor) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      coefficients[dim.getPosition()] += factor;
      return true;
    }
    if (std::optional<int64_t> value = getConstant(expr)) {
      constant += factor * *value;
      return true;
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary)
      return false;
    if (binary.getKind() == AffineExprKind::Add)
      return add(binary.getLHS(), factor) && add(binary.getRHS(), factor);
    std::optional<int64_t> multiple = getConstant(binary.getRHS());
    return binary.getKind() == AffineExprKind::Mul && multiple &&
           add(binary.getLHS(), factor * *multiple);
  }
};
} // namespace

std::optional<SlidingWindow> layout::findSlidingWindow(te::ReadOp read, unsigned dim) {
  auto reader = cast<te::ExpressionOpInterface>(read->getParentOp());
  MLIRContext *context = read.getContext();
  SmallVector<OpFoldResult> domain = reader.getIterationDomain();
  LinearForm index;
  index.coefficients.assign(domain.size(), 0);
  if (!index.add(read.getMap().getResult(dim), 1))
    return std::nullopt;
  SlidingWindow result;
  result.window = getAffineConstantExpr(0, context);
  result.offset = getAffineConstantExpr(index.constant, context);
  result.minOffset = result.maxOffset = index.constant;
  result.stride = 0;
  for (auto [position, coefficient] : llvm::enumerate(index.coefficients))
    if (reader.getDimKind(position) != te::DimKind::Reduction)
      result.stride = std::gcd(result.stride, coefficient);
  int64_t lastWindow = 0;
  for (auto [position, coefficient] : llvm::enumerate(index.coefficients)) {
    if (coefficient == 0)
      continue;
    std::optional<int64_t> size = te::getConstantSize(domain[position]);
    if (!size || coefficient < 0)
      return std::nullopt;
    AffineExpr loop = getAffineDimExpr(position, context);
    if (reader.getDimKind(position) == te::DimKind::Reduction) {
      result.offset = result.offset + loop * coefficient;
      result.maxOffset += coefficient * (*size - 1);
      continue;
    }
    result.window = result.window + loop * (coefficient / result.stride);
    lastWindow += coefficient / result.stride * (*size - 1);
  }
  result.stride = std::max<int64_t>(result.stride, 1);
  result.count = getAffineConstantExpr(lastWindow + 1, context);
  return result;
}

SmallVector<std::optional<SlidingWindow>> layout::findSlidingWindows(te::ReadOp read) {
  SmallVector<std::optional<SlidingWindow>> windows;
  for (unsigned dim = 0; dim < read.getMap().getNumResults(); ++dim)
    windows.push_back(findSlidingWindow(read, dim));
  return windows;
}

//===- FlopCount.cpp - floating-point operations of a kernel -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/FlopCount.h"
#include "dialects/te/IR/Sizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Returns the number of floating-point operations in a body; an fma counts as two.
static int64_t countOps(Region &region) {
  int64_t count = 0;
  region.walk([&](Operation *op) {
    if (isa<math::FmaOp>(op))
      count += 2;
    else if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::RemFOp,
                 arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
                 arith::MinNumFOp>(op))
      ++count;
    else if (isa<math::MathDialect>(op->getDialect()) && op->getNumResults() == 1 &&
             isa<FloatType>(op->getResult(0).getType()))
      ++count;
  });
  return count;
}

/// Returns the number of points of a domain, or nothing if a size is dynamic or the product
/// overflows.
static std::optional<int64_t> countPoints(ArrayRef<OpFoldResult> sizes) {
  std::optional<int64_t> points = 1;
  for (OpFoldResult size : sizes) {
    std::optional<int64_t> constant = getConstantSize(size);
    points = points && constant ? llvm::checkedMul(*points, *constant) : std::nullopt;
  }
  return points;
}

/// Returns total + points * each, or nothing if that is not known or overflows.
static std::optional<int64_t> addTo(std::optional<int64_t> total, std::optional<int64_t> points,
                                    int64_t each) {
  if (each == 0)
    return total;
  return total && points ? llvm::checkedMulAdd(*points, each, *total) : std::nullopt;
}

static std::optional<int64_t> countFlops(ExpressionOpInterface expression) {
  SmallVector<OpFoldResult> domain = expression.getIterationDomain();
  int64_t most = 0; // the greatest count of a piece, since one piece runs at each point
  std::optional<int64_t> count = 0;
  for (ExpressionBody body : expression.getBodies()) {
    if (body.where)
      most = std::max(most, countOps(*body.region));
    else
      count = addTo(count, countPoints(ArrayRef(domain).take_front(body.numDims)),
                    countOps(*body.region));
  }
  return addTo(count, countPoints(domain), most + countOps(expression.getCombiner()));
}

std::optional<int64_t> te::countFlops(KernelOp kernel) {
  std::optional<int64_t> total = 0;
  for (auto expression : kernel.getBodyBlock().getOps<ExpressionOpInterface>()) {
    std::optional<int64_t> count = ::countFlops(expression);
    total = total && count ? llvm::checkedAdd(*total, *count) : std::nullopt;
  }
  return total;
}

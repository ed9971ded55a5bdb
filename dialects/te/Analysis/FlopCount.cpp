//===- FlopCount.cpp - floating-point operations of a kernel -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/FlopCount.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
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
static std::optional<int64_t> countPoints(ArrayRef<int64_t> sizes) {
  std::optional<int64_t> points = 1;
  for (int64_t size : sizes)
    points =
        points && !ShapedType::isDynamic(size) ? llvm::checkedMul(*points, size) : std::nullopt;
  return points;
}

/// Returns total + points * each, or nothing if that is not known or overflows.
static std::optional<int64_t> addTo(std::optional<int64_t> total, std::optional<int64_t> points,
                                    int64_t each) {
  if (each == 0)
    return total;
  return total && points ? llvm::checkedMulAdd(*points, each, *total) : std::nullopt;
}

static std::optional<int64_t> countFlops(ComputeOp op) {
  int64_t most = 0;
  for (Region &piece : op.getPieces())
    most = std::max(most, countOps(piece));
  if (op.hasReduction())
    most += countOps(op.getCombiner());
  std::optional<int64_t> count = addTo(0, countPoints(op.getStaticSizes()), most);
  return addTo(count, countPoints(op.getStaticSizes().take_front(op.getNumParallel())),
               countOps(op.getEpilogue()));
}

std::optional<int64_t> te::countFlops(KernelOp kernel) {
  std::optional<int64_t> total = 0;
  for (Operation &op : kernel.getBodyBlock()) {
    std::optional<int64_t> count =
        llvm::TypeSwitch<Operation *, std::optional<int64_t>>(&op)
            .Case([](ComputeOp compute) { return ::countFlops(compute); })
            .Case([](UpdateOp update) {
              return addTo(0, countPoints(update.getStaticSizes()),
                           countOps(update.getBody()) + countOps(update.getCombiner()));
            })
            .Case([](ScanOp scan) {
              return addTo(0, countPoints(scan.getSource().getType().getShape()),
                           countOps(scan.getCombiner()));
            })
            .Default([](Operation *) { return int64_t(0); });
    total = total && count ? llvm::checkedAdd(*total, *count) : std::nullopt;
  }
  return total;
}

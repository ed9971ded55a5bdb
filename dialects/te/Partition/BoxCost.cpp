//===- BoxCost.cpp - what computing in boxes costs -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Partition/BoxCost.h"
#include "dialects/te/Analysis/Image.h"
#include "dialects/te/IR/Contraction.h"
#include "dialects/te/IR/ElementBytes.h"
#include "dialects/te/IR/Sizes.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

static double countElements(ArrayRef<OpFoldResult> sizes) { return getReuse(sizes, {}); }

static double getBytes(Value tensor) {
  return countElements(findSizes(tensor)) *
         getElementBytes(cast<RankedTensorType>(tensor.getType()).getElementType());
}

/// Returns the cycles of the arithmetic of `compute`.
static double getComputing(ComputeOp compute, const CostModel &model) {
  double points = countElements(compute.getIterationDomain());
  double cycles = model.getComputing(getFacts(compute), points);
  if (compute.hasReduction())
    cycles += model.getComputing(getBodyFacts(compute.getCombiner().front()), points);
  return cycles;
}

namespace {
/// What several rows read together.
struct Shared {
  double bytes = 0;      ///< of all
  double sliceBytes = 0; ///< of what one row reads
  double rows = 0;       ///< that read the same, at least; 0 if nothing is shared
};
} // namespace

/// Adds what `product` reads, if it does not depend on all rows, and no member computes it.
static void addShared(Shared &shared, ComputeOp product, ArrayRef<Operation *> group,
                      unsigned numRows) {
  SmallVector<OpFoldResult> sizes = product.getParallelSizes();
  for (ReadOp read : product.getPieceBlock()->getOps<ReadOp>()) {
    if (llvm::is_contained(group, read.getSource().getDefiningOp()))
      continue;
    double slices = 1, rows = 1;
    for (unsigned dim = 0; dim < numRows; ++dim)
      (dependsOn(read, dim) ? slices : rows) *= countElements(sizes[dim]);
    if (rows == 1)
      continue;
    double bytes = getBytes(read.getSource());
    shared.bytes += bytes;
    shared.sliceBytes += bytes / slices;
    shared.rows = shared.rows == 0 ? rows : std::min(shared.rows, rows);
  }
}

/// Returns how many rows one iteration computes: as many as share what they read and fit, while
/// threads have enough iterations.
static double chooseRows(double rows, double sharing, double bytesOfRow, const CostModel &model) {
  double most = std::min({model.boxRows, sharing, rows / model.leastBoxes});
  return std::max(1.0, std::floor(std::min(most, model.boxBytes / bytesOfRow)));
}

BoxCost te::getBoxCost(ArrayRef<Operation *> group, unsigned numRows, double keyShare,
                       const CostModel &model) {
  auto root = cast<ComputeOp>(group.back());
  SmallVector<OpFoldResult> sizes = root.getParallelSizes();
  double rows = countElements(ArrayRef(sizes).take_front(numRows));
  BoxCost cost;
  double computing = 0, between = 0, betweenBytes = 0, rowBytes = 0;
  Shared all;
  for (Operation *member : group) {
    auto compute = cast<ComputeOp>(member);
    double own = getComputing(compute, model);
    double bytes = compute == root ? 0 : getBytes(compute.getResult(0));
    rowBytes += bytes * keyShare / rows;
    if (!matchContraction(compute)) {
      between += own;
      betweenBytes += bytes;
      continue;
    }
    double before = all.bytes;
    addShared(all, compute, group, numRows);
    computing += own;
    // The result of the first product is written, and that of the second one read.
    double moving =
        model.getMoving(all.bytes - before, all.bytes - before) + model.getMoving(bytes, bytes);
    cost.asLaunches += model.getRunning(own, moving);
    betweenBytes = std::max(betweenBytes, bytes);
  }
  if (between != 0)
    cost.asLaunches += model.launchCycles +
                       model.getRunning(between, model.getMoving(2 * betweenBytes, betweenBytes));
  cost.asLaunches += model.launchCycles + model.getMoving(betweenBytes, betweenBytes);
  double boxRows = chooseRows(rows, all.rows, rowBytes, model);
  cost.boxBytes = rowBytes * boxRows;
  cost.boxes = rows / boxRows;
  double again = rows / boxRows * all.sliceBytes - all.bytes;
  double moving =
      model.getMoving(all.bytes, all.bytes) + model.getMoving(std::max(again, 0.0), all.sliceBytes);
  cost.inBoxes = std::max(computing, moving) + between;
  return cost;
}

//===- LoopPositions.cpp - where a schedule runs the dims of an expression -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/LoopPositions.h"
#include "dialects/layout/IR/LayoutOps.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

namespace {
/// Follows the loops of one expression through the ops of a schedule.
class LoopTracker {
public:
  explicit LoopTracker(LoopsOp named) : numDims(named.getNumResults()) {
    for (auto [dim, loop] : llvm::enumerate(named.getLoops()))
      parts[loop].push_back({static_cast<unsigned>(dim), /*fused=*/false});
  }

  void visit(Operation *op) {
    if (auto split = dyn_cast<SplitOp>(op))
      visitSplit(split);
    else if (auto fuse = dyn_cast<FuseOp>(op))
      for (Value loop : {fuse.getOuter(), fuse.getInner()})
        for (Part part : parts.lookup(loop))
          parts[fuse.getLoop()].push_back({part.dim, /*fused=*/true});
    else if (auto reorder = dyn_cast<ReorderOp>(op); reorder && owns(reorder.getLoops()))
      order = reorder;
    else if (auto tile = dyn_cast<RegisterTileOp>(op))
      tiled.insert(tile.getLoops().begin(), tile.getLoops().end());
    else if (auto vectorize = dyn_cast<VectorizeOp>(op))
      vector.insert(vectorize.getLoop());
  }

  std::optional<SmallVector<DimLoops>> getPositions() {
    if (!order)
      return std::nullopt;
    SmallVector<DimLoops> dims(numDims);
    SmallVector<bool> found(numDims, false);
    for (auto [position, loop] : llvm::enumerate(order.getLoops()))
      for (const Part &part : parts.lookup(loop))
        add(dims[part.dim], found[part.dim], position, loop);
    return dims;
  }

private:
  struct Part {
    unsigned dim;
    bool fused;
  };

  bool owns(ValueRange loops) const {
    return llvm::all_of(loops, [&](Value loop) { return parts.contains(loop); });
  }

  void visitSplit(SplitOp split) {
    SmallVector<Part, 1> whole = parts.lookup(split.getLoop());
    for (Value loop : split.getLoops())
      parts[loop] = whole;
    for (auto [loop, factor] : llvm::zip_equal(split.getLoops().drop_front(), split.getFactors()))
      factors[loop] = factor;
  }

  /// Adds `loop`, which runs (a part of) a dim at `position`, to the loops of this dim.
  void add(DimLoops &dim, bool &found, unsigned position, Value loop) const {
    bool isVector = vector.contains(loop), isInner = isVector || tiled.contains(loop);
    dim.vector |= isVector;
    if (!found)
      dim.outer = position;
    if (isInner && factors.contains(loop) &&
        llvm::none_of(parts.lookup(loop), [](Part part) { return part.fused; })) {
      if (dim.block == 1)
        dim.inner = position;
      dim.block *= factors.lookup(loop);
    }
    found = true;
  }

  unsigned numDims;
  DenseMap<Value, SmallVector<Part, 1>> parts; ///< by loop, dead ones included
  DenseMap<Value, int64_t> factors;            ///< extents of the inner loops of splits
  llvm::SmallDenseSet<Value> tiled, vector;
  ReorderOp order;
};
} // namespace

std::optional<SmallVector<DimLoops>> layout::getLoopPositions(te::ComputeOp compute) {
  auto kernel = compute->getParentOfType<te::KernelOp>();
  if (kernel.getSchedule().empty() || !compute.getLabel())
    return std::nullopt;
  std::optional<LoopTracker> tracker;
  for (Operation &op : kernel.getSchedule().front()) {
    if (auto named = dyn_cast<LoopsOp>(op)) {
      if (named.getLabel() == *compute.getLabel() && named.getNumResults() == compute.getNumDims())
        tracker.emplace(named);
    } else if (tracker) {
      tracker->visit(&op);
    }
  }
  return tracker ? tracker->getPositions() : std::nullopt;
}

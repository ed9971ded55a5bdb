//===- CacheTile.cpp - the part of an operand that a block caches ---------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheTile.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ::tssa::conversion;

/// Returns the loops that occur in the expressions of `dims`.
static llvm::SmallSetVector<unsigned, 4> collectLoops(const Schedule &schedule,
                                                      ArrayRef<unsigned> dims) {
  llvm::SmallSetVector<unsigned, 4> loops;
  for (unsigned dim : dims)
    schedule.dims[dim].walk([&](AffineExpr expr) {
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        loops.insert(loop.getPosition());
    });
  return loops;
}

namespace tssa::conversion {

std::optional<CacheTile> getCacheTile(IndexBuilder &index, const Schedule &schedule,
                                      ArrayRef<unsigned> dims, const CachedOperand &cache) {
  CacheTile tile;
  tile.operand = cache.operand;
  tile.op = cache.op;
  DenseMap<AffineExpr, AffineExpr> first, last;
  for (auto [id, loop] : llvm::enumerate(schedule.loops)) {
    AffineExpr dim = getAffineDimExpr(id, index.getContext());
    if (loop.live && (!index.hasLoop(id) || loop.kind == LoopKind::Thread)) {
      first[dim] = getAffineConstantExpr(0, index.getContext());
      last[dim] = loop.extent - 1;
    }
  }
  for (unsigned id : collectLoops(schedule, dims)) {
    AffineExpr live = schedule.getLiveExpr(id, index.getContext());
    AffineExpr origin = index.simplify(live.replace(first));
    auto extent =
        dyn_cast<AffineConstantExpr>(index.simplify(live.replace(last) - live.replace(first)));
    if (!extent) {
      cache.op->emitError("expected constant extents of all loops inside of the loop of a cache");
      return std::nullopt;
    }
    tile.loops.push_back(id);
    tile.origins.push_back(origin);
    tile.offsets.push_back(index.simplify(live - origin));
    tile.extents.push_back(extent.getValue() + 1);
    tile.limits.push_back(schedule.loops[id].extent);
  }
  return tile;
}

} // namespace tssa::conversion

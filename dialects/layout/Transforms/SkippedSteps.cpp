//===- SkippedSteps.cpp - steps of a reduction that guards skip -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/SkippedSteps.h"
#include "dialects/layout/Transforms/DropGuards.h"
#include "dialects/te/IR/CompiledExpr.h"
#include "dialects/te/IR/Contraction.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// Returns the factor that is read with a guard, as zero where this fails, if the other factor is
/// always finite.
static te::ReadOp findSkippedFactor(te::ComputeOp compute) {
  std::optional<te::Contraction> product = te::matchContraction(compute);
  auto kernel = compute->getParentOfType<te::KernelOp>();
  if (!product || !kernel)
    return {};
  for (auto [factor, other] :
       {std::pair(product->lhs, product->rhs), std::pair(product->rhs, product->lhs)}) {
    auto parameter = dyn_cast<BlockArgument>(other.getSource());
    if (factor.getGuard() && factor.getSymbols().empty() && !other.getGuard() &&
        isPositiveZero(factor.getPadAttr()) && parameter &&
        kernel.isFinite(parameter.getArgNumber()))
      return factor;
  }
  return {};
}

/// Returns how many indexes of parallel dim `dim`, of size `extent`, a tile has. Of dims that are fused,
/// it may have all.
static int64_t getTileExtent(const Point &point, unsigned dim, int64_t extent) {
  auto contains = [&](unsigned last, unsigned fused) { return dim <= last && dim + fused >= last; };
  if (point.vectorDim && contains(*point.vectorDim, point.fused))
    return point.fused == 0 ? std::min(extent, point.vectors * point.lanes) : extent;
  for (const TileRows &rows : point.rows)
    if (contains(rows.dim, rows.fused))
      return rows.fused == 0 ? std::min(extent, rows.extent) : extent;
  return 1;
}

namespace {
/// The constraints of a guard along one parallel dim and the dim of its window.
class GuardAlongDim {
public:
  GuardAlongDim(te::ComputeOp compute, unsigned dim)
      : sizes(compute.getStaticSizes()), numParallel(compute.getNumParallel()), dim(dim),
        point(sizes.size(), 0) {}

  /// Adds `constraint` if it is of the dim. Constraints of several windows are not counted.
  void add(AffineExpr constraint) {
    if (!constraint.isFunctionOfDim(dim))
      return;
    for (unsigned other = 0; other < sizes.size(); ++other)
      if (other != dim && constraint.isFunctionOfDim(other)) {
        if (other < numParallel || (window && window != other))
          return;
        window = other;
      }
    constraints.emplace_back(constraint);
  }

  /// Returns the share of tiles of `tile` indexes and of taps for which each constraint holds
  /// somewhere in the tile.
  double getShare(int64_t tile) {
    constexpr int64_t most = 1 << 16;
    int64_t taps = window ? sizes[*window] : 1, count = llvm::divideCeil(sizes[dim], tile), run = 0;
    if (constraints.empty() || count > most / taps)
      return 1;
    for (int64_t first = 0; first < sizes[dim]; first += tile)
      for (int64_t tap = 0; tap < taps; ++tap)
        run += llvm::all_of(constraints, [&](const te::CompiledExpr &constraint) {
          return holds(constraint, first, tap) ||
                 holds(constraint, std::min(first + tile, sizes[dim]) - 1, tap);
        });
    return static_cast<double>(run) / static_cast<double>(count * taps);
  }

private:
  bool holds(const te::CompiledExpr &constraint, int64_t position, int64_t tap) {
    point[dim] = position;
    if (window)
      point[*window] = tap;
    return constraint.evaluate(point).value_or(0) >= 0;
  }

  ArrayRef<int64_t> sizes;
  unsigned numParallel, dim;
  SmallVector<int64_t> point;
  std::optional<unsigned> window;
  std::vector<te::CompiledExpr> constraints;
};
} // namespace

double layout::getShareOfSteps(te::ComputeOp compute, const Point &point) {
  te::ReadOp factor = findSkippedFactor(compute);
  ArrayRef<int64_t> sizes = compute.getStaticSizes();
  if (!factor || llvm::any_of(sizes, [](int64_t size) { return size <= 0; }))
    return 1;
  double share = 1;
  for (unsigned dim = 0; dim < compute.getNumParallel(); ++dim) {
    GuardAlongDim guard(compute, dim);
    for (AffineExpr constraint : factor.getGuard()->getConstraints())
      guard.add(constraint);
    share *= guard.getShare(getTileExtent(point, dim, sizes[dim]));
  }
  return share;
}

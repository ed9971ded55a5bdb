//===- DraftGuards.cpp - what guards cost in the draft model -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Analysis/CodeRules.h"
#include "dialects/layout/Template/Draft.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

static bool isUnrolled(const Point &point, unsigned dim) {
  const Unroll *unroll = point.findUnroll(dim);
  return unroll && unroll->extent == 0;
}

/// Returns whether a tile may have several indexes along `dim`.
static bool isTiled(const Point &point, unsigned dim) {
  auto contains = [&](unsigned last, unsigned fused) { return dim <= last && dim + fused >= last; };
  return contains(*point.vectorDim, point.fused) ||
         llvm::any_of(point.rows, [&](const TileRows &rows) {
           return rows.extent > 1 && contains(rows.dim, rows.fused);
         });
}

double Draft::getInteriorShare(const Point &point) {
  double share = 1;
  for (const Border &border : borders) {
    if (isWhole(point, border.dim))
      continue;
    int64_t extent = getExtent(op, roles, border.dim), tile = getTileExtent(point, border.dim);
    int64_t count = llvm::divideCeil(extent, tile);
    int64_t first = llvm::divideCeil(border.low, tile);
    int64_t end = border.high ? (extent - border.high) / tile : count;
    share *= std::max<double>(end - first, 0) / count;
  }
  return share;
}

/// Returns the share of the positions and taps at which the guard holds.
double Draft::getShareInside(const Border &border) {
  return 1 - border.failures / (getExtent(op, roles, border.dim) * border.taps);
}

/// Returns whether the loop over the window of `border` is built iteration by iteration.
bool Draft::isPeeled(const Point &point, const Border &border) {
  if (!hasFiniteWeights || !border.window || point.findUnroll(*border.window))
    return false;
  const auto *window = llvm::find(point.reductions, *border.window);
  bool hasInnerLoop = std::any_of(window + 1, point.reductions.end(), [&](unsigned dim) {
    return getExtent(op, roles, dim) > getStepExtent(point, dim);
  });
  return hasInnerLoop && border.taps <= mostPeeled &&
         peelsWindow(border.failures, getExtent(op, roles, border.dim) * border.taps);
}

/// Returns whether it is known which taps lie outside across `border`, so that these have no code:
/// if a tile is the whole of the dim, and each iteration of the window has code of its own.
bool Draft::knowsTaps(const Point &point, const Border &border) {
  return border.dim != *point.vectorDim && isWhole(point, border.dim) && border.window &&
         (isUnrolled(point, *border.window) || isPeeled(point, border));
}

/// Returns the share of the multiply-adds that remain.
double Draft::getRemainingShare(const Point &point) {
  double share = 1;
  for (const Border &border : borders)
    if (knowsTaps(point, border))
      share *= getShareInside(border);
  return share;
}

/// Returns whether loops skip the taps that lie outside across `border`: if the weights are finite
/// and a tile has one index along the dim.
bool Draft::skipsSteps(const Point &point, const Border &border) {
  return hasFiniteWeights && border.window && !isUnrolled(point, *border.window) &&
         !isTiled(point, border.dim);
}

/// Returns the share of the steps that run.
double Draft::getShareOfSteps(const Point &point) {
  double share = 1;
  for (const Border &border : borders)
    if (skipsSteps(point, border))
      share *= getShareInside(border);
  return share;
}

/// Returns the cycles of a step of the branches that skip steps. The shorter the loops in them are,
/// the more branches there are, and the less the core knows ahead.
double Draft::getBranchCycles(const Point &point) {
  constexpr double perBranch = 5;
  double cycles = 0;
  for (const Border &border : borders)
    if (skipsSteps(point, border))
      cycles += perBranch / countStepsOfGuard(point, border);
  return cycles;
}

/// Returns for how many steps the condition of `border` is the same.
double Draft::countStepsOfGuard(const Point &point, const Border &border) {
  double steps = 1;
  for (unsigned dim : llvm::reverse(point.reductions)) {
    if (isUnrolled(point, dim))
      continue;
    if (border.window == dim)
      break;
    steps *= static_cast<double>(getExtent(op, roles, dim));
  }
  return steps;
}

/// Returns whether the loops in which the condition of `border` is the same stay within the zeros
/// that stand for what lies outside. Then the memory is chosen before these loops.
bool Draft::staysInZeros(const Point &point, const Border &border) {
  for (const Operand &operand : operands) {
    if (!operand.inSteps || !operand.access->getRead().getGuard())
      continue;
    double distance = 0;
    for (unsigned dim : llvm::reverse(point.reductions)) {
      if (!isUnrolled(point, dim) && border.window == dim)
        break;
      distance +=
          static_cast<double>(operand.stream.strides[dim]) * (getExtent(op, roles, dim) - 1);
    }
    if (!layout::staysInZeros(distance))
      return false;
  }
  return true;
}

/// Returns the cycles of a step of the masks of vectors across `border`.
double Draft::getMaskCycles(const Point &point, const Border &border, double loads) {
  constexpr double perConstant = 0.2, perMask = 1, perComparison = 2;
  constexpr double perKnownLane = 0.25, perLane = 3;
  bool unrolled = !border.window || isUnrolled(point, *border.window);
  double touched = static_cast<double>(border.low + border.high) / border.taps;
  double masked = loads * (unrolled ? std::min(touched / point.vectors, 1.0) : 1);
  // Lanes that are loaded one by one are so behind a branch each, unless the mask is known.
  bool isKnown = unrolled && isWhole(point, border.dim) && !border.isShared;
  bool gathers = llvm::any_of(llvm::seq<unsigned>(operands.size()), [&](unsigned i) {
    return operands[i].inSteps && operands[i].access->getRead().getGuard() &&
           getPattern(i, border.dim, point.lanes).gathers;
  });
  if (gathers)
    return masked * (isKnown ? perKnownLane : perLane) * point.lanes;
  if (isKnown)
    return masked * perConstant;
  return masked * (perMask + perComparison / countStepsOfGuard(point, border));
}

double Draft::getGuardCycles(const Point &point, const Border &border) {
  constexpr double perChoice = 1.2, perHoistedChoice = 0.3, perComparison = 1;
  double loads = countLoads(point, /*onlyGuarded=*/true);
  if (border.dim == *point.vectorDim)
    return getMaskCycles(point, border, loads);
  int64_t tile = getTileExtent(point, border.dim);
  bool unrolled = !border.window || isUnrolled(point, *border.window);
  if ((unrolled && isWhole(point, border.dim) && !border.isShared) || knowsTaps(point, border))
    return 0;
  // Rows that have the same position share the choice.
  double chosen = tile > 1 ? loads : std::min(loads, countUnrolled(point));
  if (unrolled)
    chosen *= std::min(border.failures / (tile * border.taps), 1.0);
  double perLoad = staysInZeros(point, border) ? perHoistedChoice : perChoice;
  return chosen * (perLoad + perComparison / countStepsOfGuard(point, border));
}

/// Guards cost nothing in tiles that are wholly inside. In the others, the address of a load is
/// chosen by a condition, or its lanes by a mask. If the window is unrolled, this concerns the rows
/// at the border only. What a condition depends on is computed outside of the loops in which it is
/// the same. A tile that is the whole of a dim has both its borders and is never inside, unless the
/// guard also depends on which tile it is.
Draft::GuardCycles Draft::getGuardCycles(const Point &point) {
  GuardCycles cycles;
  for (const Border &border : borders)
    (isWhole(point, border.dim) && !border.isShared ? cycles.everywhere : cycles.atBorder) +=
        getGuardCycles(point, border);
  return cycles;
}

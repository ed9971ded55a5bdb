//===- DraftLoads.cpp - what a step loads in the draft model -===//
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

/// Returns the vectors after which the distances of lanes repeat. Returns 0 if these are many, or
/// if an index comes from data.
static int64_t findPeriod(const Access &access, unsigned dim, int64_t lanes, int64_t extent) {
  constexpr int64_t most = 8;
  for (int64_t period = 2; period <= most; ++period) {
    int64_t count = period * lanes;
    bool isCompared = extent <= count || extent >= 2 * count; // the only tile, or one of several
    if (isCompared && access.getOffsets(dim, count, extent))
      return period;
  }
  return 0;
}

const Draft::LanePattern &Draft::getPattern(unsigned operand, unsigned dim, int64_t lanes) {
  auto [it, isNew] = patterns.try_emplace({operand, dim, lanes});
  LanePattern &pattern = it->second;
  if (!isNew)
    return pattern;
  Access access = *operands[operand].access;
  if (dim >= op.getNumParallel()) // constants are not packed for lanes that are joined
    access.setPackable(false);
  int64_t extent = getExtent(op, roles, dim);
  double oneByOne = lanes * (access.isWrite() ? 1.5 : 2.4);
  auto offsets = access.getOffsets(dim, std::min(lanes, extent), extent);
  if (!offsets) {
    pattern.loads = oneByOne;
    pattern.gathers = true;
    pattern.period = findPeriod(access, dim, lanes, extent);
    return pattern;
  }
  auto [least, most] = std::minmax_element(offsets->begin(), offsets->end());
  pattern.varies = operands[operand].stream.strides[dim] != 0 || *least != *most;
  bool contiguous = true;
  for (auto [i, offset] : llvm::enumerate(*offsets))
    contiguous &= offset == static_cast<int64_t>(i);
  if (*least == *most)
    return pattern;
  if (!contiguous) {
    int64_t window = *most - *least + 1;
    pattern.gathers = access.isWrite() || !loadsWindow(window, lanes);
    pattern.loads = access.isWrite()
                        ? oneByOne
                        : std::min<double>(1.5 * llvm::divideCeil(window, lanes), oneByOne);
    return pattern;
  }
  // A vector whose address is no multiple of its size may lie in two lines.
  auto misaligns = [&](unsigned other) {
    return !llvm::isPowerOf2_64(lanes) ||
           (other != dim && operands[operand].stream.strides[other] % lanes != 0);
  };
  if (!access.isPackable() && llvm::any_of(llvm::seq<unsigned>(0, op.getNumDims()), misaligns))
    pattern.loads += std::min<double>(lanes * 4.0 / machine.lineBytes, 1);
  return pattern;
}

int64_t Draft::getPeriod(unsigned dim, int64_t lanes) {
  int64_t period = 1;
  for (unsigned i = 0; i < operands.size(); ++i)
    period = std::max(period, getPattern(i, dim, lanes).period);
  return period;
}

double Draft::getLaneLoads(unsigned dim, int64_t lanes) {
  double loads = 0;
  for (unsigned i = 0; i < operands.size(); ++i)
    if (operands[i].inSteps)
      loads += getPattern(i, dim, lanes).loads;
  return loads;
}

/// Returns what a step loads of an operand, if what the innermost `numTaps` unrolled dims and the
/// rows share is loaded once. It is kept until the last tap that needs it.
Draft::TileLoads Draft::getTileLoads(const Point &point, unsigned operand, size_t numTaps) {
  const Stream &stream = operands[operand].stream;
  SmallVector<std::pair<int64_t, int64_t>> terms;
  for (const TileRows &rows : point.rows)
    if (stream.strides[rows.dim])
      terms.push_back({stream.strides[rows.dim], rows.extent});
  double distinct = countDistinct(terms), kept = 1, repeated = 1;
  for (auto [i, unroll] : llvm::enumerate(llvm::reverse(point.unrolled))) {
    int64_t extent = getStepExtent(point, unroll.dim);
    if (i >= numTaps) {
      repeated *= static_cast<double>(extent);
    } else if (stream.strides[unroll.dim]) {
      double separate = distinct * static_cast<double>(extent);
      terms.push_back({stream.strides[unroll.dim], extent});
      distinct = countDistinct(terms);
      if (distinct < separate)
        kept = distinct;
    }
  }
  const LanePattern &pattern = getPattern(operand, *point.vectorDim, point.lanes);
  if (point.dot) { // words, or a vector for each step
    bool isPacked = operands[operand].access->isPackable() || !pattern.varies;
    repeated *= static_cast<double>(point.dot->extent) / (isPacked ? countDotSteps(point) : 1);
  }
  double vectors = pattern.varies ? point.vectors : 1;
  double loads = op.hasReduction() ? pattern.loads : getLoadsOfVector(point, operand);
  return {loads * vectors * distinct * repeated, vectors * distinct * repeated, kept * vectors};
}

/// Returns the loads, or the stores, of one vector that are not within the steps of a reduction. If
/// adjacent rows make adjacent elements, a tile is transposed in registers.
double Draft::getLoadsOfVector(const Point &point, unsigned operand) {
  constexpr double transposed = 3.5, twoRows = 8, threeRows = 10, perDivision = 9;
  const LanePattern &pattern = getPattern(operand, *point.vectorDim, point.lanes);
  double loads = pattern.loads;
  // Whole periods have distances that are known; others are divided out for each lane.
  if (pattern.period > 1 && point.vectors % pattern.period != 0)
    loads += perDivision * static_cast<double>(point.lanes);
  int64_t adjacent = 1;
  for (const TileRows &rows : point.rows)
    if (operands[operand].stream.strides[rows.dim] == 1)
      adjacent = rows.extent;
  if (!transposesRows(adjacent, operands[operand].access->isWrite()))
    return loads;
  double together = adjacent == 2 ? twoRows : adjacent == 3 ? threeRows : transposed;
  return std::min(loads, loads + getTransposedShare(point, operand) * (together - loads));
}

/// Returns the share of the tiles in which rows of `operand` can be transposed: where a guard may
/// fail, lanes are loaded one by one.
double Draft::getTransposedShare(const Point &point, unsigned operand) {
  const Access &access = *operands[operand].access;
  if (access.isGuardedBy(*point.vectorDim))
    return 0;
  bool isGuarded = llvm::any_of(llvm::seq(op.getNumParallel()),
                                [&](unsigned dim) { return access.isGuardedBy(dim); });
  return isGuarded && !op.hasReduction() ? getInteriorShare(point) : 1;
}

/// Returns the same of all operands, or of those with a guard.
Draft::TileLoads Draft::getTotalLoads(const Point &point, size_t numTaps, bool onlyGuarded) {
  TileLoads total;
  for (auto [i, operand] : llvm::enumerate(operands))
    if (operand.inSteps && (!onlyGuarded || operand.access->getRead().getGuard())) {
      TileLoads loads = getTileLoads(point, i, numTaps);
      total.loads += loads.loads;
      total.registers += loads.registers;
    }
  return total;
}

/// Returns whether the products of a step are added in the order of their loads, and sets the
/// number of elements that all lanes share.
bool Draft::ordersByLoads(const Point &point, double &scalars) {
  size_t vectors = 0;
  bool tapsShare = false;
  scalars = 0;
  for (unsigned i = 0; i < operands.size(); ++i) {
    if (!operands[i].inSteps)
      continue;
    TileLoads loads = getTileLoads(point, i, point.unrolled.size());
    if (!getPattern(i, *point.vectorDim, point.lanes).varies) {
      scalars += loads.vectors;
      continue;
    }
    ++vectors;
    tapsShare = loads.registers > static_cast<double>(point.vectors);
  }
  return op.hasReduction() && !point.rows.empty() &&
         layout::ordersByLoads(vectors, tapsShare, scalars);
}

/// Returns the loads of a step. What several rows and taps use is loaded once, unless the registers
/// do not suffice; then only what the innermost taps share is.
double Draft::countLoads(const Point &point, bool onlyGuarded) {
  size_t numTaps = point.unrolled.size();
  if (double scalars = 0; numTaps > 1 && !ordersByLoads(point, scalars) &&
                          countSums(point) + countRegisters(point) > machine.registers)
    numTaps = 1;
  return getTotalLoads(point, numTaps, onlyGuarded).loads;
}

/// Returns the registers that what a step loads needs at the same time. In the order of the loads,
/// these are one for each vector of a row, and what all lanes share.
double Draft::countRegisters(const Point &point) {
  double scalars = 0;
  if (ordersByLoads(point, scalars))
    return static_cast<double>(point.vectors) + scalars;
  return getTotalLoads(point, point.unrolled.size(), /*onlyGuarded=*/false).registers;
}

/// Returns the cycles of a step because some sums are not in registers, for which each product
/// waits. What rows and taps share takes registers for as long as some tap needs it. Without a
/// loop, each sum can be finished before the next one; then only what is shared is stored and
/// loaded again: elements for all lanes once, and in the order of the taps the vectors of the
/// innermost ones for each index of the others.
double Draft::getSpillCycles(const Point &point, const DraftTerms &terms, double steps) {
  constexpr double perSum = 1, once = 3, perElement = 0.6, perVector = 2.6;
  if (point.usesMatrices())
    return 0;
  double needed = terms.sums + terms.registers;
  if (!point.unrolled.empty()) // what the next tap needs is loaded ahead
    needed += 1;
  double missing = needed - static_cast<double>(machine.registers);
  if (missing <= 0)
    return 0;
  if (steps > 1)
    return terms.unrolled * (once + perSum * std::min(missing, 0.75 * terms.sums));
  double scalars = 0;
  if (point.unrolled.empty() || ordersByLoads(point, scalars))
    return perElement * missing;
  return perVector * missing * terms.unrolled / getStepExtent(point, point.unrolled.back().dim);
}

//===- Draft.cpp - a closed-form time of a point -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/Draft.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

int64_t layout::getExtent(te::ComputeOp op, const Roles &roles, unsigned dim) {
  constexpr int64_t assumedBatch = 4;
  int64_t size = op.getStaticSizes()[dim];
  if (ShapedType::isDynamic(size) && roles[dim] == Role::Batch)
    return assumedBatch;
  return getAssumedSize(size);
}

Draft::Draft(te::ComputeOp op, ArrayRef<Access> accesses, const Roles &roles,
             const MachineModel &machine)
    : op(op), roles(roles), machine(machine), borders(op.getNumDims()) {
  for (const Access &access : accesses) {
    Operand operand{&access, {}, false};
    operand.inSteps =
        !access.isWrite() && access.getRead()->getParentRegion() != &op.getEpilogue();
    for (unsigned dim = 0; dim < op.getNumDims(); ++dim)
      operand.strides.push_back(access.getStrideKind(dim, 2) == StrideKind::Invariant
                                    ? 0
                                    : std::max<int64_t>(std::abs(access.getStride(dim)), 1));
    operands.push_back(std::move(operand));
    if (operands.back().inSteps)
      findBorders(access);
  }
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

bool Draft::guardHolds(const te::CompiledExpr &constraint, unsigned dim, int64_t position) {
  for (bool last : {false, true}) {
    SmallVector<int64_t> point(op.getNumDims(), 0);
    point[dim] = position;
    for (unsigned other = op.getNumParallel(); last && other < op.getNumDims(); ++other)
      point[other] = getExtent(op, roles, other) - 1;
    if (constraint.evaluate(point).value_or(0) < 0)
      return false;
  }
  return true;
}

void Draft::findBorders(const Access &access) {
  std::optional<IntegerSet> guard = access.getRead().getGuard();
  if (!guard || guard->getNumSymbols() > 0)
    return;
  for (AffineExpr expr : guard->getConstraints()) {
    te::CompiledExpr constraint(expr);
    for (unsigned dim = 0; dim < op.getNumParallel(); ++dim) {
      if (!expr.isFunctionOfDim(dim))
        continue;
      guarded = true;
      int64_t extent = getExtent(op, roles, dim), low = 0, high = 0;
      while (low < extent && !guardHolds(constraint, dim, low))
        ++low;
      while (high < extent - low && !guardHolds(constraint, dim, extent - 1 - high))
        ++high;
      borders[dim].low = std::max(borders[dim].low, low);
      borders[dim].high = std::max(borders[dim].high, high);
    }
  }
}

double Draft::getInteriorShare(const Point &point) {
  double share = 1;
  for (unsigned dim = 0; dim < op.getNumParallel(); ++dim) {
    if (borders[dim].isEmpty())
      continue;
    int64_t extent = getExtent(op, roles, dim), tile = getTileExtent(point, dim);
    int64_t count = llvm::divideCeil(extent, tile);
    int64_t first = llvm::divideCeil(borders[dim].low, tile);
    int64_t end = borders[dim].high ? (extent - borders[dim].high) / tile : count;
    share *= std::max<double>(end - first, 0) / count;
  }
  return share;
}

/// Guards cost nothing in tiles that are wholly inside. In the others, the address of a load is
/// chosen by a condition, or its lanes by a mask. A mask is a constant if no loop runs over whole
/// tiles; otherwise lanes that are not adjacent are loaded one by one, each behind a branch.
double Draft::getGuardCycles(const Point &point) {
  constexpr double perAddress = 0.7, perConstantMask = 0.7, perMask = 6, perLane = 3, inLoop = 1.3;
  if (!guarded)
    return 0;
  unsigned vectorDim = *point.vectorDim;
  double perLoad = perAddress;
  if (!borders[vectorDim].isEmpty()) {
    bool isConstant = getExtent(op, roles, vectorDim) < 2 * getTileExtent(point, vectorDim);
    bool isStrided = llvm::any_of(operands, [&](const Operand &operand) {
      return operand.inSteps && operand.access->getRead().getGuard() &&
             operand.strides[vectorDim] > 1;
    });
    perLoad = isConstant ? perConstantMask : isStrided ? perLane * point.lanes : perMask;
  }
  bool inInnermost = !point.reductions.empty();
  for (unsigned dim : llvm::reverse(point.reductions))
    if (const Unroll *unroll = point.findUnroll(dim); !unroll || unroll->extent) {
      inInnermost = roles[dim] == Role::Window;
      break;
    }
  return countLoads(point, /*guarded=*/true) * perLoad * (inInnermost ? inLoop : 1);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

const Draft::LanePattern &Draft::getPattern(unsigned operand, unsigned dim, int64_t lanes) {
  auto [it, isNew] = patterns.try_emplace({operand, dim, lanes});
  LanePattern &pattern = it->second;
  if (!isNew)
    return pattern;
  const Access &access = *operands[operand].access;
  int64_t extent = getExtent(op, roles, dim);
  double oneByOne = lanes * (access.isWrite() ? 1.5 : 2.4);
  auto offsets = access.getOffsets(dim, std::min(lanes, extent), extent);
  if (!offsets) {
    pattern.loads = oneByOne;
    return pattern;
  }
  auto [least, most] = std::minmax_element(offsets->begin(), offsets->end());
  pattern.varies = operands[operand].strides[dim] != 0 || *least != *most;
  bool contiguous = true;
  for (auto [i, offset] : llvm::enumerate(*offsets))
    contiguous &= offset == static_cast<int64_t>(i);
  if (*least == *most)
    return pattern;
  if (!contiguous) {
    double near = 2.0 * llvm::divideCeil(*most - *least + 1, lanes);
    pattern.loads = access.isWrite() ? oneByOne : std::min(near, oneByOne);
    return pattern;
  }
  // A vector whose address is no multiple of its size may lie in two lines.
  auto misaligns = [&](unsigned other) {
    return other != dim && operands[operand].strides[other] % lanes != 0;
  };
  if (!access.isPackable() && llvm::any_of(llvm::seq<unsigned>(0, op.getNumDims()), misaligns))
    pattern.loads += std::min<double>(lanes * 4.0 / machine.lineBytes, 1);
  return pattern;
}

double Draft::getLaneLoads(unsigned dim, int64_t lanes) {
  double loads = 0;
  for (unsigned i = 0; i < operands.size(); ++i)
    if (operands[i].inSteps)
      loads += getPattern(i, dim, lanes).loads;
  return loads;
}

/// Returns the number of different sums of multiples of strides. Each entry of `terms` is a stride
/// and a number of multiples.
static double countDistinct(SmallVectorImpl<std::pair<int64_t, int64_t>> &terms) {
  llvm::sort(terms);
  double count = 1;
  int64_t run = 1, unit = 0; // the sums so far are `run` multiples of `unit`, `count / run` times
  for (auto [stride, extent] : terms) {
    if (unit && stride % unit == 0 && stride / unit <= run) {
      int64_t longer = run + (extent - 1) * (stride / unit);
      count = count / run * longer;
      run = longer;
    } else {
      count *= extent;
      run = extent;
      unit = stride;
    }
  }
  return count;
}

double Draft::countLoads(const Point &point, bool onlyGuarded) {
  double loads = 0;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (!operand.inSteps || (onlyGuarded && !operand.access->getRead().getGuard()))
      continue;
    SmallVector<std::pair<int64_t, int64_t>> terms;
    for (const TileRows &rows : point.rows)
      if (operand.strides[rows.dim])
        terms.push_back({operand.strides[rows.dim], rows.extent});
    for (const Unroll &unroll : point.unrolled)
      if (operand.strides[unroll.dim])
        terms.push_back({operand.strides[unroll.dim],
                         unroll.extent ? unroll.extent : getExtent(op, roles, unroll.dim)});
    const LanePattern &pattern = getPattern(i, *point.vectorDim, point.lanes);
    loads += pattern.loads * (pattern.varies ? point.vectors : 1) * countDistinct(terms);
  }
  return loads;
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

int64_t Draft::getFusedExtent(unsigned dim, unsigned fused) {
  int64_t extent = 1;
  for (unsigned d = dim - fused; d <= dim; ++d)
    if (llvm::MulOverflow(extent, getExtent(op, roles, d), extent))
      return std::numeric_limits<int64_t>::max();
  return extent;
}

int64_t Draft::getTileExtent(const Point &point, unsigned dim) {
  if (dim == *point.vectorDim)
    return point.vectors * point.lanes;
  for (const TileRows &rows : point.rows)
    if (rows.dim == dim)
      return rows.extent;
  return 1;
}

/// Returns the number of tiles of `tile` iterations in `extent`. A shorter last tile counts less,
/// but does not use the core as well.
static double countTiles(int64_t extent, int64_t tile) {
  double rest = extent % tile;
  return extent / tile + (rest == 0 ? 0 : std::max(rest / tile, 0.6));
}

double Draft::countTiles(const Point &point) {
  unsigned vectorDim = *point.vectorDim;
  int64_t columns = llvm::divideCeil(getFusedExtent(vectorDim, point.fused), point.lanes);
  double count = ::countTiles(columns, point.vectors);
  llvm::SmallDenseSet<unsigned> done;
  for (unsigned dim = vectorDim - point.fused; dim <= vectorDim; ++dim)
    done.insert(dim);
  for (const TileRows &rows : point.rows) {
    count *= ::countTiles(getFusedExtent(rows.dim, rows.fused), rows.extent);
    for (unsigned dim = rows.dim - rows.fused; dim <= rows.dim; ++dim)
      done.insert(dim);
  }
  for (unsigned dim = 0; dim < op.getNumParallel(); ++dim)
    if (!done.contains(dim))
      count *= getExtent(op, roles, dim);
  return count;
}

/// Returns the cycles of one of `steps` steps of the reduction loops, in which each accumulator gets
/// `unrolled` products.
double Draft::getStepCycles(const Point &point, double unrolled, double steps) {
  constexpr double overhead = 1;
  // The products of one step wait for each other, but those of the next tile do not.
  double latency = steps > 1 ? 4 : 0;
  double accumulators = point.countAccumulators();
  double multiplyAdds = accumulators * unrolled / machine.fmaPorts;
  double loads = countLoads(point, /*onlyGuarded=*/false) / machine.loadPorts;
  // One register is for the operand that the rows do not share, and one for each vector.
  double spilled = std::max(accumulators + point.vectors + 1 - machine.registers, 0.0);
  return std::max({multiplyAdds, loads, latency * unrolled}) + spilled * unrolled + overhead;
}

double Draft::getSetupCycles(const Point &point) {
  constexpr double perTile = 15, perAccumulator = 1;
  double accumulators = point.countAccumulators(), writes = 0;
  for (auto [i, operand] : llvm::enumerate(operands))
    if (operand.access->isWrite())
      writes += getPattern(i, *point.vectorDim, point.lanes).loads;
  return perTile + accumulators * (perAccumulator + writes);
}

double Draft::getCycles(const Point &point) {
  double unrolled = 1, steps = 1;
  for (unsigned dim = op.getNumParallel(); dim < op.getNumDims(); ++dim) {
    int64_t extent = getExtent(op, roles, dim);
    const Unroll *unroll = point.findUnroll(dim);
    int64_t together = !unroll ? 1 : unroll->extent ? unroll->extent : extent;
    unrolled *= together;
    steps *= llvm::divideCeil(extent, together);
  }
  double step = getStepCycles(point, unrolled, steps);
  double border = (1 - getInteriorShare(point)) * getGuardCycles(point);
  return countTiles(point) * (steps * (step + border) + getSetupCycles(point));
}

//===- Draft.cpp - a closed-form time of a point -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/Draft.h"
#include "dialects/layout/Analysis/CodeRules.h"
#include "dialects/layout/Template/DotProduct.h"
#include "dialects/te/Analysis/ReadFacts.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// Returns the distance in elements of what `access` accesses in the `extent` iterations of `dim`.
static int64_t getDistance(const Access &access, unsigned dim, int64_t extent) {
  constexpr int64_t anywhere = 4099; // for an index that is computed from data
  if (access.getStrideKind(dim, 2) == StrideKind::Invariant)
    return 0;
  int64_t stride = std::max(std::abs(access.getStride(dim)), access.getMeanDistance(dim, extent));
  return stride == 0 ? anywhere : std::min(stride, mostExtent);
}

/// Returns the cost of a step in simple instructions, for one vector of a sum and for a scalar. A
/// multiply-add is one instruction.
static te::OpCost getStepCost(te::ComputeOp op, const Roles &roles) {
  if (!roles.weights.empty())
    return {.vector = 1, .scalar = 1};
  te::OpCost sum;
  for (Region &piece : op.getPieces()) {
    te::OpCost cost = te::getCost(piece);
    sum.vector += cost.vector;
    sum.scalar += cost.scalar;
  }
  double pieces = static_cast<double>(op.getPieces().size());
  double combined = op.hasReduction() ? op.getNumResults() : 0;
  return {.vector = sum.vector / pieces + combined, .scalar = sum.scalar / pieces + combined};
}

Draft::Draft(te::ComputeOp op, ArrayRef<Access> accesses, const Roles &roles,
             const MachineModel &machine)
    : op(op), roles(roles), machine(machine), stepCost(getStepCost(op, roles)),
      epilogueCost(te::getCost(op.getEpilogue())),
      hasFiniteWeights(!roles.weights.empty() && llvm::all_of(roles.weights, te::isFinite)) {
  for (const Access &access : accesses) {
    Operand operand{&access, {}, isReadInSteps(op, access)};
    operand.stream.elementBytes = access.getElementBytes();
    for (unsigned dim = 0; dim < op.getNumDims(); ++dim)
      operand.stream.strides.push_back(getDistance(access, dim, getExtent(op, roles, dim)));
    operands.push_back(std::move(operand));
    if (operands.back().inSteps)
      addBorders(op, roles, access.getRead(), borders);
  }
}

//===----------------------------------------------------------------------===//
// Steps and tiles
//===----------------------------------------------------------------------===//

int64_t Draft::getFusedExtent(unsigned dim, unsigned fused) {
  int64_t extent = 1;
  for (unsigned d = dim - fused; d <= dim; ++d)
    extent = std::min(extent * getExtent(op, roles, d), mostExtent);
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

int64_t Draft::countSums(const Point &point) {
  return point.countAccumulators() * layout::countSums(op, roles);
}

double Draft::countUnrolled(const Point &point) {
  double count = 1;
  for (const Unroll &unroll : point.unrolled)
    count *= getStepExtent(point, unroll.dim);
  return count * static_cast<double>(point.dot ? point.dot->extent : 1);
}

/// Returns the products that one instruction adds to a sum.
double Draft::countDotSteps(const Point &point) {
  return point.dot ? static_cast<double>(findDotInstruction(op, point)->steps) : 1;
}

bool Draft::joinsLanes(const Point &point) { return *point.vectorDim >= op.getNumParallel(); }

int64_t Draft::getStepExtent(const Point &point, unsigned dim) {
  if (dim == *point.vectorDim)
    return point.vectors * point.lanes;
  if (int64_t steps = point.getDotSteps(dim))
    return std::min(steps, getExtent(op, roles, dim));
  const Unroll *unroll = point.findUnroll(dim);
  return !unroll ? 1 : unroll->extent ? unroll->extent : getExtent(op, roles, dim);
}

bool Draft::isWhole(const Point &point, unsigned dim) {
  return getExtent(op, roles, dim) <= getTileExtent(point, dim);
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

/// Returns the number of tiles of `tile` iterations in `extent`. A shorter last tile counts less,
/// but does not use the core as well.
static double countTiles(int64_t extent, int64_t tile) {
  double rest = extent % tile;
  return extent / tile + (rest == 0 ? 0 : std::max(rest / tile, 0.6));
}

double Draft::countTiles(const Point &point) {
  unsigned vectorDim = *point.vectorDim;
  double count = 1;
  if (!joinsLanes(point))
    count = ::countTiles(llvm::divideCeil(getFusedExtent(vectorDim, point.fused), point.lanes),
                         point.vectors);
  // A dynamic size, such as that of a batch, may be 1; a row is seldom that short.
  constexpr double fewLanes = 4;
  bool isStrided = llvm::any_of(operands, [&](const Operand &operand) {
    return operand.access->isWrite() && operand.stream.strides[vectorDim] > 1;
  });
  if (ShapedType::isDynamic(op.getStaticSizes()[vectorDim]) && isStrided && point.lanes > fewLanes)
    count *= static_cast<double>(point.lanes) / fewLanes;
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

/// Returns the cycles of one of `steps` steps of the reduction loops, in which each sum gets the
/// unrolled products.
double Draft::getStepCycles(const Point &point, const DraftTerms &terms, double steps) {
  if (point.usesMatrices())
    return getMatrixCycles(point);
  constexpr double overhead = 1, sustained = 1.15; // the ports are never all busy with loads
  double used = getRemainingShare(point);
  // The products of one step wait for each other, but those of the next tile do not.
  double latency = steps > 1 ? 4 : 0;
  double arithmetic = point.lanes > 1 ? stepCost.vector : stepCost.scalar;
  double rate = static_cast<double>(machine.fmaPorts); // vectors of products in a cycle
  if (point.dot) {
    const Atom &atom = *findDotInstruction(op, point);
    rate = static_cast<double>(getDotRate(atom, machine)) / static_cast<double>(point.lanes);
    arithmetic = 1;
  }
  double multiplyAdds = used * arithmetic * terms.sums * terms.unrolled / rate;
  double loads = sustained * used * terms.loads / machine.loadPorts;
  return std::max({multiplyAdds, loads, latency * terms.unrolled / countDotSteps(point)}) +
         terms.spills + overhead;
}

/// Returns the cycles of a step of products of matrices. A row of a register is loaded by one load.
/// Words of columns that are none in memory are made of two vectors and two shuffles, and stored.
double Draft::getMatrixCycles(const Point &point) {
  constexpr double perWord = 5, latency = 52, exposed = 0.25, overhead = 2;
  const Atom &atom = *findDotInstruction(op, point);
  double parts = point.countParts(atom.rows), vectors = point.vectors, rowsOfRegister = 16;
  double ofProduct = static_cast<double>(atom.rows * atom.columns * atom.steps) /
                     static_cast<double>(getDotRate(atom, machine));
  double products = parts * vectors * ofProduct;
  double loads = (parts + vectors) * rowsOfRegister / static_cast<double>(machine.loadPorts);
  bool copies = llvm::any_of(operands, [&](const Operand &operand) {
    return operand.inSteps && operand.stream.strides[*point.vectorDim] != 0 &&
           !operand.access->isPackable();
  });
  if (copies)
    loads += vectors * rowsOfRegister * perWord;
  double arithmetic = std::max(products, latency);
  return std::max(arithmetic, loads) + exposed * std::min(arithmetic, loads) + overhead;
}

/// Returns whether `operand` is a constant that is packed: one along which the lanes run.
bool Draft::isPacked(const Operand &operand, const Point &point) {
  return operand.access->isPackable() && !joinsLanes(point) &&
         operand.stream.strides[*point.vectorDim] != 0;
}

/// Returns the loops around a tile, innermost first.
SmallVector<TileLoop> Draft::getLoops(const Point &point) {
  SmallVector<TileLoop> loops;
  for (unsigned dim : llvm::reverse(point.reductions)) {
    int64_t together = getStepExtent(point, dim);
    loops.push_back(
        {dim, static_cast<int64_t>(llvm::divideCeil(getExtent(op, roles, dim), together))});
  }
  llvm::SmallDenseSet<unsigned> fused;
  auto getTrips = [&](unsigned dim, unsigned count, int64_t tile) {
    for (unsigned d = dim - count; d < dim; ++d)
      fused.insert(d);
    return static_cast<int64_t>(llvm::divideCeil(getFusedExtent(dim, count), tile));
  };
  SmallVector<int64_t> trips;
  for (unsigned dim = 0; dim < op.getNumParallel(); ++dim)
    trips.push_back(getExtent(op, roles, dim));
  if (!joinsLanes(point))
    trips[*point.vectorDim] =
        getTrips(*point.vectorDim, point.fused, getTileExtent(point, *point.vectorDim));
  for (const TileRows &rows : point.rows)
    trips[rows.dim] = getTrips(rows.dim, rows.fused, rows.extent);
  for (unsigned dim : llvm::reverse(point.outer))
    if (!fused.contains(dim))
      loops.push_back({dim, trips[dim]});
  return loops;
}

/// Returns the tensors that the loops read and write.
SmallVector<Stream> Draft::getStreams(const Point &point) {
  SmallVector<Stream> streams;
  for (const Operand &operand : operands) {
    streams.push_back(operand.stream);
    streams.back().inOrder = isPacked(operand, point);
  }
  return streams;
}

/// Returns the iterations of each dim in a step of a tile.
SmallVector<int64_t> Draft::getStepExtents(const Point &point) {
  SmallVector<int64_t> extents;
  for (unsigned dim = 0; dim < op.getNumParallel(); ++dim)
    extents.push_back(getTileExtent(point, dim));
  for (unsigned dim = op.getNumParallel(); dim < op.getNumDims(); ++dim)
    extents.push_back(getStepExtent(point, dim));
  return extents;
}

/// Returns the lines that come into the first-level or the second-level cache.
MissedLines Draft::countMissedLines(const Point &point, bool secondLevel) {
  constexpr int64_t secondLevelWays = 16;
  Cache cache = secondLevel ? Cache{machine.l2Bytes, secondLevelWays, machine.lineBytes}
                            : Cache{machine.l1Bytes, machine.l1Ways, machine.lineBytes};
  return findMissedLines(getStreams(point), getStepExtents(point), getLoops(point), cache);
}

/// Returns the share of the lines that no prefetcher fetches ahead because a step reads its vectors
/// in more places at once than it follows: rows of an image, each of which moves on with the tiles.
double Draft::getCrowdedShare(const Point &point) {
  constexpr double mostPlaces = 8;
  if (double scalars = 0; !ordersByLoads(point, scalars))
    return 0;
  double places = 1;
  SmallVector<int64_t> extents = getStepExtents(point);
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (!operand.inSteps || !getPattern(i, *point.vectorDim, point.lanes).varies)
      continue;
    TouchedLines lines = findTouchedLines(operand.stream, extents, machine.lineBytes);
    places = std::max(places, lines.count / lines.run);
  }
  return std::max(0.0, 1 - mostPlaces / places);
}

/// Returns the cycles that the lines take that are not in the caches, and those of them for which
/// the core waits because the lines are not fetched ahead.
Draft::CacheCycles Draft::getCacheCycles(const Point &point) {
  constexpr double perSecondLevelLine = 1.5, perThirdLevelLine = 3, latency = 3;
  MissedLines fromSecond = countMissedLines(point, /*secondLevel=*/false);
  MissedLines fromThird = countMissedLines(point, /*secondLevel=*/true);
  double crowded = getCrowdedShare(point);
  auto countAlone = [&](const MissedLines &lines) {
    return lines.alone + crowded * (lines.count - lines.alone);
  };
  return {perSecondLevelLine * fromSecond.count + perThirdLevelLine * fromThird.count,
          latency * (perSecondLevelLine * countAlone(fromSecond) +
                     perThirdLevelLine * countAlone(fromThird))};
}

/// Returns the lines, relative to the first one, that the tile and the unrolled taps of a step
/// touch. Of many, only a part is looked at.
SmallVector<int64_t> Draft::findLinesOfStep(const Point &point, const Stream &stream) {
  constexpr size_t most = 512;
  SmallVector<int64_t> offsets = {0};
  auto add = [&](unsigned dim, int64_t extent) {
    int64_t stride = stream.strides[dim] * stream.elementBytes;
    if (stride == 0)
      return;
    size_t count = offsets.size();
    for (int64_t i = 1; i < extent && offsets.size() < most; ++i)
      for (size_t k = 0; k < count; ++k)
        offsets.push_back(offsets[k] + i * stride);
  };
  if (!op.hasReduction())
    add(*point.vectorDim, point.vectors * point.lanes);
  for (const TileRows &rows : point.rows)
    add(rows.dim, rows.extent);
  for (const Unroll &unroll : point.unrolled)
    add(unroll.dim, getStepExtent(point, unroll.dim));
  if (point.dot)
    add(point.dot->dim, point.dot->extent);
  for (int64_t &offset : offsets)
    offset /= machine.lineBytes;
  llvm::sort(offsets);
  offsets.erase(llvm::unique(offsets), offsets.end());
  return offsets;
}

/// Returns the cycles that a step of the reduction, or a tile without one, loses because distant
/// lines share sets of the first-level cache, and evict each other before the next step.
double Draft::getConflictCycles(const Point &point) {
  constexpr double perEviction = 1;
  int64_t sets = machine.getL1WayBytes() / machine.lineBytes;
  double cycles = 0;
  for (const Operand &operand : operands) {
    if ((!operand.inSteps && op.hasReduction()) || isPacked(operand, point))
      continue;
    llvm::SmallDenseMap<int64_t, int64_t> lines; // in each set
    for (int64_t line : findLinesOfStep(point, operand.stream))
      ++lines[line % sets];
    for (auto [set, count] : lines)
      if (count >= machine.l1Ways)
        cycles += perEviction * count;
  }
  return cycles;
}

double Draft::getSetupCycles(const Point &point) {
  constexpr double perHalving = 2.5;
  // Elements have no sums to set up, and their loops are short.
  double perTile = op.hasReduction() ? 15 : 2, perSum = op.hasReduction() ? 1 : 0;
  perSum += joinsLanes(point) || point.lanes == 1 ? epilogueCost.scalar : epilogueCost.vector;
  for (auto [i, operand] : llvm::enumerate(operands))
    if (!operand.inSteps)
      perSum += joinsLanes(point) ? getPattern(i, *point.vectorDim, point.lanes).loads
                                  : getLoadsOfVector(point, i);
  if (joinsLanes(point))
    perSum += perHalving * llvm::Log2_64(point.lanes);
  return perTile + point.countAccumulators() * perSum;
}

/// Returns `point` with a vector of one lane if it has none.
Point Draft::complete(const Point &point) {
  Point complete = point;
  if (!point.vectorDim)
    complete.vectorDim = op.getNumDims() - 1;
  return complete;
}

DraftResources Draft::getResources(const Point &given) {
  DraftResources resources;
  if (op.getNumDims() == 0)
    return resources;
  Point point = complete(given);
  resources.sums = countSums(point);
  resources.loads = countRegisters(point);
  SmallVector<int64_t> step = getStepExtents(point), tile = step;
  for (unsigned dim = op.getNumParallel(); dim < op.getNumDims(); ++dim)
    tile[dim] = getExtent(op, roles, dim);
  for (const Stream &stream : getStreams(point)) {
    resources.stepBytes +=
        machine.lineBytes * findTouchedLines(stream, step, machine.lineBytes).count;
    resources.tileBytes +=
        machine.lineBytes * findTouchedLines(stream, tile, machine.lineBytes).count;
  }
  resources.firstBytes = machine.lineBytes * countMissedLines(point, /*secondLevel=*/false).count;
  resources.secondBytes = machine.lineBytes * countMissedLines(point, /*secondLevel=*/true).count;
  return resources;
}

DraftTerms Draft::getTerms(const Point &given) {
  constexpr double exposed = 0.25; // the share of the shorter of both that does not overlap
  DraftTerms terms;
  if (op.getNumDims() == 0)
    return terms;
  Point point = complete(given);
  double steps = 1;
  for (unsigned dim = op.getNumParallel(); dim < op.getNumDims(); ++dim)
    steps *= llvm::divideCeil(getExtent(op, roles, dim), getStepExtent(point, dim));
  terms.sums = countSums(point);
  terms.unrolled = countUnrolled(point);
  terms.loads = countLoads(point, /*onlyGuarded=*/false);
  terms.registers = countRegisters(point);
  terms.spills = getSpillCycles(point, terms, steps);
  terms.stepCycles = getStepCycles(point, terms, steps);
  terms.conflicts = getConflictCycles(point);
  terms.branches = getBranchCycles(point);
  terms.interior = getInteriorShare(point);
  GuardCycles guards = getGuardCycles(point);
  terms.guards = guards.everywhere + (1 - terms.interior) * guards.atBorder;
  terms.setup = getSetupCycles(point);
  terms.tiles = countTiles(point);
  terms.steps = steps * getShareOfSteps(point);
  double step = terms.stepCycles + terms.conflicts + terms.branches + terms.guards;
  terms.compute = terms.tiles * (terms.steps * step + terms.setup);
  auto [transfer, waiting] = getCacheCycles(point);
  terms.transfer = transfer;
  terms.waiting = waiting;
  terms.cycles =
      std::max(terms.compute, transfer) + exposed * std::min(terms.compute, transfer) + waiting;
  return terms;
}

//===- TileModel.cpp - chooses the register tile of an expression -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/TileModel.h"
#include "dialects/layout/Template/Space.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// The extents assumed for dims of dynamic size. Images, sequences and rows of matrices are long;
/// batches are short.
static constexpr int64_t assumedExtent = 64, assumedBatch = 4;

/// Returns whether `dim` is probably a batch: the first of at least three parallel dims.
static bool isBatch(te::ComputeOp op, unsigned dim) { return dim == 0 && op.getNumParallel() > 2; }

static int64_t getExtent(te::ComputeOp op, unsigned dim) {
  int64_t size = op.getStaticSizes()[dim];
  if (!ShapedType::isDynamic(size))
    return size;
  return isBatch(op, dim) ? assumedBatch : assumedExtent;
}

/// The cost of a function, such as exp, of the lanes of a vector and of a scalar. The function of a
/// scalar is a call.
static constexpr double functionOfVector = 15, functionOfScalar = 40;

/// Returns the cost of the arithmetic of a body, in simple instructions. Each function costs
/// `function`.
static double getArithmetic(Region &body, double function) {
  double cost = 0;
  body.walk([&](Operation *inner) {
    if (inner->getDialect()->getNamespace() == math::MathDialect::getDialectNamespace())
      cost += function;
    else if (!isa<te::ReadOp, te::YieldOp>(inner))
      cost += 1;
  });
  return cost;
}

static double getArithmetic(te::ComputeOp op) {
  return getArithmetic(op.getPieces().front(), functionOfVector);
}

/// The number of lanes that are assumed to be in use along a dim of dynamic size, if the writes are
/// strided.
static constexpr double fewLanes = 4;

static bool isStridedWrite(ArrayRef<Access> accesses, unsigned dim) {
  return llvm::any_of(accesses, [&](const Access &access) {
    return access.isWrite() && access.getStrideKind(dim, 2) == StrideKind::Strided;
  });
}

/// Returns the cost of one access by the lanes of a vector. `offsets` are the addresses of the
/// lanes relative to the first one, or nothing if they are not known.
static double getLaneCost(const Access &access, const std::optional<SmallVector<int64_t>> &offsets,
                          int64_t lanes) {
  double oneByOne = lanes * (access.isWrite() ? 1.5 : 1.0);
  if (!offsets)
    return oneByOne;
  auto [least, most] = std::minmax_element(offsets->begin(), offsets->end());
  if (*least == *most)
    return 0.5;
  bool contiguous = true;
  for (auto [i, offset] : llvm::enumerate(*offsets))
    contiguous &= offset == static_cast<int64_t>(i);
  if (contiguous)
    return 1;
  // The cost of loading everything from the least to the greatest address and shuffling it.
  double near = 2.0 * llvm::divideCeil(*most - *least + 1, lanes);
  return access.isWrite() ? oneByOne : std::min(near, oneByOne);
}

/// Returns whether `access` is a read that each step of the reduction executes.
static bool isReadInSteps(te::ComputeOp op, const Access &access) {
  return !access.isWrite() && access.getRead()->getParentRegion() != &op.getEpilogue();
}

/// Returns how many rows of a tile bear the cost of a load of `access` together, if `dim` is the
/// vector dim: rows along another parallel dim along which the address stays the same. The lanes
/// are put together by instructions that compete with the multiply-adds, so that even many rows
/// save a part of the cost only. A dynamic number of rows may be 1.
static double countSharingRows(te::ComputeOp op, const Access &access, unsigned dim) {
  constexpr int64_t someRows = 4, manyRows = 16;
  double share = 1;
  for (unsigned other = 0; other < op.getNumParallel(); ++other) {
    if (other == dim || access.getStrideKind(other, 2) != StrideKind::Invariant)
      continue;
    bool isDynamic = ShapedType::isDynamic(op.getStaticSizes()[other]);
    if (!isDynamic && getExtent(op, other) >= manyRows)
      return 5;
    if (isDynamic || getExtent(op, other) >= someRows)
      share = 2;
  }
  return share;
}

/// Returns the cost of one step of the loads of `access` by the lanes of a vector along `dim`,
/// which is `laneCost` for a single row. It is at least that of a contiguous load.
static double getSharedLaneCost(te::ComputeOp op, const Access &access, unsigned dim,
                                double laneCost) {
  if (laneCost <= 1 || dim >= op.getNumParallel() || !isReadInSteps(op, access))
    return laneCost;
  return std::max(1.0, laneCost / countSharingRows(op, access, dim));
}

/// Returns the number of iterations of the dims from `first` to before `last`.
static double countIterations(te::ComputeOp op, unsigned first, unsigned last) {
  double count = 1;
  for (unsigned dim = first; dim < last; ++dim)
    count *= static_cast<double>(std::max<int64_t>(getExtent(op, dim), 1));
  return count;
}

/// Returns the cost of the epilogue for each step of a vector of `used` lanes. If the vector dim is
/// a reduction dim, the results are scalars. With few results, the latency of their sums is dearer
/// than the epilogue: it does not count.
static double getEpilogueCost(te::ComputeOp op, bool isScalar, double used) {
  constexpr double fewResults = 128;
  if (!op.hasEpilogue() || countIterations(op, 0, op.getNumParallel()) < fewResults)
    return 0;
  double cost = getArithmetic(op.getEpilogue(), isScalar ? functionOfScalar : functionOfVector);
  return cost * (isScalar ? used : 1) / countIterations(op, op.getNumParallel(), op.getNumDims());
}

/// Returns the cost of one element if `dim` is the vector dim. `share` says that the rows of a tile
/// share loads of lanes that are not adjacent.
static double getVectorCost(te::ComputeOp op, ArrayRef<Access> accesses, unsigned dim,
                            int64_t lanes, double arithmetic, bool share) {
  bool reduction = dim >= op.getNumParallel();
  int64_t extent = getExtent(op, dim);
  double cost = arithmetic;
  for (const Access &access : accesses) {
    bool once = op.hasReduction() &&
                (access.isWrite() || access.getRead()->getParentRegion() == &op.getEpilogue());
    double weight = once ? (reduction ? 0 : 0.05) : 1;
    double laneCost =
        getLaneCost(access, access.getOffsets(dim, std::min(lanes, extent), extent), lanes);
    cost += weight * (share ? getSharedLaneCost(op, access, dim, laneCost) : laneCost);
    if (access.isGuardedBy(dim))
      cost += weight;
  }
  double used = std::min(extent, lanes);
  // A dynamic size, such as that of a batch, may be 1; a row is seldom that short.
  if (ShapedType::isDynamic(op.getStaticSizes()[dim]) && !reduction &&
      isStridedWrite(accesses, dim))
    used = std::min(used, fewLanes);
  if (reduction) // combining the lanes at the end
    cost += 10.0 * lanes / std::max<int64_t>(extent, 1);
  cost += getEpilogueCost(op, reduction, used);
  return cost / std::max(used, 1.0);
}

/// Looks for a dim along which an element costs less than `best`. If there is one, sets `choice`,
/// `best` and `lanes`, of which a vector has `whole` at most. See chooseVectorDim.
static void improveVectorDim(te::ComputeOp op, ArrayRef<Access> accesses, int64_t whole, bool share,
                             std::optional<unsigned> &choice, double &best, int64_t &lanes) {
  double arithmetic = getArithmetic(op);
  for (unsigned dim = 0; dim < op.getNumDims(); ++dim) {
    bool canShorten = op.hasReduction() && dim < op.getNumParallel() && getExtent(op, dim) >= whole;
    for (int64_t width : {whole, whole / 2, whole / 4}) {
      if (getExtent(op, dim) <= 1 || width < 2 || (width < whole && !canShorten))
        continue;
      double cost = getVectorCost(op, accesses, dim, width, arithmetic, share);
      if (cost < best) {
        best = cost;
        choice = dim;
        lanes = width;
      }
    }
  }
}

/// Returns the dim along which an element costs least, or nothing if scalar code is cheaper. Halves
/// or quarters `lanes` if shorter vectors along a parallel dim of a reduction are cheaper, such as
/// half vectors along a dim of 24 channels, which whole vectors of 16 lanes do not divide. If the
/// cheapest is a reduction dim, whose lanes are joined for each result, a parallel dim is preferred
/// where the rows of a tile share the loads that make it dear.
static std::optional<unsigned> chooseVectorDim(te::ComputeOp op, ArrayRef<Access> accesses,
                                               int64_t &lanes) {
  double best = getArithmetic(op) + accesses.size();
  int64_t whole = lanes;
  std::optional<unsigned> choice;
  improveVectorDim(op, accesses, whole, /*share=*/false, choice, best, lanes);
  if (choice && *choice >= op.getNumParallel())
    improveVectorDim(op, accesses, whole, /*share=*/true, choice, best, lanes);
  return choice;
}

/// Returns the cycles of one reduction step of a tile of `rows` x `vectors` accumulators. A
/// multiply-add has a latency of four cycles. Each row loads an operand of its own; the operand of a
/// vector takes `vectorLoads` loads.
static double getStepCost(int64_t rows, int64_t vectors, double vectorLoads,
                          const MachineModel &machine) {
  double multiplyAdds = static_cast<double>(rows * vectors) / machine.fmaPorts;
  double loads = (vectors * vectorLoads + rows) / machine.loadPorts;
  return std::max({multiplyAdds, loads, 4.0}) + 0.5;
}

/// Returns the number of loads for one vector along `dim` of the reads that the rows along `row`
/// share. More than one is needed if the lanes are not adjacent.
static double countVectorLoads(te::ComputeOp op, ArrayRef<Access> accesses, unsigned dim,
                               unsigned row, int64_t lanes) {
  double loads = 1;
  int64_t extent = getExtent(op, dim);
  for (const Access &access : accesses)
    if (isReadInSteps(op, access) && access.getStrideKind(row, 2) == StrideKind::Invariant &&
        access.getStrideKind(dim, 2) == StrideKind::Strided)
      loads = std::max(
          loads,
          getLaneCost(access, access.getOffsets(dim, std::min(lanes, extent), extent), lanes));
  return loads;
}

/// Returns the cost of `extent` iterations in tiles of `tile` iterations. The last tile may be
/// shorter.
static double getTiledCost(int64_t extent, int64_t tile, function_ref<double(int64_t)> cost) {
  double total = static_cast<double>(extent / tile) * cost(tile);
  return extent % tile ? total + cost(extent % tile) : total;
}

/// Returns each parallel dim, other than the vector dim, for which some read is invariant along the
/// dim but varies along the vector dim. All rows of a tile along such a dim share the loads of this
/// read.
static SmallVector<unsigned> findRowDims(te::ComputeOp op, ArrayRef<Access> accesses,
                                         unsigned vectorDim) {
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim < op.getNumParallel(); ++dim) {
    bool reuses = llvm::any_of(accesses, [&](const Access &access) {
      return isReadInSteps(op, access) &&
             access.getStrideKind(vectorDim, 2) != StrideKind::Invariant &&
             access.getStrideKind(dim, 2) == StrideKind::Invariant;
    });
    if (dim != vectorDim && getExtent(op, dim) > 1 && reuses)
      dims.push_back(dim);
  }
  return dims;
}

namespace {
/// The cost of cache conflicts between the rows of a tile. If the lines of distant rows share a set
/// of the first-level cache, they evict each other between two steps of the reduction.
class RowConflicts {
public:
  RowConflicts(te::ComputeOp op, ArrayRef<Access> accesses, unsigned row,
               const MachineModel &machine)
      : machine(machine) {
    for (const Access &access : accesses)
      if (isReadInSteps(op, access) && access.getStrideKind(row, 2) == StrideKind::Strided)
        strides.push_back(
            access.getStride(row) *
            llvm::divideCeil(access.getRead().getSourceType().getElementTypeBitWidth(), 8));
  }

  /// Returns the cycles that conflicts add to a step. An evicted line is charged half a cycle.
  double getCost(int64_t rows) const {
    double cost = 0;
    for (int64_t stride : strides) {
      DenseMap<int64_t, int64_t> lines; // the number of lines in each set
      for (int64_t row = 0; row < rows; ++row)
        ++lines[llvm::mod(row * stride, machine.getL1WayBytes()) / machine.lineBytes];
      for (auto [set, count] : lines)
        if (count >= machine.l1Ways)
          cost += 0.5 * count;
    }
    return cost;
  }

private:
  const MachineModel &machine;
  SmallVector<int64_t> strides; ///< bytes
};

/// A register tile and its cost per element.
struct RowTile {
  TileRows rows;
  int64_t vectors = 1;
  double cost = std::numeric_limits<double>::max();
};
} // namespace

/// Returns the number of iterations of `dim` after the `fused` dims before it are fused with it.
static int64_t getFusedExtent(te::ComputeOp op, unsigned dim, unsigned fused) {
  int64_t extent = 1;
  for (unsigned d = dim - fused; d <= dim; ++d)
    if (llvm::MulOverflow(extent, getExtent(op, d), extent))
      return std::numeric_limits<int64_t>::max();
  return extent;
}

/// Returns the best tile for `columns` vectors along the vector dim and rows along dim `row`. The
/// operand of each vector takes `vectorLoads` loads.
static RowTile chooseRowTile(te::ComputeOp op, ArrayRef<Access> accesses, unsigned row,
                             int64_t columns, double vectorLoads, const MachineModel &machine) {
  RowConflicts conflicts(op, accesses, row, machine);
  RowTile best;
  best.rows.dim = row;
  best.rows.fused = countFusable(op, accesses, row, 0);
  // Some registers are left for constants, for addresses of gathers, and for reads of the epilogue.
  int64_t available = machine.registers - (machine.registers > 16 ? 4 : 2);
  int64_t extent = getFusedExtent(op, row, best.rows.fused);
  for (int64_t vectors = 1; vectors <= std::min<int64_t>(columns, 4); ++vectors)
    for (int64_t rows = 1; rows <= std::min(extent, available / vectors - 1); ++rows) {
      double cost = getTiledCost(columns, vectors, [&](int64_t v) {
        return getTiledCost(extent, rows, [&](int64_t r) {
          return getStepCost(r, v, vectorLoads, machine) + conflicts.getCost(r);
        });
      });
      cost /= static_cast<double>(columns) * static_cast<double>(extent);
      if (cost < best.cost * 0.999) {
        best.cost = cost;
        best.vectors = vectors;
        best.rows.extent = rows;
      }
    }
  return best;
}

/// Chooses a tile of the parallel vector dim and of one of `rowDims`. If several of `rowDims` are
/// about equally good, takes the innermost of them, whose rows are closest in memory.
static void chooseContractionTile(te::ComputeOp op, ArrayRef<Access> accesses,
                                  ArrayRef<unsigned> rowDims, const MachineModel &machine,
                                  Point &choice) {
  int64_t columns = llvm::divideCeil(getExtent(op, *choice.vectorDim), choice.lanes);
  RowTile best;
  for (unsigned row : rowDims) {
    double loads = countVectorLoads(op, accesses, *choice.vectorDim, row, choice.lanes);
    RowTile tile = chooseRowTile(op, accesses, row, columns, loads, machine);
    if (tile.cost < best.cost * 1.05)
      best = tile;
  }
  choice.vectors = best.vectors;
  choice.rows.push_back(best.rows);
}

unsigned layout::countFusable(te::ComputeOp op, ArrayRef<Access> accesses, unsigned dim,
                              unsigned first) {
  unsigned count = 0;
  int64_t extent = getAssumedSize(op.getStaticSizes()[dim]);
  while (op.getPieces().size() == 1 && dim - count > first &&
         llvm::all_of(accesses, [&](const Access &access) {
           return access.canFuse(dim - count - 1, dim, extent);
         })) {
    ++count;
    if (llvm::MulOverflow(extent, getAssumedSize(op.getStaticSizes()[dim - count]), extent))
      break;
  }
  return count;
}

/// Returns the innermost of `dims` that is long enough for the rows of a tile, or the longest if
/// all are short. `dims` must not be empty.
static unsigned chooseLongRow(te::ComputeOp op, ArrayRef<unsigned> dims) {
  unsigned choice = dims.front();
  for (unsigned dim : dims)
    if (getExtent(op, dim) >= std::min<int64_t>(getExtent(op, choice), 8))
      choice = dim;
  return choice;
}

/// Chooses the vector, its lanes and the rows. See chooseTile.
static Point chooseVectorsAndRows(te::ComputeOp op, ArrayRef<Access> accesses,
                                  const MachineModel &machine) {
  Point choice;
  choice.lanes = getLanes(op, machine);
  choice.vectorDim = chooseVectorDim(op, accesses, choice.lanes);
  if (!choice.vectorDim)
    return Point();
  unsigned vectorDim = *choice.vectorDim;
  int64_t columns = llvm::divideCeil(getExtent(op, vectorDim), choice.lanes);
  choice.vectors = std::min<int64_t>(columns, op.getNumResults() > 1 ? 2 : 4);
  if (!op.hasReduction()) {
    if (getArithmetic(op) > 30)
      choice.vectors = std::min<int64_t>(choice.vectors, 2);
    return choice;
  }
  SmallVector<unsigned> rowDims = findRowDims(op, accesses, vectorDim);
  if (rowDims.empty() || op.getNumResults() > 1)
    return choice;
  if (vectorDim < op.getNumParallel()) {
    chooseContractionTile(op, accesses, rowDims, machine, choice);
    return choice;
  }
  // If the vector dim is a reduction dim, the tile has rows along up to two dims, each row with one
  // vector.
  choice.vectors = 1;
  while (!rowDims.empty() && choice.rows.size() < 2) {
    unsigned row = chooseLongRow(op, rowDims);
    choice.rows.push_back({row, std::min<int64_t>(getExtent(op, row), 4), 0});
    llvm::erase(rowDims, row);
  }
  return choice;
}

/// Returns the reduction dims in descending order of the strides of their reads. What is stored in
/// the order of the loops does not count.
static SmallVector<unsigned> getReductionOrder(te::ComputeOp op, ArrayRef<Access> accesses) {
  SmallVector<unsigned> order;
  DenseMap<unsigned, int64_t> strides;
  for (unsigned dim = op.getNumParallel(); dim < op.getNumDims(); ++dim) {
    order.push_back(dim);
    for (const Access &access : accesses)
      if (!access.isWrite() && !access.isPackable())
        strides[dim] += std::abs(access.getStride(dim));
  }
  llvm::stable_sort(order, [&](unsigned a, unsigned b) { return strides[a] > strides[b]; });
  return order;
}

/// Looks for a read that varies along the vector dim and is invariant along an earlier dim. Returns
/// the first such dim. A block of what the read loads should stay in the cache while the loop of
/// this dim runs.
static std::optional<unsigned> findFirstReuse(te::ComputeOp op, ArrayRef<Access> accesses,
                                              std::optional<unsigned> vectorDim) {
  if (!vectorDim || *vectorDim >= op.getNumParallel() || !op.hasReduction())
    return std::nullopt;
  for (unsigned dim = 0; dim < *vectorDim; ++dim)
    for (const Access &access : accesses)
      if (isReadInSteps(op, access) && op.getStaticSizes()[dim] != 1 &&
          access.getStrideKind(*vectorDim, 2) != StrideKind::Invariant &&
          access.getStrideKind(dim, 2) == StrideKind::Invariant)
        return dim;
  return std::nullopt;
}

/// Fuses dims before the vector dim with it, as many as all accesses allow.
static void fuseVectorDim(te::ComputeOp op, ArrayRef<Access> accesses, unsigned rowDims,
                          Point &point) {
  unsigned dim = *point.vectorDim;
  point.fused = countFusable(op, accesses, dim, rowDims);
  int64_t extent = 1;
  for (unsigned fused = dim - point.fused; fused <= dim; ++fused)
    extent *= getAssumedSize(op.getStaticSizes()[fused]);
  if (extent >= point.lanes * 4)
    point.vectors = std::max<int64_t>(point.vectors, 2);
}

SmallVector<unsigned> layout::getOuterOrder(te::ComputeOp op, ArrayRef<Access> accesses,
                                            std::optional<unsigned> vectorDim) {
  std::optional<unsigned> firstReuse = findFirstReuse(op, accesses, vectorDim);
  SmallVector<unsigned> order;
  for (unsigned dim = 0; dim < op.getNumParallel(); ++dim) {
    if (firstReuse && dim == *firstReuse)
      order.push_back(*vectorDim);
    if (!firstReuse || dim != *vectorDim)
      order.push_back(dim);
  }
  return order;
}

Point layout::chooseTile(te::ComputeOp op, ArrayRef<Access> accesses, const MachineModel &machine,
                         unsigned rowDims) {
  Point point = chooseVectorsAndRows(op, accesses, machine);
  llvm::erase_if(point.rows, [&](const TileRows &rows) { return rows.dim < rowDims; });
  for (TileRows &rows : point.rows)
    rows.fused = std::min(rows.fused, rows.dim - rowDims);
  if (point.vectorDim && *point.vectorDim < rowDims)
    point = Point();
  if (point.vectorDim && !op.hasReduction())
    fuseVectorDim(op, accesses, rowDims, point);
  point.outer = getOuterOrder(op, accesses, point.vectorDim);
  point.reductions = getReductionOrder(op, accesses);
  return point;
}

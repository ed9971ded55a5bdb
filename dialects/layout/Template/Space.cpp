//===- Space.cpp - the points of the template -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The space of an expression is the product of these knobs:
// - the vector dim: the parallel dims along which loads are cheapest, with whole vectors or, where
//   those would not be full or lie in several groups, shorter ones;
// - the rows: one dim of channels, one dim of the data, or one of each;
// - the number of vectors and of rows: those that divide a dim into equal tiles, as far as it goes;
// - what is unrolled: nothing, or the innermost one, two or three window dims;
// - the order of the reductions: windows outside or inside of input channels;
// - the order of the outer loops: as the dims are, or so that a block of weights is used again.
// The whole product is too large to score, so the knobs are varied one after the other: first the
// tile, with the innermost window dim unrolled; then, for the best tiles, what is unrolled; then,
// for the best of all these, the orders.
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/Space.h"
#include "dialects/layout/Analysis/CodeRules.h"
#include "dialects/layout/Template/DotProduct.h"
#include "dialects/layout/Template/Draft.h"
#include "dialects/layout/Template/ElementSpace.h"
#include "dialects/layout/Template/LoopOrder.h"
#include "dialects/layout/Template/Obstacles.h"
#include "dialects/te/IR/Contraction.h"
#include "dialects/te/IR/ElementBytes.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// The most points that the draft scores for an expression, and the most of them with different
/// tiles or with different taps unrolled.
static constexpr size_t maxPoints = 300, maxTiles = 200;

int64_t layout::getLanes(te::ComputeOp op, const MachineModel &machine) {
  unsigned width = 32;
  op.walk([&](Operation *inner) {
    for (Type type : inner->getResultTypes())
      if (isa<FloatType>(type))
        width = std::max(width, type.getIntOrFloatBitWidth());
  });
  return width > 32 ? machine.lanes / 2 : machine.lanes;
}

unsigned layout::getFirstFusable(const Point &point, unsigned dim, unsigned rowDims) {
  unsigned first = *point.vectorDim < dim ? *point.vectorDim + 1 : rowDims;
  for (const TileRows &rows : point.rows)
    first = std::max(first, rows.dim + 1);
  return first;
}

//===----------------------------------------------------------------------===//
// Enumeration
//===----------------------------------------------------------------------===//

/// Sorts `points` by time. Those of equal time keep their order.
static void sortPoints(std::vector<RankedPoint> &points) {
  llvm::stable_sort(points,
                    [](const RankedPoint &a, const RankedPoint &b) { return a.cycles < b.cycles; });
}

/// Returns the point without vectors.
static Point getScalarPoint(te::ComputeOp op, ArrayRef<Access> accesses) {
  Point point;
  point.outer = llvm::to_vector(llvm::seq<unsigned>(0, op.getNumParallel()));
  point.reductions = getReductionOrder(op, accesses);
  return point;
}

namespace {
class SpaceBuilder {
public:
  SpaceBuilder(te::ComputeOp op, ArrayRef<Access> accesses, const Roles &roles,
               const MachineModel &machine, unsigned rowDims, bool tilesRows, Draft &draft)
      : op(op), accesses(accesses), roles(roles), machine(machine), rowDims(rowDims),
        tilesRows(tilesRows), draft(draft) {}

  std::vector<RankedPoint> build() {
    dot = findDotProduct(op, accesses, roles, machine);
    findUnrolls();
    if (dot && dot->atom->isMatrix()) // products take long enough without
      unrolls.resize(std::min<size_t>(unrolls.size(), 2));
    findReductionOrders();
    bool fitsWeights = countWeightBytes() <= machine.l1Bytes / 2;
    for (auto [dim, lanes] : findVectors()) {
      Point point;
      point.vectorDim = dim;
      point.lanes = lanes;
      point.fused = countFused(dim);
      point.outer = getOrder(dim, fitsWeights);
      if (canDot(point))
        point.dot = DotSteps{dot->dim, dot->atom->steps, dot->atom->unit};
      addRows(point);
    }
    scoreTiles();
    addDotSteps();
    for (const Point &point : takeBest())
      for (const SmallVector<Unroll> &unrolled : unrolls)
        add(point, unrolled, point.reductions);
    for (const Point &point : takeBest())
      for (const SmallVector<unsigned> &order : ArrayRef(orders).drop_front())
        add(point, point.unrolled, order);
    for (Point &point : takeBest()) {
      point.outer = getOrder(*point.vectorDim, !fitsWeights);
      if (!llvm::is_sorted(getOrder(*point.vectorDim, /*fitsWeights=*/false)))
        add(point, point.unrolled, point.reductions);
    }
    sort();
    return std::move(points);
  }

private:
  int64_t extentOf(unsigned dim) { return getExtent(op, roles, dim); }
  bool isChannel(unsigned dim) const {
    return roles[dim] == Role::Out || roles[dim] == Role::Group;
  }

  /// Returns whether dot products may add the products of the vectors of `point`: they run along
  /// the weights, and the data is the same in all lanes.
  bool canDot(const Point &point) {
    auto isStrided = [&](const Access &access) {
      return llvm::is_contained(roles.weights, access.getRead()) &&
             access.getStrideKind(*point.vectorDim, point.lanes) != StrideKind::Contiguous;
    };
    if (dot && dot->interleaves && llvm::any_of(accesses, isStrided))
      return false;
    auto variesIn = [&](te::ReadOp read) { return te::dependsOn(read, *point.vectorDim); };
    return dot && point.fused == 0 && *point.vectorDim < op.getNumParallel() &&
           point.lanes == dot->atom->columns && llvm::none_of(roles.data, variesIn) &&
           llvm::all_of(roles.weights, variesIn);
  }

  /// Scores the best tiles with more dot products in a step.
  void addDotSteps() {
    constexpr int64_t more[] = {2, 4};
    if (!dot || dot->atom->isMatrix())
      return;
    for (Point &point : takeBest())
      for (int64_t count : more)
        if (point.dot && op.getStaticSizes()[dot->dim] % (count * dot->atom->steps) == 0) {
          point.dot->extent = count * dot->atom->steps;
          add(point, point.unrolled, point.reductions);
        }
  }

  /// Returns the vector dims with lanes. Of the parallel dims, those that take more than thrice the
  /// loads for an element of the cheapest are left out, and of the reduction dims likewise.
  SmallVector<std::pair<unsigned, int64_t>> findVectors() {
    constexpr double tooDear = 3;
    constexpr size_t mostParallel = 4, mostReductions = 1;
    SmallVector<std::pair<unsigned, int64_t>> vectors;
    auto addBest = [&](unsigned from, unsigned end, size_t most) {
      SmallVector<std::pair<double, std::pair<unsigned, int64_t>>> found;
      for (unsigned dim = from; dim < end; ++dim)
        addLanes(dim, found);
      llvm::stable_sort(found, [](auto &a, auto &b) { return a.first < b.first; });
      for (auto &[loads, vector] : ArrayRef(found).take_front(most))
        if (loads <= found.front().first * tooDear)
          vectors.push_back(vector);
    };
    addBest(rowDims, op.getNumParallel(), mostParallel);
    addBest(op.getNumParallel(), op.getNumDims(), mostReductions);
    return vectors;
  }

  /// Adds the numbers of lanes along `dim` with the loads for each element. Fewer lanes than the
  /// machine has are for vectors that would not be full or lie in several groups.
  void addLanes(unsigned dim,
                SmallVectorImpl<std::pair<double, std::pair<unsigned, int64_t>>> &found) {
    bool isParallel = dim < op.getNumParallel();
    int64_t extent = draft.getFusedExtent(dim, countFused(dim)), whole = getLanes(op, machine);
    // A short window is better unrolled. The parts of a long reduction are windows, too.
    if (!isParallel && roles[dim] != Role::In && extent < whole)
      return;
    for (int64_t lanes = whole; lanes >= leastLanes; lanes /= 2) {
      double used =
          static_cast<double>(extent) / static_cast<double>(llvm::divideCeil(extent, lanes));
      bool shorter = isParallel && (used < lanes || !fitsGroups(roles, dim, 2 * lanes));
      if (extent > 1 && (lanes == whole || shorter))
        found.push_back({draft.getLaneLoads(dim, lanes) / used, {dim, lanes}});
    }
  }

  /// Returns the number of dims that are fused with `dim` if it is the vector dim.
  unsigned countFused(unsigned dim) {
    return dim < op.getNumParallel() ? countFusable(op, accesses, dim, rowDims) : 0;
  }

  /// Finds the window dims that may be unrolled together: the innermost one, two, and so on.
  void findUnrolls() {
    unrolls.emplace_back();
    SmallVector<Unroll> unrolled;
    for (unsigned dim = op.getNumDims(); dim-- > op.getNumParallel();) {
      int64_t size = op.getStaticSizes()[dim];
      if (roles[dim] != Role::Window || size == 1)
        continue;
      if (ShapedType::isDynamic(size) || unrolled.size() == mostTaps)
        break;
      unrolled.insert(unrolled.begin(), {dim, 0});
      unrolls.push_back(unrolled);
    }
  }

  void findReductionOrders() {
    SmallVector<unsigned> in, window = roles.getDims(Role::Window);
    for (unsigned dim : getReductionOrder(op, accesses))
      if (roles[dim] == Role::In)
        in.push_back(dim);
    orders.emplace_back(window);
    orders.back().append(in);
    if (window.empty() || in.empty())
      return;
    orders.emplace_back(in);
    orders.back().append(window);
  }

  /// Returns the extents of at most `most` iterations that divide `count` iterations into equal
  /// tiles. If these are all short, or there are many tiles, also returns those for which the last
  /// tile is shorter, which takes code of its own.
  static SmallVector<int64_t> findExtents(int64_t count, int64_t most) {
    SmallVector<int64_t> exact, all;
    for (int64_t extent = std::min(count, most); extent >= 1; --extent) {
      if (count % extent == 0)
        exact.push_back(extent);
      if (llvm::divideCeil(count, llvm::divideCeil(count, extent)) == static_cast<uint64_t>(extent))
        all.push_back(extent);
    }
    bool isShort = exact.empty() || 2 * exact.front() < std::min(count, most);
    return isShort || count > 8 * most ? all : exact;
  }

  SmallVector<int64_t> findRowExtents(const TileRows &rows, int64_t most) {
    return findExtents(draft.getFusedExtent(rows.dim, rows.fused), most);
  }

  bool isTuple() { return op.getInitAttr().size() > 1 || countSums(op, roles) > 1; }

  bool isJoined(const Point &point) { return *point.vectorDim >= op.getNumParallel(); }

  /// Adds the points with the vector of `point`. Several sums have no rows.
  void addRows(const Point &point) {
    if (isTuple())
      return addTiles(point, std::nullopt, std::nullopt);
    unsigned first = *point.vectorDim - point.fused;
    auto isFree = [&](unsigned dim) {
      return (dim < first || dim > *point.vectorDim) && extentOf(dim) > 1 &&
             !(point.usesMatrices() && te::dependsOn(roles.weights.front(), dim));
    };
    SmallVector<std::optional<unsigned>> channels = {std::nullopt}, images = {std::nullopt};
    for (unsigned dim = tilesRows ? 0 : rowDims; dim < op.getNumParallel(); ++dim)
      if (isFree(dim) && roles[dim] != Role::Batch && rowsShare(dim, *point.vectorDim))
        (isChannel(dim) ? channels : images).push_back(dim);
    for (std::optional<unsigned> channel : channels)
      for (std::optional<unsigned> image : images)
        addTiles(point, channel, image);
  }

  /// Returns whether rows along `dim` share loads. Those of a plain reduction do so only if a read
  /// stays the same along it.
  bool rowsShare(unsigned dim, unsigned vectorDim) {
    return roles.kind != Kind::Reduction || llvm::any_of(accesses, [&](const Access &access) {
             return !access.isWrite() && access.getStrideKind(dim, 2) == StrideKind::Invariant &&
                    access.getStrideKind(vectorDim, 2) != StrideKind::Invariant;
           });
  }

  void addTiles(Point point, std::optional<unsigned> channel, std::optional<unsigned> image) {
    int64_t mostVectors = isTuple() ? 2 : channel || image || isJoined(point) ? 4 : 8;
    SmallVector<unsigned> dims;
    for (std::optional<unsigned> dim : {channel, image})
      if (dim)
        dims.push_back(*dim);
    llvm::sort(dims);
    tiles.emplace_back();
    for (unsigned dim : dims) {
      unsigned first = getFirstFusable(point, dim, rowDims);
      point.rows.push_back({dim, 1, countFusable(op, accesses, dim, first)});
    }
    // Lanes along a reduction dim have several vectors only where no rows make for several sums.
    int64_t columns =
        isJoined(point) && !dims.empty()
            ? 1
            : llvm::divideCeil(draft.getFusedExtent(*point.vectorDim, point.fused), point.lanes);
    for (int64_t vectors : findExtents(columns, mostVectors)) {
      point.vectors = vectors;
      addExtents(point, 0, countMostRows(point));
    }
  }

  /// Returns the most rows of a tile with these vectors.
  int64_t countMostRows(const Point &point) {
    if (!point.usesMatrices())
      return countFreeRegisters(point, machine) / point.vectors;
    int64_t parts = 1;
    while (fitsMatrices(parts + 1, point.vectors))
      ++parts;
    return parts * dot->atom->rows;
  }

  /// Chooses the extents of the rows from `next` on, whose product is at most `most`. A tile with
  /// one row along a dim is the point without this dim.
  void addExtents(Point &point, size_t next, int64_t most) {
    if (next == point.rows.size())
      return tiles.back().push_back(point);
    for (int64_t extent : findRowExtents(point.rows[next], most)) {
      if (extent == 1 || !fitsGroups(roles, point.rows[next].dim, extent))
        continue;
      point.rows[next].extent = extent;
      addExtents(point, next + 1, most / extent);
    }
    point.rows[next].extent = 1;
  }

  /// Drops the tiles with too few sums, unless there are no others.
  void dropSmallTiles() {
    int64_t most = 1;
    for (ArrayRef<Point> group : tiles)
      for (const Point &point : group)
        most = std::max(most, point.countAccumulators());
    int64_t least = std::min(most, countLeastAccumulators());
    for (std::vector<Point> &group : tiles)
      llvm::erase_if(group, [&](const Point &point) { return point.countAccumulators() < least; });
    llvm::erase_if(tiles, [](auto &group) { return group.empty(); });
  }

  /// Scores the tiles with the innermost window dim unrolled and with all of them. Of more tiles
  /// than can be scored, each choice of dims has its share, in which the sizes are spread evenly.
  void scoreTiles() {
    dropSmallTiles();
    llvm::stable_sort(tiles, [](auto &a, auto &b) { return a.size() < b.size(); });
    size_t variants = unrolls.size() > 2 ? 2 : 1, left = maxTiles / variants;
    for (auto [i, group] : llvm::enumerate(tiles)) {
      size_t count = std::min(group.size(), left / (tiles.size() - i));
      for (size_t tile = 0; tile < count; ++tile)
        scoreTile(group[tile * group.size() / count]);
      left -= count;
    }
  }

  void scoreTile(const Point &point) {
    if (unrolls.size() == 1 || !add(point, unrolls[1], orders.front()))
      add(point, unrolls.front(), orders.front());
    if (unrolls.size() > 2)
      add(point, unrolls.back(), orders.front());
  }

  /// Returns the order of the outer loops. Weights that stay in the first-level cache are reused in
  /// any order, and the data is best read from front to back. Otherwise a block of weights should
  /// stay there while the loops over the data run.
  SmallVector<unsigned> getOrder(unsigned vectorDim, bool fitsWeights) {
    if (!fitsWeights)
      return getOuterOrder(op, accesses, vectorDim);
    return llvm::to_vector(llvm::seq<unsigned>(0, op.getNumParallel()));
  }

  int64_t countWeightBytes() {
    int64_t bytes = 0;
    for (te::ReadOp read : roles.weights) {
      int64_t size = te::getElementBytes(read.getSourceType().getElementType());
      for (unsigned dim = 0; dim < op.getNumDims(); ++dim)
        if (te::dependsOn(read, dim))
          size = llvm::SaturatingMultiply<uint64_t>(size, extentOf(dim));
      bytes = llvm::SaturatingAdd<uint64_t>(bytes, size);
    }
    return bytes;
  }

  /// Scores a point unless it is already known. Returns whether it can be written.
  bool add(Point point, ArrayRef<Unroll> unrolled, ArrayRef<unsigned> order) {
    point.unrolled.assign(unrolled.begin(), unrolled.end());
    point.reductions.assign(order.begin(), order.end());
    if (points.size() >= maxPoints || !findObstacle(op, roles, point, machine).empty())
      return false;
    std::string text;
    llvm::raw_string_ostream(text) << point;
    if (known.insert(text).second)
      points.push_back({point, draft.getCycles(point)});
    return true;
  }

  void sort() { sortPoints(points); }

  /// Returns the best points so far.
  SmallVector<Point, 0> takeBest() {
    constexpr size_t most = 24;
    sort();
    SmallVector<Point, 0> best;
    for (const RankedPoint &entry : ArrayRef(points).take_front(most))
      best.push_back(entry.point);
    return best;
  }

  /// With fewer sums, a core waits for each multiply-add. Small expressions have no more.
  int64_t countLeastAccumulators() {
    int64_t results = 1;
    for (unsigned dim = 0; dim < op.getNumParallel(); ++dim)
      results = llvm::SaturatingMultiply<uint64_t>(results, extentOf(dim));
    return std::min<int64_t>(4, llvm::divideCeil(results, machine.lanes));
  }

  te::ComputeOp op;
  ArrayRef<Access> accesses;
  const Roles &roles;
  const MachineModel &machine;
  unsigned rowDims;
  bool tilesRows;
  Draft &draft;
  std::optional<DotProduct> dot;
  SmallVector<SmallVector<Unroll>> unrolls;
  SmallVector<SmallVector<unsigned>> orders;
  std::vector<std::vector<Point>> tiles; ///< by vector and dims with rows
  std::vector<RankedPoint> points;
  llvm::StringSet<> known; ///< texts of the points
};
} // namespace

std::vector<RankedPoint> layout::rankPoints(te::ComputeOp op, ArrayRef<Access> accesses,
                                            const MachineModel &machine, unsigned rowDims,
                                            bool tilesRows) {
  Roles roles = getRoles(op);
  Draft draft(op, accesses, roles, machine);
  Point scalar = getScalarPoint(op, accesses);
  std::vector<RankedPoint> points;
  if (op.hasReduction()) {
    points = SpaceBuilder(op, accesses, roles, machine, rowDims, tilesRows, draft).build();
    points.push_back({scalar, draft.getCycles(scalar)});
  } else {
    for (Point &point : getElementPoints(op, accesses, roles, machine, rowDims, scalar, draft))
      points.push_back({point, draft.getCycles(point)});
  }
  sortPoints(points);
  return points;
}

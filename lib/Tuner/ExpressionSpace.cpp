//===- ExpressionSpace.cpp - the knobs of one expression ------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpressionSpace.h"
#include "dialects/layout/Template/LoopOrder.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ::tssa;
using namespace ::tssa::tuner;
namespace layout = mlir::tssa::layout;
using layout::Point;
using layout::RankedPoint;
using layout::Role;

namespace {
/// The positions of the knobs of an expression.
enum KnobNumber : unsigned {
  Vector,
  Lanes,
  Vectors,
  Rows,
  RowsExtent,
  Rows2,
  Rows2Extent,
  Fuse,
  Taps,
  Inner,
  Reduce,
  Outer,
  NumKnobs
};
} // namespace

/// The value of a knob that names no dim.
static constexpr int64_t none = -1;
/// Of the ranked points, as many decide which values and orders the knobs have beside the usual.
static constexpr size_t manyRanked = 64;

ExpressionSpace::ExpressionSpace(const TaskKernel::Expression &expression,
                                 const layout::MachineModel &machine)
    : expression(expression), op(expression.op), machine(machine),
      draft(expression.op, expression.accesses, expression.roles, machine) {
  std::vector<RankedPoint> ranked =
      layout::rankPoints(op, expression.accesses, machine, expression.rowDims);
  constexpr size_t mostTaps = 3;
  for (unsigned dim = op.getNumDims(); dim-- > op.getNumParallel();) {
    if (getExtent(dim) == 1 || ShapedType::isDynamic(op.getStaticSizes()[dim]))
      continue;
    if (expression.roles[dim] == Role::Window) {
      if (taps.size() < mostTaps)
        taps.push_back(dim);
    } else if (!unrolledInner) {
      unrolledInner = dim;
    }
  }
  ArrayRef<RankedPoint> first = ArrayRef(ranked).take_front(manyRanked);
  outerOrders = listOrders(0, op.getNumParallel(), first);
  reductionOrders = listOrders(op.getNumParallel(), op.getNumDims(), first);
  addKnobs(first);
  for (const RankedPoint &entry : ranked)
    if (auto values = encode(entry.point))
      picks.push_back(std::move(*values));
}

int64_t ExpressionSpace::getExtent(unsigned dim) const {
  return layout::getExtent(op, expression.roles, dim);
}

//===----------------------------------------------------------------------===//
// Knobs
//===----------------------------------------------------------------------===//

/// Adds `value` to an ascending list unless it is there.
static void insert(std::vector<int64_t> &values, int64_t value) {
  auto position = llvm::lower_bound(values, value);
  if (position == values.end() || *position != value)
    values.insert(position, value);
}

void ExpressionSpace::addKnobs(ArrayRef<RankedPoint> ranked) {
  constexpr int64_t leastLanes = 4;
  std::vector<int64_t> vectorDims = {none}, rowDims = {none}, lanes, vectors = {1, 2, 3, 4, 6, 8},
                       extents = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 16, 20, 24, 28},
                       numTaps, inner = {1}, reduce, outer;
  for (unsigned dim = expression.rowDims; dim < op.getNumDims(); ++dim) {
    bool isParallel = dim < op.getNumParallel();
    if (getExtent(dim) == 1 || (!isParallel && expression.roles[dim] == Role::Window))
      continue;
    vectorDims.push_back(dim);
    if (isParallel)
      rowDims.push_back(dim);
  }
  for (int64_t count = layout::getLanes(op, machine); count >= leastLanes; count /= 2)
    lanes.push_back(count);
  for (const RankedPoint &entry : ranked) {
    if (entry.point.vectorDim && !llvm::is_contained(lanes, entry.point.lanes))
      lanes.push_back(entry.point.lanes);
    insert(vectors, entry.point.vectors);
    for (const layout::TileRows &rows : entry.point.rows)
      insert(extents, rows.extent);
  }
  for (size_t count = 0; count <= taps.size(); ++count)
    numTaps.push_back(count);
  if (unrolledInner)
    for (int64_t extent : {2, 4, 8})
      if (extent < getExtent(*unrolledInner))
        inner.push_back(extent);
  for (size_t i = 0; i < reductionOrders.size(); ++i)
    reduce.push_back(i);
  for (size_t i = 0; i < outerOrders.size(); ++i)
    outer.push_back(i);
  llvm::sort(lanes, std::greater<>());
  if (lanes.empty()) // of a machine without vectors
    lanes = {1};
  knobs = {{"vector", vectorDims},  {"lanes", lanes},          {"vectors", vectors},
           {"rows", rowDims},       {"rows_extent", extents},  {"rows2", rowDims},
           {"rows2_extent", extents}, {"fuse", {1, 0}},        {"taps", numTaps},
           {"unroll", inner},       {"reduce", reduce},        {"outer", outer}};
}

ExpressionSpace::Order ExpressionSpace::dropTrivial(ArrayRef<unsigned> order) const {
  return llvm::to_vector(
      llvm::make_filter_range(order, [&](unsigned dim) { return getExtent(dim) > 1; }));
}

/// Lists the orders of the dims from `first` to before `last`: those of the ranked points, and all
/// of four dims or fewer; of more, those that move one dim to either end. Dims of size 1 do not
/// count.
std::vector<ExpressionSpace::Order>
ExpressionSpace::listOrders(unsigned first, unsigned last, ArrayRef<RankedPoint> ranked) const {
  constexpr size_t fewDims = 4;
  std::vector<Order> orders, known;
  auto add = [&](const Order &order) {
    Order own = dropTrivial(order);
    if (llvm::is_contained(known, own))
      return;
    known.push_back(own);
    orders.push_back(order);
  };
  for (const RankedPoint &entry : ranked)
    add(first == 0 ? entry.point.outer : entry.point.reductions);
  Order natural = llvm::to_vector(llvm::seq(first, last));
  add(natural);
  Order dims = dropTrivial(natural), trivial = natural;
  llvm::erase_if(trivial, [&](unsigned dim) { return llvm::is_contained(dims, dim); });
  auto addMoved = [&](ArrayRef<unsigned> moved) {
    Order order = trivial;
    order.append(moved.begin(), moved.end());
    add(order);
  };
  if (dims.size() <= fewDims) {
    Order permuted = dims;
    while (std::next_permutation(permuted.begin(), permuted.end()))
      addMoved(permuted);
    return orders;
  }
  for (unsigned dim : dims) {
    Order rest = dims;
    llvm::erase(rest, dim);
    Order front = {dim}, back = rest;
    front.append(rest);
    back.push_back(dim);
    addMoved(front);
    addMoved(back);
  }
  return orders;
}

//===----------------------------------------------------------------------===//
// Values to points
//===----------------------------------------------------------------------===//

bool ExpressionSpace::setVector(ArrayRef<int64_t> values, Point &point) const {
  if (values[Vector] == none)
    return true;
  point.vectorDim = values[Vector];
  point.lanes = values[Lanes];
  point.vectors = values[Vectors];
  if (values[Fuse] && *point.vectorDim < op.getNumParallel())
    point.fused =
        layout::countFusable(op, expression.accesses, *point.vectorDim, expression.rowDims);
  // No more vectors than there are, up to a last one that is not full.
  return (point.vectors - 1) * point.lanes < draft.getFusedExtent(*point.vectorDim, point.fused);
}

bool ExpressionSpace::setRows(ArrayRef<int64_t> values, Point &point) const {
  if (!point.vectorDim)
    return true;
  std::pair<int64_t, int64_t> rows[] = {{values[Rows], values[RowsExtent]},
                                        {values[Rows2], values[Rows2Extent]}};
  llvm::sort(rows);
  for (auto [dim, extent] : rows) {
    if (dim == none || extent == 1)
      continue;
    unsigned earliest = *point.vectorDim < dim ? *point.vectorDim + 1 : expression.rowDims;
    for (const layout::TileRows &others : point.rows)
      earliest = std::max(earliest, others.dim + 1);
    if (dim < earliest)
      return false;
    layout::TileRows own{static_cast<unsigned>(dim), extent, 0};
    if (values[Fuse] && op.hasReduction())
      own.fused = layout::countFusable(op, expression.accesses, dim, earliest);
    if (extent > draft.getFusedExtent(own.dim, own.fused))
      return false;
    point.rows.push_back(own);
  }
  return true;
}

void ExpressionSpace::setUnrolled(ArrayRef<int64_t> values, Point &point) const {
  if (!point.vectorDim)
    return;
  if (values[Inner] > 1 && point.vectorDim != unrolledInner)
    point.unrolled.push_back({*unrolledInner, values[Inner]});
  for (unsigned dim : llvm::reverse(ArrayRef(taps).take_front(values[Taps])))
    point.unrolled.push_back({dim, 0});
}

bool ExpressionSpace::setOrders(ArrayRef<int64_t> values, Point &point) const {
  point.reductions = reductionOrders[values[Reduce]];
  point.outer = outerOrders[values[Outer]];
  // Threads run over rows, whose loops are the outermost ones.
  return llvm::equal(ArrayRef(point.outer).take_front(expression.rowDims),
                     llvm::seq<unsigned>(0, expression.rowDims));
}

std::optional<Point> ExpressionSpace::decode(ArrayRef<int64_t> values) const {
  Point point;
  if (!setVector(values, point) || !setRows(values, point) || !setOrders(values, point))
    return std::nullopt;
  setUnrolled(values, point);
  if (!layout::findObstacle(op, expression.roles, point, machine).empty())
    return std::nullopt;
  return point;
}

//===----------------------------------------------------------------------===//
// Points to values
//===----------------------------------------------------------------------===//

bool ExpressionSpace::hasLoop(unsigned dim, const Point &point) const {
  // Dims that are fused with `last` have no loop of their own, nor has one that a tile covers.
  auto isCovered = [&](unsigned last, unsigned fused, int64_t tile) {
    return (dim < last && dim + fused >= last) ||
           (dim == last && tile >= draft.getFusedExtent(last, fused));
  };
  if (point.vectorDim && isCovered(*point.vectorDim, point.fused, point.vectors * point.lanes))
    return false;
  for (const layout::TileRows &rows : point.rows)
    if (isCovered(rows.dim, rows.fused, rows.extent))
      return false;
  const layout::Unroll *unroll = point.findUnroll(dim);
  return getExtent(dim) > 1 && !(unroll && unroll->extent == 0);
}

ExpressionSpace::Order ExpressionSpace::dropUnused(ArrayRef<unsigned> order,
                                                   const Point &point) const {
  return llvm::to_vector(
      llvm::make_filter_range(order, [&](unsigned dim) { return hasLoop(dim, point); }));
}

std::string ExpressionSpace::printLoops(const Point &point) const {
  Point shown = point;
  shown.outer = dropUnused(point.outer, point);
  shown.reductions = dropUnused(point.reductions, point);
  std::string text;
  llvm::raw_string_ostream(text) << shown;
  return text;
}

int64_t ExpressionSpace::findOrder(ArrayRef<Order> orders, ArrayRef<unsigned> order,
                                   const Point &point) const {
  Order own = dropUnused(order, point);
  auto found =
      llvm::find_if(orders, [&](const Order &other) { return dropUnused(other, point) == own; });
  return found == orders.end() ? none : found - orders.begin();
}

std::optional<std::vector<int64_t>> ExpressionSpace::encode(const Point &point) const {
  std::vector<int64_t> values;
  for (const search::Knob &knob : knobs)
    values.push_back(knob.values.front());
  if (point.vectorDim) {
    values[Vector] = *point.vectorDim;
    values[Lanes] = point.lanes;
    values[Vectors] = point.vectors;
  }
  unsigned next = Rows;
  for (const layout::TileRows &rows : point.rows) {
    if (rows.extent == 1)
      continue;
    if (next > Rows2)
      return std::nullopt;
    values[next] = rows.dim;
    values[next + 1] = rows.extent;
    next += 2;
  }
  for (const layout::Unroll &unroll : point.unrolled) {
    if (unroll.extent == 0)
      ++values[Taps];
    else
      values[Inner] = unroll.extent;
  }
  values[Reduce] = findOrder(reductionOrders, point.reductions, point);
  values[Outer] = findOrder(outerOrders, point.outer, point);
  for (int64_t fuse : {1, 0}) {
    values[Fuse] = fuse;
    for (auto [knob, value] : llvm::zip_equal(knobs, values))
      if (!llvm::is_contained(knob.values, value))
        return std::nullopt;
    std::optional<Point> decoded = decode(values);
    if (decoded && printLoops(*decoded) == printLoops(point))
      return values;
  }
  return std::nullopt;
}

//===- KnobSpace.cpp - the loops of an expression as integers -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/KnobSpace.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// Of the ranked points, as many decide which values and orders the knobs have beside the usual.
static constexpr size_t manyRanked = 64;

KnobSpace::KnobSpace(te::ComputeOp op, ArrayRef<Access> accesses, const Roles &roles,
                     const MachineModel &machine, RowLoops rows)
    : op(op), accesses(accesses), roles(roles), machine(machine), rows(rows),
      draft(op, accesses, roles, machine) {
  std::vector<RankedPoint> ranked =
      rankPoints(op, accesses, machine, rows.count, rows.tiled.has_value());
  ArrayRef<RankedPoint> best = ArrayRef(ranked).take_front(manyRanked);
  findUnrolled();
  dot = findDotProduct(op, accesses, roles, machine);
  outerOrders = listOrders(0, op.getNumParallel(), best);
  reductionOrders = listOrders(op.getNumParallel(), op.getNumDims(), best);
  for (const Knob &knob : layout::getKnobs())
    if (!knob.isIn || knob.isIn(*this)) {
      knobs.push_back(&knob);
      values.push_back(knob.list(*this, best));
    }
  for (const RankedPoint &entry : ranked)
    if (auto own = encode(entry.point))
      picks.push_back(std::move(*own));
}

void KnobSpace::findUnrolled() {
  for (unsigned dim = op.getNumDims(); dim-- > op.getNumParallel();) {
    if (getExtent(dim) == 1 || ShapedType::isDynamic(op.getStaticSizes()[dim]))
      continue;
    if (roles[dim] == Role::Window) {
      if (taps.size() < mostTaps)
        taps.push_back(dim);
    } else if (!unrolledInner) {
      unrolledInner = dim;
    }
  }
}

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

KnobSpace::Order KnobSpace::dropTrivial(ArrayRef<unsigned> order) const {
  return llvm::to_vector(
      llvm::make_filter_range(order, [&](unsigned dim) { return getExtent(dim) > 1; }));
}

/// Lists the orders of the dims from `first` to before `last`: those of the ranked points, and all
/// of four dims or fewer; of more, those that move one dim to either end. Dims of size 1 do not
/// count.
std::vector<KnobSpace::Order> KnobSpace::listOrders(unsigned first, unsigned last,
                                                    ArrayRef<RankedPoint> best) const {
  constexpr size_t fewDims = 4;
  std::vector<Order> orders, known;
  auto add = [&](const Order &order) {
    Order own = dropTrivial(order);
    if (llvm::is_contained(known, own))
      return;
    known.push_back(own);
    orders.push_back(order);
  };
  for (const RankedPoint &entry : best)
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

bool KnobSpace::hasLoop(unsigned dim, const Point &point) const {
  // Dims that are fused with `last` have no loop of their own, nor has one that a tile covers.
  auto isCovered = [&](unsigned last, unsigned fused, int64_t tile) {
    return (dim < last && dim + fused >= last) ||
           (dim == last && tile >= draft.getFusedExtent(last, fused));
  };
  if (point.vectorDim && isCovered(*point.vectorDim, point.fused, point.vectors * point.lanes))
    return false;
  for (const TileRows &rows : point.rows)
    if (isCovered(rows.dim, rows.fused, rows.extent))
      return false;
  const Unroll *unroll = point.findUnroll(dim);
  return getExtent(dim) > 1 && !(unroll && unroll->extent == 0);
}

KnobSpace::Order KnobSpace::dropUnused(ArrayRef<unsigned> order, const Point &point) const {
  return llvm::to_vector(
      llvm::make_filter_range(order, [&](unsigned dim) { return hasLoop(dim, point); }));
}

std::optional<int64_t> KnobSpace::findOrder(ArrayRef<Order> orders, ArrayRef<unsigned> order,
                                            const Point &point) const {
  Order own = dropUnused(order, point);
  const auto *found =
      llvm::find_if(orders, [&](const Order &other) { return dropUnused(other, point) == own; });
  return found == orders.end() ? std::nullopt : std::optional<int64_t>(found - orders.begin());
}

//===----------------------------------------------------------------------===//
// Points and values
//===----------------------------------------------------------------------===//

std::string KnobSpace::printLoops(const Point &point) const {
  Point shown = point;
  shown.outer = dropUnused(point.outer, point);
  shown.reductions = dropUnused(point.reductions, point);
  std::string text;
  llvm::raw_string_ostream(text) << shown;
  return text;
}

std::optional<Point> KnobSpace::decode(ArrayRef<int64_t> chosen) const {
  Point point;
  for (auto [knob, value] : llvm::zip_equal(knobs, chosen))
    if (!knob->set(*this, value, point))
      return std::nullopt;
  if (!findObstacle(op, roles, point, machine).empty())
    return std::nullopt;
  return point;
}

std::optional<std::vector<int64_t>> KnobSpace::encode(const Point &point) const {
  std::vector<int64_t> chosen;
  for (auto [knob, list] : llvm::zip_equal(knobs, values)) {
    chosen.push_back(knob->get(*this, point).value_or(list.front()));
    if (!llvm::is_contained(list, chosen.back()))
      return std::nullopt;
  }
  std::optional<Point> decoded = decode(chosen);
  if (!decoded || printLoops(*decoded) != printLoops(point))
    return std::nullopt;
  return chosen;
}

void KnobSpace::addFeatures(const Point &point, FeatureList &list) const {
  // Those of knobs that this space lacks, too: one model ranks the points of all kernels.
  for (const Knob &knob : layout::getKnobs())
    if (knob.addFeatures)
      knob.addFeatures(*this, point, list);
}

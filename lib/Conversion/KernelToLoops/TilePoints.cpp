//===- TilePoints.cpp - the points of a tile -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TilePoints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace ::tssa::conversion;

namespace tssa::conversion {

bool isScalar(ArrayRef<TileElement> row) {
  return llvm::any_of(row, [](const TileElement &element) { return element.scalar; });
}

Value buildConjunction(IndexBuilder &index, Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return arith::AndIOp::create(index.getBuilder(), index.getLoc(), lhs, rhs);
}

Value buildConjunction(IndexBuilder &index, ArrayRef<AffineExpr> exprs) {
  Value all;
  for (AffineExpr expr : exprs)
    all = buildConjunction(index, all, index.materializeCondition(expr, /*equality=*/false));
  return all;
}

} // namespace tssa::conversion

Value TilePoints::buildMask(Value count) {
  OpBuilder &builder = index.getBuilder();
  auto type = VectorType::get(lanes, builder.getI1Type());
  return vector::CreateMaskOp::create(builder, index.getLoc(), type, ValueRange{count});
}

AffineExpr TilePoints::getSurplus(unsigned i) {
  const TileGroup &group = schedule.tiles[i];
  AffineExpr surplus = index.simplify(group.extent - group.outer * group.size - group.size);
  return index.isNonNegative(surplus) ? AffineExpr() : surplus;
}

/// In a full tile of group `i`, marks the rows or lanes that may not exist.
void TilePoints::restrictElements(unsigned i, MutableArrayRef<TileElement> elements) {
  AffineExpr surplus = getSurplus(i);
  if (!surplus)
    return;
  const TileGroup &group = schedule.tiles[i];
  int64_t step = group.vector ? lanes : 1;
  for (auto [n, element] : llvm::enumerate(elements)) {
    AffineExpr left = index.simplify(surplus + (group.size - static_cast<int64_t>(n) * step));
    if (group.vector)
      element.mask = buildMask(index.materialize(left));
    else
      element.exists = index.materializeCondition(index.simplify(left - 1), false);
  }
}

TileElement TilePoints::getDynamicElement(unsigned i) {
  const TileGroup &group = schedule.tiles[i];
  const TileState &state = *states[i];
  TileElement element;
  for (unsigned loop : ArrayRef(group.inner).drop_back())
    element.loops.push_back({loop, constantExpr(0)});
  AffineExpr last = state.offset;
  element.scalar = state.scalar;
  if (group.vector && !state.scalar) {
    last = last + getAffineDimExpr(laneDim, index.getContext());
    element.mask = buildMask(index.materialize(state.bound));
  }
  element.loops.push_back({group.inner.back(), last});
  return element;
}

void TilePoints::addLoopValues(const TileGroup &group, AffineExpr number, TileElement &element) {
  int64_t scale = group.size;
  for (auto [loop, factor] : llvm::zip_equal(group.inner, group.factors)) {
    scale /= factor;
    element.loops.push_back({loop, index.simplify(number.floorDiv(scale))});
    number = number % scale;
  }
}

/// Returns the iterations of group `i` in its current state.
SmallVector<TileElement> TilePoints::getElements(unsigned i, bool masked) {
  const TileGroup &group = schedule.tiles[i];
  const TileState &state = *states[i];
  if (state.offset)
    return {getDynamicElement(i)};
  SmallVector<TileElement> elements;
  int64_t width = group.vector ? lanes : 1, step = width;
  for (int64_t first = 0; first < state.count; first += step) {
    TileElement &element = elements.emplace_back();
    if (!masksVectors && !group.reduction && first + width > state.count)
      step = 1;
    element.scalar = step != width;
    element.block = group.vector ? first / width : 0;
    int64_t certain = state.count - static_cast<int64_t>(state.clamped.size());
    if (first >= certain) {
      element.clamped = state.clamped[first - certain];
      addLoopValues(group, element.clamped->row, element);
    } else {
      addLoopValues(group, constantExpr(first), element);
    }
    if (!group.vector || element.scalar)
      continue;
    element.loops.back().second = getAffineDimExpr(laneDim, index.getContext());
    if (first + lanes > state.count)
      element.mask = buildMask(index.constant(state.count - first));
  }
  if (masked && !group.reduction)
    restrictElements(i, elements);
  return elements;
}

SmallVector<TileRow> TilePoints::getCombinations(bool reduction, bool masked) {
  SmallVector<TileRow> combinations(1);
  for (auto [i, group] : llvm::enumerate(schedule.tiles)) {
    if (group.reduction != reduction)
      continue;
    SmallVector<TileElement> elements = getElements(i, masked);
    SmallVector<TileRow> extended;
    for (const TileRow &combination : combinations)
      for (const TileElement &element : elements) {
        extended.push_back(combination);
        extended.back().push_back(element);
      }
    combinations = std::move(extended);
  }
  return combinations;
}

SmallVector<TileRow> TilePoints::getRows(bool masked) { return getCombinations(false, masked); }

TilePoint TilePoints::getPoint(ArrayRef<TileElement> row, ArrayRef<TileElement> reduction,
                               ArrayRef<unsigned> kept) {
  TilePoint point;
  auto add = [&](const TileElement &element) {
    for (auto [loop, expr] : element.loops)
      if (!llvm::is_contained(kept, loop))
        point.loopValues[getAffineDimExpr(loop, index.getContext())] = expr;
    if (element.mask)
      point.mask = element.mask;
    point.exists = buildConjunction(index, point.exists, element.exists);
    if (element.clamped) {
      point.stored = buildConjunction(index, point.stored, element.clamped->exists);
      point.greatest.push_back({element.clamped->row, element.clamped->last});
    }
  };
  llvm::for_each(row, add);
  llvm::for_each(reduction, add);
  for (auto [loop, number] : peeled)
    point.loopValues[getAffineDimExpr(loop, index.getContext())] = constantExpr(number);
  for (auto [loop, expr] : schedule.splits)
    point.loopValues[getAffineDimExpr(loop, index.getContext())] = expr.replace(point.loopValues);
  point.dims = schedule.dims;
  const TileGroup *vectorGroup = schedule.getVector();
  point.vector = vectorGroup && !isScalar(row) && (!vectorGroup->reduction || !reduction.empty());
  return point;
}

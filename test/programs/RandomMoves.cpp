//===- RandomMoves.cpp - element-wise and shape steps of random programs --===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramMaker.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace ::tssa::reference;
using namespace mlir::tssa::te;

bool ProgramMaker::stepElementwise() {
  LiveTensor lhs = chooseAny();
  LiveTensor rhs = *chooseBroadcast(lhs);
  Type type = random.oneIn(4) ? chooseElementType() : lhs.element;
  double error = std::max(lhs.error, rhs.error);
  // A comparison or a conversion to integers would turn a rounding difference into a wrong result.
  if (!isa<FloatType>(type) && error > 0)
    type = builder.getF32Type();
  unsigned numFunctions = 1 + random.below(3);
  auto op = buildCompute(builder, loc, lhs.sizes, type, [&](OpBuilder &b, Location) {
    Value left = convert(b, readIdentity(b, lhs), type);
    Value right = convert(b, readBroadcast(b, rhs), type);
    if (type != lhs.element || type != rhs.element)
      error = getError(type, error);
    for (unsigned i = 0; i < numFunctions; ++i)
      left = apply(b, left, right, error);
    return SmallVector<Value>{left};
  });
  addResult(op.getResult(0), lhs, error);
  return true;
}

/// Selects by the position, by a set, or by a comparison of exact values.
bool ProgramMaker::stepSelect() {
  LiveTensor lhs = chooseAny();
  LiveTensor rhs = *chooseBroadcast(lhs);
  if (lhs.getRank() == 0 || rhs.element != lhs.element)
    return false;
  double error = std::max(lhs.error, rhs.error);
  unsigned axis = random.below(lhs.getRank());
  bool byValue = error == 0 && random.oneIn(2);
  auto op = buildCompute(builder, loc, lhs.sizes, lhs.element, [&](OpBuilder &b, Location) {
    Value left = readIdentity(b, lhs), right = readBroadcast(b, rhs), condition;
    if (byValue && lhs.isFloat())
      condition = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, left, right);
    else if (byValue)
      condition = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, left, right);
    else
      condition = InsideOp::create(
          b, loc, ValueRange(),
          IntegerSet::get(lhs.getRank(), 0, {dim(axis) % 3 - 1, dim(axis) - 2}, {false, false}));
    return SmallVector<Value>{arith::SelectOp::create(b, loc, condition, left, right)};
  });
  addResult(op.getResult(0), lhs, error);
  return true;
}

bool ProgramMaker::stepTranspose() {
  const LiveTensor *found = choose([](const LiveTensor &t) { return t.getRank() >= 2; });
  if (!found)
    return false;
  LiveTensor source = *found;
  unsigned a = random.below(source.getRank()), c = random.below(source.getRank());
  LiveTensor result = source;
  std::swap(result.sizes[a], result.sizes[c]);
  std::swap(result.extents[a], result.extents[c]);
  auto op = buildCompute(builder, loc, result.sizes, source.element, [&](OpBuilder &b, Location) {
    SmallVector<AffineExpr> at;
    for (unsigned d = 0; d < source.getRank(); ++d)
      at.push_back(dim(d == a ? c : d == c ? a : d));
    return SmallVector<Value>{read(b, source, at)};
  });
  addResult(op.getResult(0), result, source.error);
  return true;
}

/// Slices one static dim: begin : end : step.
bool ProgramMaker::stepSlice() {
  const LiveTensor *found = choose([](const LiveTensor &t) {
    return t.getRank() && isa<Attribute>(t.sizes.back()) && t.extents.back() > 1;
  });
  if (!found)
    return false;
  LiveTensor source = *found, result = source;
  int64_t extent = source.extents.back(), begin = random.below(extent);
  int64_t step = 1 + random.below(3), count = (extent - begin + step - 1) / step;
  unsigned axis = source.getRank() - 1;
  result.sizes[axis] = builder.getIndexAttr(count);
  result.extents[axis] = count;
  auto op = buildCompute(builder, loc, result.sizes, source.element, [&](OpBuilder &b, Location) {
    SmallVector<AffineExpr> at;
    for (unsigned d = 0; d < axis; ++d)
      at.push_back(dim(d));
    at.push_back(dim(axis) * step + begin);
    return SmallVector<Value>{read(b, source, at)};
  });
  addResult(op.getResult(0), result, source.error);
  return true;
}

bool ProgramMaker::stepReverse() {
  const LiveTensor *found = choose([](const LiveTensor &t) { return t.getRank() >= 1; });
  if (!found)
    return false;
  LiveTensor source = *found;
  unsigned axis = random.below(source.getRank());
  auto op = buildCompute(builder, loc, source.sizes, source.element, [&](OpBuilder &b, Location) {
    SmallVector<AffineExpr> at;
    SmallVector<Value> sizeSymbols;
    for (unsigned d = 0; d < source.getRank(); ++d)
      at.push_back(d == axis ? getExpr(source.sizes[d], sizeSymbols) - 1 - dim(d) : dim(d));
    return SmallVector<Value>{read(b, source, at, sizeSymbols)};
  });
  addResult(op.getResult(0), source, source.error);
  return true;
}

/// Broadcasts a tensor along a new dim at a random position.
bool ProgramMaker::stepBroadcast() {
  LiveTensor source = chooseAny(), result = source;
  unsigned axis = random.below(source.getRank() + 1);
  LiveSize size = symbols.empty() || !symbols[0].size || random.oneIn(2) ? constant(chooseExtent())
                                                                         : symbols[0];
  result.sizes.insert(result.sizes.begin() + axis, size.size);
  result.extents.insert(result.extents.begin() + axis, size.extent);
  if (result.getRank() > 4 || !fits(result.extents))
    return false;
  auto op = buildCompute(builder, loc, result.sizes, source.element, [&](OpBuilder &b, Location) {
    SmallVector<AffineExpr> at;
    for (unsigned d = 0; d < source.getRank(); ++d)
      at.push_back(dim(d < axis ? d : d + 1));
    return SmallVector<Value>{read(b, source, at)};
  });
  addResult(op.getResult(0), result, source.error);
  return true;
}

/// Merges the last two dims, of which the inner one is static.
bool ProgramMaker::stepFlatten() {
  const LiveTensor *found = choose([](const LiveTensor &t) {
    return t.getRank() >= 2 && isa<Attribute>(t.sizes.back()) && t.extents.back() > 0 &&
           isa<Attribute>(t.sizes[t.getRank() - 2]);
  });
  if (!found)
    return false;
  LiveTensor source = *found, result = source;
  unsigned axis = source.getRank() - 2;
  int64_t inner = source.extents.back(), both = inner * source.extents[axis];
  result.sizes.pop_back();
  result.extents.pop_back();
  result.sizes[axis] = builder.getIndexAttr(both);
  result.extents[axis] = both;
  auto op = buildCompute(builder, loc, result.sizes, source.element, [&](OpBuilder &b, Location) {
    SmallVector<AffineExpr> at;
    for (unsigned d = 0; d < axis; ++d)
      at.push_back(dim(d));
    at.append({dim(axis).floorDiv(inner), dim(axis) % inner});
    return SmallVector<Value>{read(b, source, at)};
  });
  addResult(op.getResult(0), result, source.error);
  return true;
}

/// Splits a static last dim in two.
bool ProgramMaker::stepSplit() {
  const LiveTensor *found = choose([](const LiveTensor &t) {
    return t.getRank() && t.getRank() < 4 && isa<Attribute>(t.sizes.back()) && t.extents.back() > 1;
  });
  if (!found)
    return false;
  LiveTensor source = *found, result = source;
  unsigned axis = source.getRank() - 1;
  int64_t extent = source.extents.back(), inner = 2;
  while (extent % inner)
    ++inner;
  result.sizes[axis] = builder.getIndexAttr(extent / inner);
  result.extents[axis] = extent / inner;
  result.sizes.push_back(builder.getIndexAttr(inner));
  result.extents.push_back(inner);
  auto op = buildCompute(builder, loc, result.sizes, source.element, [&](OpBuilder &b, Location) {
    SmallVector<AffineExpr> at;
    for (unsigned d = 0; d < axis; ++d)
      at.push_back(dim(d));
    at.push_back(dim(axis) * inner + dim(axis + 1));
    return SmallVector<Value>{read(b, source, at)};
  });
  addResult(op.getResult(0), result, source.error);
  return true;
}

bool ProgramMaker::stepPad() {
  const LiveTensor *found = choose([](const LiveTensor &t) { return t.getRank() >= 1; });
  if (!found)
    return false;
  LiveTensor source = *found, result = source;
  unsigned axis = random.below(source.getRank());
  int64_t before = random.below(4), after = random.below(4);
  LiveSize size = add({source.sizes[axis], source.extents[axis]}, before + after);
  result.sizes[axis] = size.size;
  result.extents[axis] = size.extent;
  if (!fits(result.extents))
    return false;
  Attribute pad = source.isFloat() ? Attribute(builder.getFloatAttr(source.element, 0.5))
                                   : builder.getIntegerAttr(source.element, 1);
  auto op = buildCompute(builder, loc, result.sizes, source.element, [&](OpBuilder &b, Location) {
    SmallVector<AffineExpr> at;
    SmallVector<Value> sizeSymbols;
    for (unsigned d = 0; d < source.getRank(); ++d)
      at.push_back(d == axis ? dim(d) - before : dim(d));
    AffineExpr last = getExpr(source.sizes[axis], sizeSymbols) - 1;
    auto guard = IntegerSet::get(source.getRank(), sizeSymbols.size(), {at[axis], last - at[axis]},
                                 {false, false});
    auto map = AffineMap::get(source.getRank(), sizeSymbols.size(), at, b.getContext());
    return SmallVector<Value>{
        ReadOp::create(b, loc, source.value, map, sizeSymbols, guard, cast<TypedAttr>(pad))};
  });
  addResult(op.getResult(0), result, source.error);
  return true;
}

/// Concatenates two parts along the last dim, each with a function of its own. If a size is open,
/// the place where the second part begins is a symbol of the pieces.
bool ProgramMaker::stepConcat() {
  const LiveTensor *found = choose([](const LiveTensor &t) { return t.getRank() != 0; });
  if (!found)
    return false;
  LiveTensor first = *found, result = first;
  const LiveTensor *other = choose([&](const LiveTensor &t) {
    return t.element == first.element && t.getRank() == first.getRank() &&
           ArrayRef(t.sizes).drop_back() == ArrayRef(first.sizes).drop_back();
  });
  SmallVector<LiveTensor> parts = {first, *other};
  unsigned axis = first.getRank() - 1, numDims = first.getRank();
  int64_t boundary = first.extents[axis], total = boundary + other->extents[axis];
  result.extents[axis] = total;
  if (!fits(result.extents))
    return false;
  bool isOpen = isa<Value>(first.sizes[axis]) || isa<Value>(other->sizes[axis]);
  SmallVector<Value> symbols;
  AffineExpr begin = builder.getAffineConstantExpr(boundary);
  result.sizes[axis] = builder.getIndexAttr(total);
  if (isOpen) {
    symbols.push_back(getValueOrCreateConstantIndexOp(builder, loc, first.sizes[axis]));
    begin = builder.getAffineSymbolExpr(0);
    Value size = getValueOrCreateConstantIndexOp(builder, loc, other->sizes[axis]);
    result.sizes[axis] = arith::AddIOp::create(builder, loc, symbols[0], size).getResult();
  }
  double error = std::max(first.error, other->error);
  auto body = [&](unsigned part) {
    return [&, part](OpBuilder &b, Location) {
      SmallVector<AffineExpr> at;
      for (unsigned d = 0; d < axis; ++d)
        at.push_back(dim(d));
      at.push_back(part ? dim(axis) - begin : dim(axis));
      Value value = read(b, parts[part], at, symbols);
      return SmallVector<Value>{part ? value : apply(b, value, value, error)};
    };
  };
  auto left = body(0), right = body(1);
  PieceSets sets;
  sets.add(IntegerSet::get(numDims, symbols.size(), begin - 1 - dim(axis), false), symbols);
  sets.add(IntegerSet::get(numDims, symbols.size(), dim(axis) - begin, false), symbols);
  BodyFn bodies[] = {left, right};
  auto op = buildPieces(builder, loc, result.sizes, first.element, sets, bodies);
  addResult(op.getResult(0), result, error);
  return true;
}

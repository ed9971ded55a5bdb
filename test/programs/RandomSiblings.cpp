//===- RandomSiblings.cpp - expressions of one body, and concatenations ---===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramMaker.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace ::tssa::reference;
using namespace mlir::tssa::te;

const LiveTensor *ProgramMaker::chooseFactor() {
  return choose([](const LiveTensor &t) {
    return t.isFloat() && t.getRank() >= 1 && isa<Attribute>(t.sizes.back()) &&
           t.extents.back() > 0;
  });
}

/// Multiplies the rows of `source` with a constant of its own that has `count` columns, and adds a
/// constant row and a scalar.
LiveTensor ProgramMaker::makeProduct(const LiveTensor &source, int64_t count, double scalar) {
  unsigned rank = source.getRank();
  LiveTensor result = source;
  result.sizes.back() = builder.getIndexAttr(count);
  result.extents.back() = count;
  result.error = getError(source.element, source.error);
  Type type = builder.getF32Type();
  LiveTensor weight = makeConstant(type, {count, source.extents.back()});
  LiveTensor bias = makeConstant(type, {count});
  auto op = buildReduce(
      builder, loc, result.sizes, source.sizes.back(), Combiner::Add, type, false, source.element,
      [&](OpBuilder &b, Location) {
        SmallVector<AffineExpr> at;
        for (unsigned d = 0; d + 1 < rank; ++d)
          at.push_back(dim(d));
        at.push_back(dim(rank));
        Value left = convert(b, read(b, source, at), type);
        Value right = read(b, weight, {dim(rank - 1), dim(rank)});
        return SmallVector<Value>{arith::MulFOp::create(b, loc, left, right)};
      },
      [&](OpBuilder &b, Location, ValueRange args) -> SmallVector<Value> {
        Value value = arith::MulFOp::create(b, loc, args[0], makeNumber(b, type, scalar));
        value = arith::AddFOp::create(b, loc, value, read(b, bias, dim(rank - 1)));
        return {convert(b, clamp(b, value, 64), source.element)};
      });
  result.value = op.getResult(0);
  return result;
}

/// Concatenates tensors along their last dim.
LiveTensor ProgramMaker::makeConcat(ArrayRef<LiveTensor> parts) {
  LiveTensor result = parts.front();
  unsigned numDims = result.getRank(), axis = numDims - 1;
  PieceSets sets;
  SmallVector<std::function<SmallVector<Value>(OpBuilder &, Location)>> makers;
  int64_t begin = 0;
  for (const LiveTensor &part : parts) {
    int64_t end = begin + part.extents.back();
    sets.add(IntegerSet::get(numDims, 0, {dim(axis) - begin, end - 1 - dim(axis)}, {false, false}),
             {});
    makers.push_back([this, &part, begin, axis](OpBuilder &b, Location) {
      SmallVector<AffineExpr> at;
      for (unsigned d = 0; d < axis; ++d)
        at.push_back(dim(d));
      at.push_back(dim(axis) - begin);
      return SmallVector<Value>{read(b, part, at)};
    });
    begin = end;
    result.error = std::max(result.error, part.error);
  }
  result.sizes.back() = builder.getIndexAttr(begin);
  result.extents.back() = begin;
  SmallVector<BodyFn> bodies(makers.begin(), makers.end());
  result.value = buildPieces(builder, loc, result.sizes, result.element, sets, bodies).getResult(0);
  return result;
}

LiveTensor ProgramMaker::makeMap(const LiveTensor &source) {
  LiveTensor result = source;
  auto op = buildCompute(builder, loc, source.sizes, source.element, [&](OpBuilder &b, Location) {
    Value value = convert(b, readIdentity(b, source), b.getF32Type());
    value = arith::MaximumFOp::create(b, loc, value, makeNumber(b, b.getF32Type(), 0));
    return SmallVector<Value>{convert(b, value, source.element)};
  });
  result.value = op.getResult(0);
  return result;
}

/// Returns the greatest and least values of those that are at the same place in parts `begin` to
/// before `end` of the last dim of `gates`, which has `windows` parts.
LiveTensor ProgramMaker::makeCell(const LiveTensor &gates, int64_t windows, int64_t begin,
                                  int64_t end) {
  LiveTensor result = gates;
  int64_t width = gates.extents.back() / windows;
  result.sizes.back() = builder.getIndexAttr(width);
  result.extents.back() = width;
  auto op = buildCompute(builder, loc, result.sizes, gates.element, [&](OpBuilder &b, Location) {
    Value value;
    for (int64_t i = begin; i < end; ++i) {
      SmallVector<AffineExpr> at;
      for (unsigned d = 0; d < gates.getRank(); ++d)
        at.push_back(dim(d));
      at.back() = at.back() + i * width;
      Value next = convert(b, read(b, gates, at), b.getF32Type());
      value = !value  ? next
              : i % 2 ? arith::MaximumFOp::create(b, loc, value, next).getResult()
                      : arith::MinimumFOp::create(b, loc, value, next).getResult();
    }
    return SmallVector<Value>{convert(b, value, gates.element)};
  });
  result.value = op.getResult(0);
  return result;
}

/// Adds a cell, or products of one tensor with constants, functions of some, and concatenations of
/// some, which other expressions read.
bool ProgramMaker::stepSiblings() {
  const LiveTensor *found = chooseFactor();
  if (!found)
    return false;
  LiveTensor source = *found;
  int64_t number = 2 + random.below(3), count = 1 + random.below(5);
  SmallVector<int64_t> all(source.extents);
  all.back() = 8 * number;
  if (!fits(all))
    return false;
  if (random.oneIn(3)) { // the gates and the state of a cell
    LiveTensor gates = makeProduct(source, number * count, 0.125);
    int64_t end = 1 + random.below(number);
    LiveTensor cell = makeCell(gates, number, 0, end);
    addResult(cell.value, cell, cell.error);
    if (random.oneIn(2)) { // which is read at the same point
      LiveTensor next = makeMap(cell);
      addResult(next.value, next, next.error);
    }
    if (end < number || random.oneIn(2)) { // whose gates a later expression reads, too
      LiveTensor other = makeCell(gates, number, random.below(end), number);
      addResult(other.value, other, other.error);
    }
    return true;
  }
  bool isEven = random.oneIn(2), hasMaps = random.oneIn(2), isNested = random.oneIn(3);
  SmallVector<LiveTensor> parts;
  for (int64_t i = 0; i < number; ++i) {
    LiveTensor product =
        makeProduct(source, isEven ? count : 1 + random.below(5), random.oneIn(2) ? 0.125 : 0.25);
    parts.push_back(hasMaps ? makeMap(product) : product);
  }
  if (random.oneIn(4)) // each is read by an expression of its own
    for (const LiveTensor &part : parts) {
      LiveTensor other = makeMap(part);
      addResult(other.value, other, other.error);
    }
  if (isNested) { // a concatenation of the first parts, which another part is computed from
    LiveTensor first = makeConcat(ArrayRef(parts).take_front(2));
    parts.push_back(makeProduct(random.oneIn(2) ? makeMap(first) : first, count, 0.125));
  }
  if (random.oneIn(4))
    std::swap(parts.front(), parts.back());
  LiveTensor joined = makeConcat(parts);
  LiveTensor last = random.oneIn(2) ? makeMap(joined) : makeProduct(joined, count, 0.125);
  addResult(last.value, last, last.error);
  return true;
}

//===- RandomSums.cpp - reductions of random programs ---------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramMaker.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace ::tssa::reference;
using namespace mlir::tssa::te;

/// Types of 16 bits are summed in f32.
static Type getAccumulator(OpBuilder &b, Type element) {
  return element.isF16() || element.isBF16() ? b.getF32Type() : element;
}

void ProgramMaker::addReduction(const LiveTensor &source, ArrayRef<unsigned> reduced) {
  LiveTensor result = source;
  SmallVector<OpFoldResult> reduction;
  SmallVector<AffineExpr> at(source.getRank());
  result.sizes.clear();
  result.extents.clear();
  for (unsigned d = 0; d < source.getRank(); ++d)
    if (!llvm::is_contained(reduced, d)) {
      at[d] = dim(result.getRank());
      result.sizes.push_back(source.sizes[d]);
      result.extents.push_back(source.extents[d]);
    }
  for (unsigned d : reduced) {
    at[d] = dim(result.getRank() + reduction.size());
    reduction.push_back(source.sizes[d]);
  }
  bool isBool = source.element.isInteger(1);
  static constexpr Combiner boolean[] = {Combiner::And, Combiner::Or, Combiner::Xor};
  static constexpr Combiner numeric[] = {Combiner::Add, Combiner::Add, Combiner::Max,
                                         Combiner::Min};
  Combiner combiner = isBool ? random.pick<Combiner>(boolean) : random.pick<Combiner>(numeric);
  Type accumulator = getAccumulator(builder, source.element);
  bool isSum = source.isFloat() && combiner == Combiner::Add;
  double error = isSum ? getError(source.element, source.error) : source.error;
  bool withEpilogue = isSum || accumulator != source.element || random.oneIn(2);
  auto epilogue = [&](OpBuilder &b, Location, ValueRange args) -> SmallVector<Value> {
    Value value = args[0];
    if (isSum)
      value = arith::MulFOp::create(b, loc, value, makeNumber(b, accumulator, 0.125));
    if (source.isFloat()) // the maximum of no elements is infinite
      value = clamp(b, value, 64);
    return {convert(b, value, source.element)};
  };
  auto op = buildReduce(
      builder, loc, result.sizes, reduction, combiner, accumulator, /*isUnsigned=*/false,
      source.element,
      [&](OpBuilder &b, Location) {
        return SmallVector<Value>{convert(b, read(b, source, at), accumulator)};
      },
      withEpilogue || source.isFloat() ? ArgsBodyFn(epilogue) : ArgsBodyFn(nullptr));
  addResult(op.getResult(0), result, error);
}

/// Reduces one or two dims of a tensor.
bool ProgramMaker::stepReduce() {
  const LiveTensor *found = choose([](const LiveTensor &t) { return t.getRank() >= 1; });
  if (!found)
    return false;
  LiveTensor source = *found;
  unsigned axis = random.below(source.getRank());
  bool two = source.getRank() > 1 && random.oneIn(3);
  SmallVector<unsigned> reduced = {axis};
  if (two)
    reduced.push_back((axis + 1) % source.getRank());
  llvm::sort(reduced);
  addReduction(source, reduced);
  return true;
}

/// Reduces some or all dims of the long argument, the first one.
bool ProgramMaker::stepLongSum() {
  LiveTensor source = live.front();
  SmallVector<unsigned> reduced;
  for (unsigned axis = 0; axis < source.getRank(); ++axis)
    if (random.oneIn(2))
      reduced.push_back(axis);
  if (reduced.empty())
    reduced = llvm::to_vector(llvm::seq<unsigned>(0, source.getRank()));
  addReduction(source, reduced);
  return true;
}

/// Multiplies two matrices that share a size, or a matrix and a constant.
bool ProgramMaker::stepContraction() {
  const LiveTensor *found = choose(
      [](const LiveTensor &t) { return t.isFloat() && t.getRank() >= 1 && t.getRank() <= 3; });
  if (!found)
    return false;
  LiveTensor lhs = *found;
  const LiveTensor *shared = choose([&](const LiveTensor &t) {
    return t.isFloat() && t.getRank() == 2 && t.sizes[0] == lhs.sizes.back();
  });
  LiveTensor rhs;
  if (shared && random.oneIn(2))
    rhs = *shared;
  else if (isa<Attribute>(lhs.sizes.back()))
    rhs = makeConstant(builder.getF32Type(), {lhs.extents.back(), chooseExtent()});
  else
    return false;
  LiveTensor result = lhs;
  result.sizes.back() = rhs.sizes[1];
  result.extents.back() = rhs.extents[1];
  unsigned rank = lhs.getRank();
  if (!fits(result.extents))
    return false;
  Type type = random.oneIn(4) ? lhs.element : builder.getF32Type();
  Type accumulator = getAccumulator(builder, type);
  double error = getError(type, std::max(lhs.error, rhs.error));
  error = std::max(error, getError(lhs.element, 0));
  const LiveTensor *bias = choose([&](const LiveTensor &t) {
    return t.isFloat() && t.getRank() == 1 && t.sizes[0] == rhs.sizes[1];
  });
  LiveTensor added = bias ? *bias : rhs;
  auto op = buildReduce(
      builder, loc, result.sizes, lhs.sizes.back(), Combiner::Add, accumulator, false, type,
      [&](OpBuilder &b, Location) {
        SmallVector<AffineExpr> at;
        for (unsigned d = 0; d + 1 < rank; ++d)
          at.push_back(dim(d));
        at.push_back(dim(rank));
        Value left = convert(b, read(b, lhs, at), accumulator);
        Value right = convert(b, read(b, rhs, {dim(rank), dim(rank - 1)}), accumulator);
        return SmallVector<Value>{arith::MulFOp::create(b, loc, left, right)};
      },
      [&](OpBuilder &b, Location, ValueRange args) -> SmallVector<Value> {
        Value value = arith::MulFOp::create(b, loc, args[0], makeNumber(b, accumulator, 0.125));
        if (bias) {
          Value term = convert(b, read(b, added, dim(rank - 1)), accumulator);
          error = std::max({error, added.error, getError(added.element, 0)});
          value = arith::AddFOp::create(b, loc, value, term);
        }
        return {convert(b, clamp(b, value, 64), type)};
      });
  addResult(op.getResult(0), result, error);
  return true;
}

/// Convolves along a static last dim, with padding, stride and dilation.
bool ProgramMaker::stepWindow() {
  const LiveTensor *found = choose([](const LiveTensor &t) {
    return t.isFloat() && t.getRank() >= 2 && isa<Attribute>(t.sizes.back()) &&
           isa<Attribute>(t.sizes[t.getRank() - 2]) && t.extents.back() >= 3;
  });
  if (!found)
    return false;
  LiveTensor source = *found, result = source;
  unsigned axis = source.getRank() - 1, channel = axis - 1;
  int64_t extent = source.extents[axis], kernel = 1 + random.below(3);
  int64_t stride = 1 + random.below(2), dilation = 1 + random.below(2), pad = random.below(3);
  int64_t reach = (kernel - 1) * dilation + 1;
  if (extent + 2 * pad < reach)
    return false;
  int64_t count = (extent + 2 * pad - reach) / stride + 1, channels = chooseExtent();
  result.sizes[axis] = builder.getIndexAttr(count);
  result.extents[axis] = count;
  result.sizes[channel] = builder.getIndexAttr(channels);
  result.extents[channel] = channels;
  SmallVector<int64_t> points(result.extents);
  points.append({source.extents[channel], kernel});
  int64_t numPoints = 1;
  for (int64_t point : points)
    numPoints *= std::max<int64_t>(point, 1);
  if (numPoints > 64 * options.maxElements || !fits(result.extents))
    return false;
  Type accumulator = getAccumulator(builder, source.element);
  LiveTensor weight = makeConstant(accumulator, {channels, source.extents[channel], kernel});
  unsigned rank = source.getRank(), numDims = rank + 2;
  double error = getError(source.element, source.error);
  auto op = buildReduce(
      builder, loc, result.sizes, {source.sizes[channel], builder.getIndexAttr(kernel)},
      Combiner::Add, accumulator, false, source.element,
      [&](OpBuilder &b, Location) {
        SmallVector<AffineExpr> at;
        for (unsigned d = 0; d < channel; ++d)
          at.push_back(dim(d));
        AffineExpr position = dim(axis) * stride + dim(rank + 1) * dilation - pad;
        at.append({dim(rank), position});
        auto guard = IntegerSet::get(numDims, 0, {position, extent - 1 - position}, {false, false});
        Value left =
            ReadOp::create(b, loc, source.value, AffineMap::get(numDims, 0, at, b.getContext()),
                           ValueRange(), guard, b.getFloatAttr(source.element, 0));
        Value right = read(b, weight, {dim(channel), dim(rank), dim(rank + 1)});
        return SmallVector<Value>{
            arith::MulFOp::create(b, loc, convert(b, left, accumulator), right)};
      },
      [&](OpBuilder &b, Location, ValueRange args) -> SmallVector<Value> {
        Value value = arith::MulFOp::create(b, loc, args[0], makeNumber(b, accumulator, 0.125));
        return {convert(b, clamp(b, value, 64), source.element)};
      });
  addResult(op.getResult(0), result, error);
  return true;
}

/// Returns a tensor like `tensor`, with the sizes of a reduction of its last dim.
static LiveTensor dropLastDim(LiveTensor tensor) {
  tensor.sizes.pop_back();
  tensor.extents.pop_back();
  return tensor;
}

/// Finds the first of the largest elements along the last dim of a tensor of exact values.
bool ProgramMaker::stepArgMax() {
  const LiveTensor *found =
      choose([](const LiveTensor &t) { return t.isFloat() && t.error == 0 && t.getRank() >= 1; });
  if (!found)
    return false;
  LiveTensor source = *found, result = dropLastDim(source);
  unsigned axis = source.getRank() - 1;
  Type index = builder.getI64Type();
  TypedAttr init[] = {getIdentity(Combiner::Max, source.element, false),
                      builder.getI64IntegerAttr(INT64_MAX)};
  auto op = buildReduce(
      builder, loc, result.sizes, source.sizes[axis], init, {source.element, index},
      [&](OpBuilder &b, Location) {
        AffineMap map = AffineMap::get(axis + 1, 0, dim(axis));
        Value position = IndexOp::create(b, loc, ValueRange(), map);
        return SmallVector<Value>{readIdentity(b, source),
                                  arith::IndexCastOp::create(b, loc, index, position)};
      },
      [&](OpBuilder &b, Location, ValueRange args) -> SmallVector<Value> {
        auto larger = [&](Value lhs, Value rhs) {
          return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, lhs, rhs);
        };
        Value first = arith::MinSIOp::create(b, loc, args[1], args[3]);
        Value right = larger(args[2], args[0]), left = larger(args[0], args[2]);
        Value other = arith::SelectOp::create(b, loc, left, args[1], first);
        Value position = arith::SelectOp::create(b, loc, right, args[3], other);
        Value value = arith::SelectOp::create(b, loc, right, args[2], args[0]);
        return {value, position};
      });
  // The maximum of no elements is infinite, which would make sums NaN.
  if (source.extents[axis] > 0)
    addResult(op.getResult(0), result, 0);
  addResult(op.getResult(1), result, 0);
  return true;
}

/// Computes the maximum and the sum of exponentials in one pass.
bool ProgramMaker::stepSoftmaxPair() {
  const LiveTensor *found =
      choose([](const LiveTensor &t) { return t.element.isF32() && t.getRank() >= 1; });
  if (!found)
    return false;
  LiveTensor source = *found, result = dropLastDim(source);
  unsigned axis = source.getRank() - 1;
  Type type = source.element;
  TypedAttr init[] = {builder.getF32FloatAttr(-1e30f), builder.getF32FloatAttr(0)};
  auto op = buildReduce(
      builder, loc, result.sizes, source.sizes[axis], init, {type, type},
      [&](OpBuilder &b, Location) {
        return SmallVector<Value>{readIdentity(b, source), makeNumber(b, type, 1)};
      },
      [&](OpBuilder &b, Location, ValueRange args) -> SmallVector<Value> {
        Value most = arith::MaximumFOp::create(b, loc, args[0], args[2]);
        auto scaled = [&](Value value, Value sum) -> Value {
          Value distance = arith::SubFOp::create(b, loc, value, most);
          return arith::MulFOp::create(b, loc, sum, math::ExpOp::create(b, loc, distance));
        };
        Value sum =
            arith::AddFOp::create(b, loc, scaled(args[0], args[1]), scaled(args[2], args[3]));
        return {most, sum};
      },
      [&](OpBuilder &b, Location, ValueRange args) -> SmallVector<Value> {
        return {clamp(b, args[0], 64), args[1]};
      });
  addResult(op.getResult(0), result, source.error);
  addResult(op.getResult(1), result, getError(type, source.error));
  return true;
}

/// Computes mean and second moment in one pass (by Welford's method, on pairs).
bool ProgramMaker::stepWelford() {
  const LiveTensor *found =
      choose([](const LiveTensor &t) { return t.element.isF32() && t.getRank() >= 1; });
  if (!found)
    return false;
  LiveTensor source = *found, result = dropLastDim(source);
  unsigned axis = source.getRank() - 1;
  Type type = source.element;
  TypedAttr init[] = {builder.getF32FloatAttr(0), builder.getF32FloatAttr(0),
                      builder.getF32FloatAttr(0)};
  auto op = buildReduce(
      builder, loc, result.sizes, source.sizes[axis], init, {type, type},
      [&](OpBuilder &b, Location) {
        return SmallVector<Value>{readIdentity(b, source), makeNumber(b, type, 0),
                                  makeNumber(b, type, 1)};
      },
      [&](OpBuilder &b, Location, ValueRange args) -> SmallVector<Value> {
        Value one = makeNumber(b, type, 1);
        Value count = arith::AddFOp::create(b, loc, args[2], args[5]);
        Value divisor = arith::MaximumFOp::create(b, loc, count, one);
        Value part = arith::DivFOp::create(b, loc, args[5], divisor);
        Value delta = arith::SubFOp::create(b, loc, args[3], args[0]);
        Value move = arith::MulFOp::create(b, loc, delta, part);
        Value mean = arith::AddFOp::create(b, loc, args[0], move);
        Value cross =
            arith::MulFOp::create(b, loc, arith::MulFOp::create(b, loc, delta, move), args[2]);
        Value both = arith::AddFOp::create(b, loc, args[1], args[4]);
        return {mean, arith::AddFOp::create(b, loc, both, cross), count};
      },
      [&](OpBuilder &b, Location, ValueRange args) -> SmallVector<Value> {
        Value moment = arith::MulFOp::create(b, loc, args[1], makeNumber(b, type, 0.125));
        return {args[0], clamp(b, moment, 64)};
      });
  addResult(op.getResult(0), result, getError(type, source.error));
  addResult(op.getResult(1), result, getError(type, source.error));
  return true;
}

//===- RandomControl.cpp - data-dependent steps of random programs --------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramMaker.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace ::tssa::reference;
using namespace mlir::tssa::te;

/// Returns a vector of `count` integers: an existing one, else a constant. Returns an empty tensor
/// if neither is possible.
LiveTensor ProgramMaker::chooseIndices(const LiveSize &count) {
  const LiveTensor *found = choose([&](const LiveTensor &t) {
    return t.getRank() == 1 && t.sizes[0] == count.size && isa<IntegerType>(t.element) &&
           !t.element.isInteger(1);
  });
  if (found || !isa<Attribute>(count.size))
    return found ? *found : LiveTensor();
  return makeConstant(builder.getI64Type(), count.extent);
}

/// Gathers rows of a tensor at indices from data.
bool ProgramMaker::stepGather() {
  const LiveTensor *found =
      choose([](const LiveTensor &t) { return t.getRank() >= 1 && t.extents[0] > 0; });
  if (!found)
    return false;
  LiveTensor source = *found, result = source;
  const LiveTensor *vector = choose([&](const LiveTensor &t) {
    return t.getRank() == 1 && isa<IntegerType>(t.element) && !t.element.isInteger(1);
  });
  LiveTensor indices = vector ? *vector : chooseIndices(constant(chooseExtent()));
  result.sizes[0] = indices.sizes[0];
  result.extents[0] = indices.extents[0];
  if (!fits(result.extents))
    return false;
  auto op = buildCompute(builder, loc, result.sizes, source.element, [&](OpBuilder &b, Location) {
    Value index = makeIndex(b, read(b, indices, dim(0)), source.sizes[0]);
    SmallVector<AffineExpr> at = {b.getAffineSymbolExpr(0)};
    for (unsigned d = 1; d < source.getRank(); ++d)
      at.push_back(dim(d));
    return SmallVector<Value>{read(b, source, at, index)};
  });
  addResult(op.getResult(0), result, source.error);
  return true;
}

/// Overwrites a slice of a tensor, or every second element of its last dim.
bool ProgramMaker::stepUpdate() {
  const LiveTensor *found = choose([](const LiveTensor &t) {
    return t.getRank() >= 1 && isa<Attribute>(t.sizes.back()) && t.extents.back() >= 2;
  });
  if (!found)
    return false;
  LiveTensor base = *found;
  unsigned axis = base.getRank() - 1;
  int64_t extent = base.extents[axis], step = 1 + random.below(2);
  int64_t offset = random.below(extent), count = (extent - offset + step - 1) / step;
  SmallVector<OpFoldResult> domain(base.sizes);
  domain[axis] = builder.getIndexAttr(count);
  SmallVector<AffineExpr> target;
  for (unsigned d = 0; d < axis; ++d)
    target.push_back(dim(d));
  target.push_back(dim(axis) * step + offset);
  IntegerSet guard;
  if (random.oneIn(2))
    guard = IntegerSet::get(axis + 1, 0, dim(axis) - 1, false);
  double error = base.error;
  bool combines = random.oneIn(2) && !base.element.isInteger(1);
  if (combines)
    error = getError(base.element, error);
  auto combiner = [&](OpBuilder &b, Location, ValueRange args) -> SmallVector<Value> {
    return {combine(b, loc, Combiner::Add, false, args[0], args[1])};
  };
  auto op = buildUpdate(
      builder, loc, base.value, domain, AffineMap::get(axis + 1, 0, target, builder.getContext()),
      {}, guard,
      [&](OpBuilder &b, Location) {
        AffineMap map = AffineMap::get(axis + 1, 0, dim(axis));
        Value position = IndexOp::create(b, loc, ValueRange(), map);
        Value number = arith::IndexCastOp::create(b, loc, b.getI64Type(), position);
        return SmallVector<Value>{convert(b, number, base.element)};
      },
      combines ? ArgsBodyFn(combiner) : ArgsBodyFn(nullptr));
  addResult(op.getResult(), base, error);
  return true;
}

/// Adds rows at indices from data, of which some may be equal.
bool ProgramMaker::stepScatter() {
  const LiveTensor *found = choose([](const LiveTensor &t) {
    return t.getRank() >= 1 && t.extents[0] > 0 && t.extents[0] < 40 && !t.element.isInteger(1);
  });
  if (!found)
    return false;
  LiveTensor base = *found;
  LiveTensor indices = chooseIndices(constant(chooseExtent()));
  SmallVector<OpFoldResult> domain(base.sizes);
  domain[0] = indices.sizes[0];
  SmallVector<int64_t> points(base.extents);
  points[0] = indices.extents[0];
  if (!fits(points))
    return false;
  SmallVector<AffineExpr> target = {builder.getAffineSymbolExpr(0)};
  for (unsigned d = 1; d < base.getRank(); ++d)
    target.push_back(dim(d));
  Combiner combiner = random.oneIn(2) ? Combiner::Max : Combiner::Add;
  auto op = buildUpdate(
      builder, loc, base.value, domain,
      AffineMap::get(base.getRank(), 1, target, builder.getContext()), {}, IntegerSet(),
      [&](OpBuilder &b, Location) {
        Value data = read(b, indices, dim(0));
        return SmallVector<Value>{convert(b, data, base.element),
                                  makeIndex(b, data, base.sizes[0])};
      },
      [&](OpBuilder &b, Location, ValueRange args) -> SmallVector<Value> {
        return {combine(b, loc, combiner, false, args[0], args[1])};
      });
  double error = combiner == Combiner::Add ? getError(base.element, base.error) : base.error;
  addResult(op.getResult(), base, error);
  return true;
}

bool ProgramMaker::stepScan() {
  const LiveTensor *found = choose([](const LiveTensor &t) {
    return t.getRank() >= 1 && !t.element.isInteger(1) && !t.element.isF16() && !t.element.isBF16();
  });
  if (!found)
    return false;
  LiveTensor source = *found;
  Combiner combiner = random.oneIn(3) ? Combiner::Max : Combiner::Add;
  bool isSum = combiner == Combiner::Add;
  auto op = buildScan(builder, loc, source.value, random.below(source.getRank()), combiner, false,
                      /*exclusive=*/isSum && random.oneIn(2), /*reverse=*/random.oneIn(2));
  double error = isSum ? getError(source.element, source.error) : source.error;
  addResult(op.getResult(), source, error);
  return true;
}

/// Chooses one of two tensors in a branch, by an element of a third one or by a size.
bool ProgramMaker::stepBranch() {
  LiveTensor lhs = chooseAny();
  LiveTensor rhs = *choose(
      [&](const LiveTensor &t) { return t.element == lhs.element && t.sizes == lhs.sizes; });
  LiveSize size = !symbols.empty() && symbols[0].size ? symbols[0] : constant(chooseExtent());
  Value extent = dyn_cast<Value>(size.size);
  if (!extent)
    extent = arith::ConstantOp::create(builder, loc, builder.getIndexAttr(size.extent));
  Value limit = arith::ConstantOp::create(builder, loc, builder.getIndexAttr(8));
  Value condition = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, extent, limit);
  const LiveTensor *flag =
      choose([](const LiveTensor &t) { return t.element.isInteger(1) && t.getRank() == 0; });
  if (flag)
    condition = tensor::ExtractOp::create(builder, loc, flag->value, ValueRange());
  double error = std::max(lhs.error, rhs.error);
  auto op = scf::IfOp::create(builder, loc, lhs.value.getType(), condition, true);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&op.getThenRegion().front());
    auto changed = buildCompute(builder, loc, lhs.sizes, lhs.element, [&](OpBuilder &b, Location) {
      Value value = readIdentity(b, lhs);
      return SmallVector<Value>{apply(b, value, value, error)};
    });
    scf::YieldOp::create(builder, loc, changed.getResults());
    builder.setInsertionPointToStart(&op.getElseRegion().front());
    scf::YieldOp::create(builder, loc, rhs.value);
  }
  addResult(op.getResult(0), lhs, error);
  return true;
}

/// Runs a loop of a few iterations. Each applies a function to a carried tensor and sets one of its
/// rows.
bool ProgramMaker::stepLoop() {
  const LiveTensor *found =
      choose([](const LiveTensor &t) { return t.getRank() >= 1 && t.extents[0] > 3; });
  if (!found)
    return false;
  LiveTensor start = *found;
  double error = start.error;
  Value zero = arith::ConstantOp::create(builder, loc, builder.getIndexAttr(0));
  Value one = arith::ConstantOp::create(builder, loc, builder.getIndexAttr(1));
  Value count = arith::ConstantOp::create(builder, loc, builder.getIndexAttr(random.below(4)));
  auto loop = scf::ForOp::create(builder, loc, zero, count, one, start.value);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    LiveTensor carried = start;
    carried.value = loop.getRegionIterArg(0);
    auto changed =
        buildCompute(builder, loc, start.sizes, start.element, [&](OpBuilder &b, Location) {
          Value value = readIdentity(b, carried);
          return SmallVector<Value>{apply(b, value, value, error)};
        });
    SmallVector<AffineExpr> target = {builder.getAffineSymbolExpr(0)};
    for (unsigned d = 1; d < start.getRank(); ++d)
      target.push_back(dim(d - 1));
    auto updated =
        buildUpdate(builder, loc, changed.getResult(0), ArrayRef(start.sizes).drop_front(),
                    AffineMap::get(start.getRank() - 1, 1, target, builder.getContext()),
                    loop.getInductionVar(), IntegerSet(), [&](OpBuilder &b, Location) {
                      return SmallVector<Value>{makeNumber(b, start.element, 1)};
                    });
    scf::YieldOp::create(builder, loc, updated.getResult());
  }
  addResult(loop.getResult(0), start, error);
  return true;
}

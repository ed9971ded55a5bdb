//===- LoopNestAtoms.cpp - tiles computed by instructions on matrices -----===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp computes a tile in fragments of 16 x 8 sums. Lane l has four of each: those of rows l / 4
// and l / 4 + 8, at columns 2 (l % 4) and the next one (PTX ISA, "Matrix Fragments for
// mma.m16n8k16"). So a row of a fragment is a vector of two columns, whose epilogue and store are
// those of any other vector.
//
// The pipelined loop has `depth` buffers of each factor. In each of its iterations, a thread waits
// for its own copies of this iteration, and all wait for each other. Then the buffer of the last
// iteration is free, and is filled for the iteration `depth - 1` ahead.
//
// Several warps may share the steps of a tile, each with sums of its own, which are then added.
//
//===----------------------------------------------------------------------===//

#include "CacheTile.h"
#include "NestBuilder.h"
#include "ThreadCombine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa::conversion {

using Values = NestBuilder::Values;

void NestBuilder::buildAtomTile() {
  const AtomTile &atom = *schedule.atom;
  int64_t rows = getConstant(schedule.loops[atom.rows].extent) / atom.instruction->rows;
  int64_t columns = getConstant(schedule.loops[atom.columns].extent) / atom.instruction->columns;
  auto type = VectorType::get(4, builder.getF32Type());
  Value init = emitter.getIdentity(/*vector=*/false).front();
  Value fragment = vector::BroadcastOp::create(builder, loc(), type, init);
  Values fragments(rows * columns, fragment);
  if (!emitter.addsZeros())
    fragments = buildAtomReduction(0, fragments);
  if (failed(result))
    return;
  emitter.beginScope();
  Value finishes = active;
  if (int64_t parts = schedule.getReductionThreads(); parts > 1) {
    if (!schedule.serial.empty())
      threads->buildBarrier(index); // all have read the parts of an earlier tile
    auto [isFirst, sums] = combineFragments(index, *threads, fragments, parts);
    fragments = sums;
    finishes = buildConjunction(index, active, isFirst);
  }
  Value number = threads->buildNumber(index);
  auto getPart = [&](int64_t divisor, int64_t modulus) {
    Value part = arith::DivUIOp::create(builder, loc(), number, index.constant(divisor));
    part = arith::RemUIOp::create(builder, loc(), part, index.constant(modulus));
    return index.getSymbol(part);
  };
  AffineExpr row = getPart(4, 8), column = getPart(1, 4) * atomLanes;
  auto finish = [&] {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t half : {0, 1})
        finishAtomRow(row + (i * atom.instruction->rows + half * 8), column,
                      ArrayRef(fragments).slice(i * columns, columns), half);
  };
  if (finishes)
    buildIf(finishes, finish, nullptr);
  else
    finish();
}

AffineExpr NestBuilder::findAtomLimit(unsigned id) {
  const ScheduledLoop &loop = schedule.loops[id];
  if (!loop.limit)
    return {};
  AffineExpr count = index.simplify(loop.limit - loop.origin);
  return index.isNonNegative(index.simplify(count - loop.extent)) ? AffineExpr() : count;
}

Value NestBuilder::isBelow(AffineExpr iteration, AffineExpr count) {
  return index.materializeCondition(index.simplify(count - iteration - 1), /*equality=*/false);
}

void NestBuilder::finishAtomRow(AffineExpr row, AffineExpr column, ArrayRef<Value> fragments,
                                int64_t half) {
  auto finish = [&] {
    for (auto [number, sums] : llvm::enumerate(fragments)) {
      Value pair = vector::ExtractStridedSliceOp::create(builder, loc(), sums, half * atomLanes,
                                                         atomLanes, 1);
      finishAtomPair(row, column + number * schedule.atom->instruction->columns, pair);
    }
  };
  if (AffineExpr count = findAtomLimit(schedule.atom->rows))
    buildIf(isBelow(row, count), finish, nullptr);
  else
    finish();
}

void NestBuilder::finishAtomPair(AffineExpr row, AffineExpr column, Value sums) {
  MLIRContext *context = index.getContext();
  TilePoint point;
  if (AffineExpr count = findAtomLimit(schedule.atom->columns)) {
    point.exists = isBelow(column, count);
    if (index.simplify(count % atomLanes) != getAffineConstantExpr(0, context))
      point.mask = vector::FromElementsOp::create(
          builder, loc(), VectorType::get(atomLanes, builder.getI1Type()),
          ValueRange{isBelow(column, count), isBelow(column + 1, count)});
  }
  point.loopValues[getAffineDimExpr(schedule.atom->rows, context)] = row;
  point.loopValues[getAffineDimExpr(schedule.atom->columns, context)] =
      column + getAffineDimExpr(laneDim, context);
  for (auto [loop, expr] : schedule.splits)
    point.loopValues[getAffineDimExpr(loop, context)] = expr.replace(point.loopValues);
  point.dims = schedule.dims;
  point.vector = true;
  finishRow(point, sums);
}

Values NestBuilder::buildAtomReduction(unsigned level, Values fragments) {
  unsigned loop = schedule.reduction[level];
  if (level + 1 == schedule.reduction.size())
    return buildPipelinedLoop(loop, fragments);
  checkUniform(loop);
  return buildFor(index.constant(0), getTripCount(loop), fragments, [&](Value iv, ValueRange sums) {
    index.setLoop(loop, iv);
    visitLoop(loop);
    Values inner = failed(result) ? Values(sums) : buildAtomReduction(level + 1, Values(sums));
    index.dropLoop(loop);
    return inner;
  });
}

void NestBuilder::fillStages(unsigned loop, Value iteration, AffineExpr stage) {
  index.setLoop(loop, iteration);
  for (const CachedOperand &cache : schedule.caches) {
    std::optional<CacheTile> tile =
        getCacheTile(index, schedule, emitter.getDimsOfOperand(cache.operand), cache);
    if (failed(result) || !tile || failed(emitter.fillStage(*tile, stage)))
      result = failure();
  }
  index.dropLoop(loop);
}

Value NestBuilder::buildNextStage(Value stage, int64_t depth) {
  auto getNumber = [&](int64_t number) {
    return arith::ConstantIntOp::create(builder, loc(), stage.getType(), number);
  };
  Value next = arith::AddIOp::create(builder, loc(), stage, getNumber(1));
  Value isLast =
      arith::CmpIOp::create(builder, loc(), arith::CmpIPredicate::eq, next, getNumber(depth));
  return arith::SelectOp::create(builder, loc(), isLast, getNumber(0), next);
}

Values NestBuilder::buildPipelinedLoop(unsigned loop, Values fragments) {
  int64_t depth = schedule.pipeline->depth;
  MLIRContext *context = index.getContext();
  checkUniform(loop);
  Value count = getTripCount(loop);
  if (schedule.reduction.size() > 1 || !schedule.serial.empty())
    threads->buildBarrier(index); // all have read the buffers of an earlier tile
  auto fillIfThere = [&](Value iteration, AffineExpr stage) {
    Value isThere =
        arith::CmpIOp::create(builder, loc(), arith::CmpIPredicate::ult, iteration, count);
    buildIf(isThere, [&] { fillStages(loop, iteration, stage); }, nullptr);
    threads->buildCommit(index);
  };
  for (int64_t i = 0; i + 1 < depth; ++i)
    fillIfThere(index.constant(i), getAffineConstantExpr(i, context));
  // The last value carried is the number of the buffer of the last iteration.
  Values carried = fragments;
  Type i32 = builder.getI32Type();
  carried.push_back(arith::ConstantIntOp::create(builder, loc(), i32, depth - 1));
  auto getStage = [&](Value number) {
    Value stage = arith::IndexCastUIOp::create(builder, loc(), builder.getIndexType(), number);
    return index.getSymbol(stage);
  };
  Values sums = buildFor(index.constant(0), count, carried, [&](Value iv, ValueRange values) {
    threads->buildAwait(index, depth - 2);
    threads->buildBarrier(index);
    Value ahead = arith::AddIOp::create(builder, loc(), iv, index.constant(depth - 1));
    fillIfThere(ahead, getStage(values.back()));
    Value stage = buildNextStage(values.back(), depth);
    if (failed(result))
      return Values(values);
    index.setLoop(loop, iv);
    // A warp beyond the rows or columns adds zeros, but must have its part of the boxes.
    Values inner = accumulateWhere(isNeeded, Values(values.drop_back()), [&](Values fragments) {
      return emitter.accumulateAtom(fragments, getStage(stage));
    });
    index.dropLoop(loop);
    inner.push_back(stage);
    return inner;
  });
  sums.pop_back();
  return sums;
}

} // namespace tssa::conversion

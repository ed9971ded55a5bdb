//===- RandomLayers.cpp - layers of recurrent networks --------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramMaker.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace ::tssa::reference;
using namespace mlir::tssa::te;

/// Returns the gates of one step: an eighth of the product of `state` with a constant, plus row
/// `time` of `inputs`.
LiveTensor ProgramMaker::makeGates(const LiveTensor &state, const LiveTensor &weights,
                                   const LiveTensor &inputs, AffineExpr time, Value step) {
  LiveTensor gates = inputs;
  gates.sizes.erase(gates.sizes.begin());
  gates.extents.erase(gates.extents.begin());
  Type type = inputs.element;
  auto op = buildReduce(
      builder, loc, gates.sizes, state.sizes, Combiner::Add, type, false, type,
      [&](OpBuilder &b, Location) -> SmallVector<Value> {
        Value left = read(b, state, dim(1)), right = read(b, weights, {dim(0), dim(1)});
        return {arith::MulFOp::create(b, loc, left, right)};
      },
      [&](OpBuilder &b, Location, ValueRange args) -> SmallVector<Value> {
        Value value = arith::MulFOp::create(b, loc, args[0], makeNumber(b, type, 0.125));
        value = arith::AddFOp::create(b, loc, value, read(b, inputs, {time, dim(0)}, step));
        return {clamp(b, value, 64)};
      });
  gates.value = op.getResult(0);
  return gates;
}

/// Runs a cell of `numGates` gates over the rows of `inputs`, from the last one on if `isReverse`.
/// Returns the states of all steps, and the last one in `last`.
LiveTensor ProgramMaker::makeLayer(const LiveTensor &inputs, int64_t numGates, bool isReverse,
                                   LiveTensor &last) {
  int64_t hidden = inputs.extents.back() / numGates;
  LiveTensor outputs = inputs;
  outputs.sizes.back() = builder.getIndexAttr(hidden);
  outputs.extents.back() = hidden;
  auto empty = buildCompute(builder, loc, outputs.sizes, outputs.element,
                            [&](OpBuilder &b, Location) -> SmallVector<Value> {
                              return {makeNumber(b, outputs.element, 0)};
                            });
  LiveTensor weights = makeConstant(inputs.element, {hidden * numGates, hidden});
  last = makeConstant(inputs.element, {hidden});
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value end = getValueOrCreateConstantIndexOp(builder, loc, inputs.sizes[0]);
  auto loop =
      scf::ForOp::create(builder, loc, zero, end, one, ValueRange{empty.getResult(0), last.value});
  AffineExpr time = builder.getAffineSymbolExpr(0);
  if (isReverse)
    time = inputs.extents[0] - 1 - time;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value step = loop.getInductionVar();
    LiveTensor state = last;
    state.value = loop.getRegionIterArg(1);
    LiveTensor next =
        makeCell(makeGates(state, weights, inputs, time, step), numGates, 0, numGates);
    auto map = AffineMap::get(1, 1, {time, dim(0)}, builder.getContext());
    auto written = buildUpdate(
        builder, loc, loop.getRegionIterArg(0), state.sizes, map, step, IntegerSet(),
        [&](OpBuilder &b, Location) -> SmallVector<Value> { return {readIdentity(b, next)}; });
    scf::YieldOp::create(builder, loc, ValueRange{written.getResult(), next.value});
  }
  outputs.value = loop.getResult(0);
  last.value = loop.getResult(1);
  return outputs;
}

/// Adds layers of a recurrent network, each of which reads the states of the one before.
bool ProgramMaker::stepLayers() {
  const LiveTensor *found = choose([](const LiveTensor &t) {
    return t.getRank() == 2 && t.element.isF32() && isa<Attribute>(t.sizes.back()) &&
           t.extents.back() > 0 && t.extents.front() <= 16;
  });
  int64_t hidden = 1 + random.below(5), numGates = 1 + random.below(4);
  int64_t numSteps = 1 + random.below(6);
  LiveTensor inputs =
      found && !random.oneIn(3) ? *found : makeConstant(builder.getF32Type(), {numSteps, 3});
  int64_t numLayers = 2 + random.below(3), other = random.oneIn(4) ? random.below(numLayers) : -1;
  bool isReverse = isa<Attribute>(inputs.sizes[0]) && random.oneIn(3);
  for (int64_t i = 0; i < numLayers; ++i) {
    LiveTensor last, gates = makeProduct(inputs, hidden * numGates, 0.125);
    inputs = makeLayer(gates, numGates, isReverse != (i == other && isReverse), last);
    double error = getError(inputs.element, inputs.error);
    if (random.oneIn(2))
      addResult(last.value, last, error);
    if (random.oneIn(3) || i + 1 == numLayers) {
      LiveTensor result = random.oneIn(2) ? makeMap(inputs) : inputs;
      addResult(result.value, result, error);
    }
  }
  return true;
}

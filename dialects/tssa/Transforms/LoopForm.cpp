//===- LoopForm.cpp - loops that can be batched -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tssa/Transforms/LoopForm.h"
#include "dialects/te/IR/TEOps.h"
#include "dialects/tssa/Analysis/Shapes.h"
#include "dialects/tssa/IR/Linear.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::refs;

/// Returns the amount by which `argument` changes in each iteration, if it is a constant.
static std::optional<int64_t> getIncrement(scf::ForOp loop, BlockArgument argument) {
  if (!argument.getType().isIndex() && !argument.getType().isInteger(64))
    return std::nullopt;
  Linear difference = Linear::of(loop.getTiedLoopYieldedValue(argument)->get()) -
                      Linear::of(OpFoldResult(argument));
  return difference.getConstant();
}

bool refs::isNonNegative(Value index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return *constant >= 0;
  Operation *op = index.getDefiningOp();
  if (isa_and_nonnull<tensor::DimOp>(op))
    return true;
  if (isa_and_nonnull<arith::MaxSIOp>(op))
    return llvm::any_of(op->getOperands(), refs::isNonNegative);
  return isa_and_nonnull<arith::AddIOp, arith::MulIOp, arith::MinSIOp, arith::CeilDivSIOp>(op) &&
         llvm::all_of(op->getOperands(), refs::isNonNegative);
}

Value refs::makeTripCount(OpBuilder &builder, scf::ForOp loop) {
  Location loc = loop.getLoc();
  if (std::optional<APInt> known = loop.getStaticTripCount())
    return arith::ConstantIndexOp::create(builder, loc, known->getSExtValue());
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value length = loop.getUpperBound();
  if (getConstantIntValue(loop.getLowerBound()) != 0)
    length = arith::SubIOp::create(builder, loc, length, loop.getLowerBound());
  if (!isNonNegative(length))
    length = arith::MaxSIOp::create(builder, loc, length, zero);
  if (getConstantIntValue(loop.getStep()) == 1)
    return length;
  return arith::CeilDivSIOp::create(builder, loc, length, loop.getStep());
}

/// Builds init + iteration * increment, in the type of `init`.
static Value makeCounter(OpBuilder &builder, Location loc, Value init, Value iteration,
                         int64_t increment) {
  Type type = init.getType();
  if (!type.isIndex())
    iteration = arith::IndexCastOp::create(builder, loc, type, iteration);
  Value factor = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, increment));
  Value offset = arith::MulIOp::create(builder, loc, iteration, factor);
  return arith::AddIOp::create(builder, loc, init, offset);
}

/// Replaces the counters of a loop from 0 with step 1 by arithmetic on its induction variable.
/// The loop still carries the counters, without uses.
static void replaceCounters(scf::ForOp loop) {
  if (getConstantIntValue(loop.getLowerBound()) != 0 || getConstantIntValue(loop.getStep()) != 1)
    return;
  for (BlockArgument argument : loop.getRegionIterArgs()) {
    std::optional<int64_t> increment = getIncrement(loop, argument);
    OpResult result = loop.getTiedLoopResult(argument);
    if (!increment || (argument.use_empty() && result.use_empty()))
      continue;
    OpBuilder builder = OpBuilder::atBlockBegin(loop.getBody());
    Value init = loop.getTiedLoopInit(argument)->get();
    Value inside = makeCounter(builder, loop.getLoc(), init, loop.getInductionVar(), *increment);
    argument.replaceAllUsesWith(inside);
    builder.setInsertionPointAfter(loop);
    Value after =
        makeCounter(builder, loop.getLoc(), init, makeTripCount(builder, loop), *increment);
    result.replaceAllUsesWith(after);
    loop.getTiedLoopYieldedValue(argument)->set(argument);
  }
}

/// Replaces each size of a tensor in the body by the size that the tensor was built with, or by a
/// size of a tensor from outside of the loop.
static void replaceSizes(scf::ForOp loop) {
  for (Operation &op : llvm::make_early_inc_range(*loop.getBody())) {
    auto dim = dyn_cast<tensor::DimOp>(op);
    std::optional<int64_t> number = dim ? dim.getConstantIndex() : std::nullopt;
    if (!number || loop.isDefinedOutsideOfLoop(dim.getSource()))
      continue;
    OpBuilder builder(dim);
    OpFoldResult size = refs::getSizes(builder, dim.getLoc(), dim.getSource())[*number];
    if (size == OpFoldResult(dim.getResult()))
      continue;
    dim.replaceAllUsesWith(getValueOrCreateConstantIndexOp(builder, dim.getLoc(), size));
    dim.erase();
  }
}

static void hoistConstants(scf::ForOp loop) {
  for (Operation &op : llvm::make_early_inc_range(*loop.getBody()))
    if (isa<te::ConstantOp>(op) || op.hasTrait<OpTrait::ConstantLike>())
      op.moveBefore(loop);
}

/// Moves index arithmetic that is the same in each iteration out of `loop`.
static void hoistScalars(scf::ForOp loop) {
  for (Operation &op : llvm::make_early_inc_range(loop.getBody()->without_terminator())) {
    bool isArithmetic =
        isa<tensor::DimOp>(op) || isa<arith::ArithDialect, affine::AffineDialect>(op.getDialect());
    if (isArithmetic && isPure(&op) && llvm::all_of(op.getOperands(), [&](Value operand) {
          return loop.isDefinedOutsideOfLoop(operand);
        }))
      op.moveBefore(loop);
  }
}

Value refs::makeIterationNumber(OpBuilder &builder, scf::ForOp loop) {
  Location loc = loop.getLoc();
  Value number = loop.getInductionVar();
  if (getConstantIntValue(loop.getLowerBound()) != 0)
    number = arith::SubIOp::create(builder, loc, number, loop.getLowerBound());
  if (getConstantIntValue(loop.getStep()) != 1)
    number = arith::FloorDivSIOp::create(builder, loc, number, loop.getStep());
  return number;
}

void refs::prepareForBatch(scf::ForOp loop) {
  hoistConstants(loop);
  replaceCounters(loop);
  replaceSizes(loop);
  hoistScalars(loop);
}

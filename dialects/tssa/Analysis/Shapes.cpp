//===- Shapes.cpp - values that have the shape of another -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tssa/Analysis/Shapes.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/te/IR/TEOps.h"
#include "dialects/tssa/IR/TSSAOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tssa;

/// Returns the values that control flow passes to an argument of a loop's region.
static SmallVector<Value> getIncoming(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast_or_null<scf::ForOp>(parent)) {
    if (argument == loop.getInductionVar())
      return {};
    return {loop.getTiedLoopInit(argument)->get(), loop.getTiedLoopYieldedValue(argument)->get()};
  }
  auto loop = dyn_cast_or_null<scf::WhileOp>(parent);
  if (!loop)
    return {};
  unsigned number = argument.getArgNumber();
  if (argument.getOwner() == loop.getAfterBody())
    return {loop.getConditionOp().getArgs()[number]};
  return {loop.getInits()[number], loop.getYieldOp()->getOperand(number)};
}

SmallVector<Value> refs::getIncoming(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ::getIncoming(argument);
  auto result = cast<OpResult>(value);
  unsigned number = result.getResultNumber();
  if (auto branch = dyn_cast<scf::IfOp>(result.getOwner()))
    return {branch.thenYield()->getOperand(number), branch.elseYield()->getOperand(number)};
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
    return {loop.getInits()[number], loop.getBody()->getTerminator()->getOperand(number)};
  if (auto loop = dyn_cast<scf::WhileOp>(result.getOwner()))
    return {loop.getConditionOp().getArgs()[number]};
  return {};
}

/// Returns the tensor that a chain of assigns and updates starts from.
static Value findBase(Value tensor) {
  while (true) {
    if (auto assign = tensor.getDefiningOp<refs::AssignOp>())
      tensor = assign.getBase();
    else if (auto update = tensor.getDefiningOp<te::UpdateOp>())
      tensor = update.getBase();
    else
      return tensor;
  }
}

/// Returns the base of what `base` is before its loop, if the loop only writes to it; else null.
static Value findBaseBeforeLoop(Value base) {
  auto argument = dyn_cast<BlockArgument>(base);
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  if (!loop || argument == loop.getInductionVar() ||
      findBase(loop.getTiedLoopYieldedValue(argument)->get()) != base)
    return {};
  return findBase(loop.getTiedLoopInit(argument)->get());
}

Value refs::getShapeOrigin(Value tensor) {
  Value base = findBase(tensor);
  while (Value before = findBaseBeforeLoop(base))
    base = before;
  // `reached` holds all values that flow into `base`, directly or not. If exactly one of them has
  // no incoming value, all of them have its shape.
  llvm::SetVector<Value> reached;
  reached.insert(base);
  Value origin;
  for (unsigned next = 0; next < reached.size(); ++next) {
    SmallVector<Value> incoming = getIncoming(reached[next]);
    for (Value value : incoming)
      reached.insert(findBase(value));
    if (!incoming.empty())
      continue;
    if (origin)
      return base;
    origin = reached[next];
  }
  // A region of an scf.while cannot use the values of the other region.
  bool isVisible = origin && origin.getParentRegion()->isAncestor(base.getParentRegion());
  return isVisible ? origin : base;
}

SmallVector<OpFoldResult> refs::getSizes(OpBuilder &builder, Location loc, Value tensor) {
  Value origin = getShapeOrigin(tensor);
  if (auto access = origin.getDefiningOp<AccessOp>())
    return reifyShape(access.getBoundPath(), getSizes(builder, loc, access.getBase()));
  return te::getSizes(builder, loc, origin);
}

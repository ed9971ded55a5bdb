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

using namespace mlir;
using namespace mlir::tssa;

/// What comes into an argument of a loop's region.
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

/// `open` are the carried values whose origin is being looked for: one that leads to
/// itself again says nothing.
static Value findOrigin(Value tensor, llvm::SmallDenseSet<Value> &open) {
  while (true) {
    if (auto assign = tensor.getDefiningOp<refs::AssignOp>())
      tensor = assign.getBase();
    else if (auto update = tensor.getDefiningOp<te::UpdateOp>())
      tensor = update.getBase();
    else
      break;
  }
  SmallVector<Value> incoming = refs::getIncoming(tensor);
  if (incoming.empty() || !open.insert(tensor).second)
    return tensor;
  Value origin;
  for (Value value : incoming) {
    Value found = findOrigin(value, open);
    if (open.contains(found))
      continue;
    if (origin && origin != found) {
      origin = tensor;
      break;
    }
    origin = found;
  }
  open.erase(tensor);
  // The two regions of an scf.while do not see each other's arguments.
  bool isVisible = origin && origin.getParentRegion()->isAncestor(tensor.getParentRegion());
  return isVisible ? origin : tensor;
}

Value refs::getShapeOrigin(Value tensor) {
  llvm::SmallDenseSet<Value> open;
  return findOrigin(tensor, open);
}

SmallVector<OpFoldResult> refs::getSizes(OpBuilder &builder, Location loc, Value tensor) {
  return te::getSizes(builder, loc, getShapeOrigin(tensor));
}

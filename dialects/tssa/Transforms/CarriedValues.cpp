//===- CarriedValues.cpp - more or fewer values through scf ops -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tssa/Transforms/CarriedValues.h"
#include "dialects/tssa/IR/TSSAOps.h"

using namespace mlir;
using namespace mlir::tssa;

bool refs::isControlFlow(Operation *op) { return isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op); }

/// Creates a copy of `op` with other operands and result types, and moves the regions of `op` into
/// it.
static Operation *rebuild(OpBuilder &builder, Operation *op, ValueRange operands,
                          TypeRange resultTypes) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  OperationState state(op->getLoc(), op->getName(), operands, resultTypes);
  state.attributes = op->getDiscardableAttrDictionary();
  state.propertiesAttr = op->getPropertiesAsAttribute();
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  return builder.create(state);
}

Operation *refs::addCarried(OpBuilder &builder, Operation *op, ValueRange inits,
                            TypeRange carriedTypes) {
  SmallVector<Value> operands(op->getOperands());
  if (!isa<scf::IfOp>(op))
    llvm::append_range(operands, inits);
  SmallVector<Type> types(op->getResultTypes());
  llvm::append_range(types, carriedTypes);
  Operation *result = rebuild(builder, op, operands, types);
  if (auto branch = dyn_cast<scf::IfOp>(result)) {
    if (branch.getElseRegion().empty()) {
      OpBuilder::InsertionGuard guard(builder);
      builder.createBlock(&branch.getElseRegion());
      scf::YieldOp::create(builder, branch.getLoc());
    }
    return result;
  }
  auto addArguments = [&](Region &region, TypeRange added) {
    for (Type type : added)
      region.addArgument(type, result->getLoc());
  };
  addArguments(result->getRegion(0), inits.getTypes());
  if (isa<scf::WhileOp>(result))
    addArguments(result->getRegion(1), carriedTypes);
  return result;
}

MutableOperandRange refs::getYielded(Region &region) {
  Operation *terminator = region.front().getTerminator();
  if (auto condition = dyn_cast<scf::ConditionOp>(terminator))
    return condition.getArgsMutable();
  return MutableOperandRange(terminator);
}

MutableArrayRef<BlockArgument> refs::getCarriedArguments(Region &region) {
  MutableArrayRef<BlockArgument> arguments = region.getArguments();
  return isa<scf::ForOp>(region.getParentOp()) ? arguments.drop_front() : arguments;
}

static bool isRef(Value value) { return isa<refs::RefType>(value.getType()); }

static SmallVector<Value> withoutRefs(ValueRange values) {
  return llvm::filter_to_vector(SmallVector<Value>(values),
                                [](Value value) { return !isRef(value); });
}

void refs::dropRefOperands(Operation *op) {
  for (Region &region : op->getRegions())
    if (!region.empty()) {
      MutableOperandRange yielded = getYielded(region);
      yielded.assign(withoutRefs(yielded.getAsOperandRange()));
    }
  op->setOperands(withoutRefs(op->getOperands()));
}

void refs::dropRefs(OpBuilder &builder, Operation *op) {
  for (Region &region : op->getRegions())
    if (!region.empty())
      region.front().eraseArguments([](BlockArgument argument) { return isRef(argument); });
  SmallVector<Type> types = llvm::filter_to_vector(
      SmallVector<Type>(op->getResultTypes()), [](Type type) { return !isa<refs::RefType>(type); });
  Operation *result = rebuild(builder, op, SmallVector<Value>(op->getOperands()), types);
  unsigned next = 0;
  for (Value old : op->getResults())
    if (!isRef(old))
      old.replaceAllUsesWith(result->getResult(next++));
  op->erase();
}

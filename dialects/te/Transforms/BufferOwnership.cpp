//===- BufferOwnership.cpp - frees dynamically allocated buffers ---------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/BufferOwnership.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::tssa::te {

BufferOwnership::BufferOwnership(BufferProgram &program) {
  for (auto [i, variable] : llvm::enumerate(program.getVariables()))
    if (variable.kind == Variable::Allocated)
      visit(program, i, Value(variable.values.front()).getParentBlock());
}

BufferOwnership::LastUse BufferOwnership::findLastUse(BufferProgram &program, unsigned variable,
                                                      Block *block) {
  LastUse last;
  if (Value value = program.getVariables()[variable].values.front();
      value.getParentBlock() == block)
    last.op = value.getDefiningOp();
  for (OpOperand *use : program.getUses(variable)) {
    if (isa<tensor::DimOp, tensor::CastOp>(use->getOwner()))
      continue; // no access to the memory
    Operation *user = block->findAncestorOpInBlock(*use->getOwner());
    if (!user)
      continue; // in the other branch
    if (!last.op || last.op->isBeforeInBlock(user)) {
      last.op = user;
      last.operands.clear();
    }
    if (user == last.op)
      last.operands.push_back(use);
  }
  return last;
}

const Copy *BufferOwnership::findMove(BufferProgram &program, unsigned variable,
                                      const LastUse &last) {
  if (last.operands.size() != 1 || last.operands[0]->getOwner() != last.op)
    return nullptr;
  for (const Copy &copy : program.getCopies()) {
    if (copy.at != last.op || copy.source != variable ||
        program.getVariables()[copy.target].kind != Variable::Allocated)
      continue;
    bool overwrites = copy.kind == Copy::Update;
    if (overwrites && !program.getUpdate(cast<LaunchOp>(last.op), copy.number)->onlyUse)
      return nullptr;
    return &copy;
  }
  return nullptr;
}

bool BufferOwnership::isMovedInBranch(BufferProgram &program, unsigned variable, Operation *op) {
  auto branch = dyn_cast_or_null<scf::IfOp>(op);
  if (!branch || branch.getElseRegion().empty())
    return false;
  return llvm::any_of(branch->getRegions(), [&](Region &region) {
    LastUse last = findLastUse(program, variable, &region.front());
    return findMove(program, variable, last) || isMovedInBranch(program, variable, last.op);
  });
}

void BufferOwnership::visit(BufferProgram &program, unsigned variable, Block *block) {
  Value value = program.getVariables()[variable].values.front();
  LastUse last = findLastUse(program, variable, block);
  if (!last.op) {
    atStart[block].push_back(value);
  } else if (const Copy *copy = findMove(program, variable, last)) {
    moves.insert({copy->at, copy->number});
  } else if (isMovedInBranch(program, variable, last.op)) {
    for (Region &region : last.op->getRegions())
      visit(program, variable, &region.front());
  } else if (!tryToReturn(value, last.operands)) {
    afterOp[last.op].push_back(value);
  }
}

bool BufferOwnership::tryToReturn(Value value, ArrayRef<OpOperand *> lastUses) {
  auto launch = value.getDefiningOp<LaunchOp>();
  if (!launch || !isa<func::FuncOp>(launch->getParentOp()) || lastUses.empty() ||
      !isa<func::ReturnOp>(lastUses[0]->getOwner()))
    return false;
  if (moves.contains({launch, cast<OpResult>(value).getResultNumber()}))
    return false; // `value` takes over the memory of another variable
  unsigned first = lastUses[0]->getOperandNumber();
  for (OpOperand *use : lastUses)
    first = std::min(first, use->getOperandNumber());
  results[value] = first;
  return true;
}

ArrayRef<Value> BufferOwnership::getReleases(Operation *op) const {
  auto found = afterOp.find(op);
  return found == afterOp.end() ? ArrayRef<Value>() : ArrayRef<Value>(found->second);
}

ArrayRef<Value> BufferOwnership::getReleases(Block *block) const {
  auto found = atStart.find(block);
  return found == atStart.end() ? ArrayRef<Value>() : ArrayRef<Value>(found->second);
}

std::optional<unsigned> BufferOwnership::getResult(Value value) const {
  auto found = results.find(value);
  if (found == results.end())
    return std::nullopt;
  return found->second;
}

} // namespace mlir::tssa::te

//===- BufferOwnership.cpp - frees dynamically allocated buffers ---------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/BufferOwnership.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::tssa::te {

BufferOwnership::BufferOwnership(BufferProgram &program) {
  for (unsigned i = 0, e = program.getVariables().size(); i < e; ++i)
    if (program.getVariables()[i].kind == Variable::Allocated)
      visit(program, i);
}

void BufferOwnership::visit(BufferProgram &program, unsigned variable) {
  Value value = program.getVariables()[variable].values.front();
  Block *block = value.getParentBlock();
  Operation *last = value.getDefiningOp();
  SmallVector<OpOperand *> lastUses;
  for (OpOperand *use : program.getUses(variable)) {
    if (isa<tensor::DimOp, tensor::CastOp>(use->getOwner()))
      continue; // no access to the memory
    Operation *user = block->findAncestorOpInBlock(*use->getOwner());
    if (!last || last->isBeforeInBlock(user)) {
      last = user;
      lastUses.clear();
    }
    if (user == last)
      lastUses.push_back(use);
  }
  if (!last)
    atStart[block].push_back(value);
  else if (!tryToMove(program, variable, last, lastUses) && !tryToReturn(value, lastUses))
    afterOp[last].push_back(value);
}

bool BufferOwnership::tryToMove(BufferProgram &program, unsigned variable, Operation *last,
                                ArrayRef<OpOperand *> lastUses) {
  if (lastUses.size() != 1 || lastUses[0]->getOwner() != last)
    return false;
  for (const Copy &copy : program.getCopies()) {
    if (copy.at != last || copy.source != variable ||
        program.getVariables()[copy.target].kind != Variable::Allocated)
      continue;
    if (copy.kind == Copy::Update && !program.getUpdate(cast<LaunchOp>(last), copy.number)->onlyUse)
      return false;
    moves.insert({copy.at, copy.number});
    return true;
  }
  return false;
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

//===- BufferRewriterControl.cpp - loops and branches on memrefs ---------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Control flow no longer carries a planned tensor, because its buffer is the same before, in and
/// after the op. It carries a dynamically allocated tensor as a memref.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/BufferRewriter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tssa::te {

static bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

static Type getCarriedType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? MemRefType::get(tensor.getShape(), tensor.getElementType()) : type;
}

/// Does not erase arguments, because the old operations, which are erased last, still use them.
void BufferRewriter::rewriteBlockArguments(Block &block) {
  for (BlockArgument argument : block.getArguments()) {
    if (!isTensor(argument))
      continue;
    if (isPlanned(argument)) {
      memrefs[argument] = createPlanned(argument);
      deadArguments.push_back({&block, argument.getArgNumber()});
    } else {
      argument.setType(getCarriedType(argument.getType()));
      memrefs[argument] = argument;
    }
  }
}

void BufferRewriter::appendInits(Operation *loop, unsigned numBounds,
                                 SmallVectorImpl<Value> &operands) {
  for (auto [i, init] : llvm::enumerate(loop->getOperands().drop_front(numBounds))) {
    const Copy *copy = program.lookupCopy(loop, i);
    if (!copy) {
      operands.push_back(init);
      continue;
    }
    const Variable &target = program.getVariables()[copy->target];
    if (target.kind == Variable::Planned)
      continue;
    Value source = memrefs.lookup(init), own = source;
    if (!ownership.isMove(*copy)) {
      own = allocateLike(source);
      emitCopy(loop->getLoc(), source, own, *copy);
    }
    operands.push_back(castTo(own, target.values.front().getType()));
  }
}

LogicalResult BufferRewriter::rewriteStructured(Operation *op) {
  Location loc = op->getLoc();
  SmallVector<Value> operands;
  SmallVector<Type> types;
  unsigned numBounds = isa<scf::ForOp>(op) ? 3 : isa<scf::IfOp>(op) ? 1 : 0;
  operands.append(op->operand_begin(), op->operand_begin() + numBounds);
  for (OpResult result : op->getResults())
    if (isKept(result))
      types.push_back(getCarriedType(result.getType()));

  // Branches write to the buffers of their planned results; loops update them in place.
  for (OpResult result : op->getResults())
    if (isTensor(result) && isPlanned(result))
      memrefs[result] = createPlanned(result);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      rewriteBlockArguments(block);

  if (!isa<scf::IfOp>(op)) {
    emitCopies(op);
    appendInits(op, numBounds, operands);
  }

  Operation *replacement =
      Operation::create(loc, op->getName(), types, operands, op->getDiscardableAttrDictionary(),
                        op->getPropertiesStorage(), BlockRange(), op->getNumRegions());
  builder.insert(replacement);
  for (auto [to, from] : llvm::zip(replacement->getRegions(), op->getRegions()))
    to.takeBody(from);
  unsigned next = 0;
  for (OpResult result : op->getResults()) {
    if (!isKept(result))
      continue;
    Value kept = replacement->getResult(next++);
    if (isTensor(result))
      memrefs[result] = kept;
    else
      result.replaceAllUsesWith(kept);
  }
  dead.push_back(op);
  for (Region &region : replacement->getRegions())
    for (Block &block : region)
      if (failed(rewriteBlock(block)))
        return failure();
  return success();
}

/// Emits the copies to planned variables at `op`, in an order in which no copy overwrites the
/// source of a later copy. Sources for which there is no such order are saved first.
void BufferRewriter::emitCopies(Operation *op) {
  Location loc = op->getLoc();
  DenseMap<const Copy *, Value> saved;
  for (const Copy *copy : placement.getCopies(op))
    if (Value offset = placement.getTemporary(*copy)) {
      saved[copy] = createView(copy->value.getType(), arena, offset, copy->value);
      memref::CopyOp::create(builder, loc, memrefs.lookup(copy->value), saved[copy]);
    }
  for (const Copy *copy : placement.getCopies(op)) {
    Value source = saved.contains(copy) ? saved[copy] : memrefs.lookup(copy->value);
    Value target = copy->kind == Copy::Return
                       ? resultBuffers[copy->number]
                       : memrefs.lookup(program.getVariables()[copy->target].values.front());
    emitCopy(loc, source, target, *copy);
  }
}

void BufferRewriter::rewriteYield(Operation *op) {
  Location loc = op->getLoc();
  unsigned first = isa<scf::ConditionOp>(op) ? 1 : 0;
  SmallVector<Value> operands(op->operand_begin(), op->operand_begin() + first);
  for (auto [i, value] : llvm::enumerate(op->getOperands().drop_front(first))) {
    const Copy *copy = program.lookupCopy(op, i);
    if (!copy) {
      operands.push_back(value);
      continue;
    }
    const Variable &target = program.getVariables()[copy->target];
    if (target.kind == Variable::Planned)
      continue;
    Value own = memrefs.lookup(value);
    if (!ownership.isMove(*copy)) {
      own = allocateLike(own);
      emitCopy(loc, memrefs.lookup(value), own, *copy);
    }
    operands.push_back(castTo(own, getCarriedType(target.values.front().getType())));
  }
  emitCopies(op);
  release(ownership.getReleases(op));
  OperationState state(loc, op->getName());
  state.addOperands(operands);
  state.addAttributes(op->getDiscardableAttrDictionary().getValue());
  builder.create(state);
  dead.push_back(op);
}

void BufferRewriter::rewriteReturn(func::ReturnOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> results;
  emitCopies(op);
  for (auto [i, value] : llvm::enumerate(op.getOperands())) {
    if (!memrefs.contains(value)) {
      results.push_back(value);
      continue;
    }
    Value source = memrefs.lookup(value);
    auto type = cast<MemRefType>(function.getResultTypes()[i]);
    if (!resultBuffers[i]) { // the size is not known at the start of the program
      SmallVector<Value> dynamicSizes;
      for (auto [dim, size] : llvm::enumerate(type.getShape()))
        if (ShapedType::isDynamic(size))
          dynamicSizes.push_back(memref::DimOp::create(builder, loc, source, dim));
      resultBuffers[i] = ResultOp::create(builder, loc, type, i, dynamicSizes);
      memref::CopyOp::create(builder, loc, source, resultBuffers[i]);
      ++numCopies;
    }
    results.push_back(castTo(resultBuffers[i], type));
  }
  release(ownership.getReleases(op));
  func::ReturnOp::create(builder, loc, results);
  dead.push_back(op);
}

} // namespace mlir::tssa::te

//===- Sharing.cpp - tensors that are read more than once -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/Sharing.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

bool SharedTensor::isSpatial() const {
  return llvm::none_of(readers, [](const Reader &reader) { return reader.isTemporal(); });
}

Sharing::Sharing(Operation *program) : graph(program) {
  program->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      visit(result);
    if (op != program && StepGraph::isStep(op))
      return WalkResult::skip();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          visit(argument);
    return WalkResult::advance();
  });
}

/// Adds the steps that read `tensor` or one of its casts.
static void collectReaders(Value tensor, llvm::SetVector<Operation *> &readers) {
  for (Operation *user : tensor.getUsers()) {
    if (auto cast = dyn_cast<tensor::CastOp>(user))
      collectReaders(cast.getResult(), readers);
    else if (Operation *step = StepGraph::findStep(user))
      readers.insert(step);
  }
}

/// Returns whether `op` is in a loop that does not define `tensor`.
static bool isUnderLoop(Operation *op, Value tensor) {
  Operation *scope = tensor.getParentRegion()->getParentOp();
  for (op = op->getParentOp(); op != scope; op = op->getParentOp())
    if (isa<LoopLikeOpInterface>(op))
      return true;
  return false;
}

void Sharing::visit(Value tensor) {
  if (!isa<RankedTensorType>(tensor.getType()) || tensor.getDefiningOp<tensor::CastOp>())
    return;
  llvm::SetVector<Operation *> steps;
  collectReaders(tensor, steps);
  SharedTensor shared{tensor, {}};
  for (Operation *step : steps)
    shared.readers.push_back({step, std::nullopt, isUnderLoop(step, tensor)});
  if (shared.readers.empty() || (shared.readers.size() == 1 && shared.isSpatial()))
    return;
  llvm::sort(shared.readers, [&](const Reader &a, const Reader &b) {
    return graph.getNumber(a.step) < graph.getNumber(b.step);
  });
  findDepths(shared);
  numbers[tensor] = tensors.size();
  tensors.push_back(std::move(shared));
}

void Sharing::findDepths(SharedTensor &shared) const {
  Operation *scope = shared.tensor.getParentRegion()->getParentOp();
  bool isInLoop = isa<LoopLikeOpInterface>(scope) || scope->getParentOfType<LoopLikeOpInterface>();
  for (const Reader &first : shared.readers) {
    SmallVector<std::optional<unsigned>> depths =
        graph.getDepths(graph.getNumber(first.step), !isInLoop);
    for (Reader &second : shared.readers) {
      std::optional<unsigned> depth = depths[graph.getNumber(second.step)];
      if (depth && *depth != 0)
        second.depth = std::min(*depth, second.depth.value_or(*depth));
    }
  }
}

const SharedTensor *Sharing::lookup(Value tensor) const {
  while (auto cast = tensor.getDefiningOp<tensor::CastOp>())
    tensor = cast.getSource();
  auto found = numbers.find(tensor);
  return found == numbers.end() ? nullptr : &tensors[found->second];
}

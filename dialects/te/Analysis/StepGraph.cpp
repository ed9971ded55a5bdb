//===- StepGraph.cpp - dependences between the steps of a program -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/StepGraph.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

bool StepGraph::isStep(Operation *op) { return isa<ExpressionOpInterface, LaunchOp, ExternOp>(op); }

Operation *StepGraph::findStep(Operation *op) {
  while (op && !isStep(op))
    op = op->getParentOp();
  return op;
}

StepGraph::StepGraph(Operation *program) {
  program->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isStep(op))
      return WalkResult::advance();
    numbers[op] = steps.size();
    steps.push_back(op);
    return WalkResult::skip();
  });
  predecessors.resize(steps.size());
  visit(program->getRegion(0).front(), {});
  sameIteration = predecessors;
  carries = true;
  visit(program->getRegion(0).front(), {});
}

/// Adds `more` to `steps`. Returns whether it had others.
bool StepGraph::add(Steps &steps, ArrayRef<unsigned> more) {
  Steps merged;
  std::set_union(steps.begin(), steps.end(), more.begin(), more.end(), std::back_inserter(merged));
  bool changed = merged.size() != steps.size();
  steps = std::move(merged);
  return changed;
}

/// Each value of `to` may be the value of `from` of the same position.
bool StepGraph::flow(ValueRange from, ValueRange to) {
  bool changed = false;
  for (auto [source, target] : llvm::zip(from, to)) {
    Steps steps = origins.lookup(source);
    changed |= add(origins[target], steps);
  }
  return changed;
}

void StepGraph::addTo(ValueRange values, ArrayRef<unsigned> more) {
  for (Value value : values)
    add(origins[value], more);
}

void StepGraph::visit(Block &block, const Steps &control) {
  for (Operation &op : block)
    visit(&op, control);
}

void StepGraph::visit(Operation *op, const Steps &control) {
  if (isa<scf::ForOp>(op))
    return visitFor(op, control);
  if (isa<scf::WhileOp>(op))
    return visitWhile(op, control);
  Steps inputs = control;
  for (Value operand : op->getOperands())
    add(inputs, origins.lookup(operand));
  if (isStep(op))
    return visitStep(op, inputs);
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      addTo(block.getArguments(), inputs);
      visit(block, inputs);
      if (!block.empty() && block.back().hasTrait<OpTrait::IsTerminator>())
        flow(block.back().getOperands(), op->getResults());
    }
  addTo(op->getResults(), inputs);
}

/// The bodies of a step use values of the program, too.
void StepGraph::visitStep(Operation *op, Steps inputs) {
  for (Region &region : op->getRegions())
    region.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        add(inputs, origins.lookup(operand));
    });
  unsigned number = numbers.lookup(op);
  add(predecessors[number], inputs);
  addTo(op->getResults(), number);
}

void StepGraph::visitFor(Operation *op, const Steps &control) {
  auto loop = cast<scf::ForOp>(op);
  Steps bounds = control;
  for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
    add(bounds, origins.lookup(bound));
  addTo(loop.getInductionVar(), bounds);
  addTo(loop.getResults(), bounds);
  flow(loop.getInitArgs(), loop.getRegionIterArgs());
  do
    visit(*loop.getBody(), bounds);
  while (carries && flow(loop.getYieldedValues(), loop.getRegionIterArgs()));
  flow(loop.getRegionIterArgs(), loop.getResults());
  flow(loop.getYieldedValues(), loop.getResults());
}

void StepGraph::visitWhile(Operation *op, const Steps &control) {
  auto loop = cast<scf::WhileOp>(op);
  scf::ConditionOp condition = loop.getConditionOp();
  flow(loop.getInits(), loop.getBeforeArguments());
  Steps inputs = control;
  do {
    visit(*loop.getBeforeBody(), inputs);
    add(inputs, origins.lookup(condition.getCondition()));
    flow(condition.getArgs(), loop.getAfterArguments());
    visit(*loop.getAfterBody(), inputs);
  } while (carries && flow(loop.getYieldOp().getOperands(), loop.getBeforeArguments()));
  // The last condition may depend on steps that the first one does not depend on.
  visit(*loop.getBeforeBody(), inputs);
  add(inputs, origins.lookup(condition.getCondition()));
  flow(condition.getArgs(), loop.getResults());
  addTo(loop.getResults(), inputs);
}

SmallVector<std::optional<unsigned>> StepGraph::getDepths(unsigned from, bool carried) const {
  ArrayRef<Steps> edges = carried ? predecessors : sameIteration;
  SmallVector<std::optional<unsigned>> depths(steps.size());
  depths[from] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned step = 0; step < steps.size(); ++step)
      for (unsigned before : edges[step]) {
        if (step == from || !depths[before])
          continue;
        unsigned depth = *depths[before] + 1;
        if (depths[step] && (before >= step || *depths[step] >= depth))
          continue;
        depths[step] = depth;
        changed = true;
      }
  }
  return depths;
}

//===- StepGraph.h - dependences between the steps of a program -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_STEPGRAPH_H
#define DIALECTS_TE_ANALYSIS_STEPGRAPH_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// The *steps* of a program, which are its tensor expressions, launches and calls of library
/// routines, and which step depends on which. The program is a host program or a kernel. A step
/// depends on another one through its tensors, sizes and indexes, through values that a loop
/// carries, and through the condition of a branch or the bounds of a loop around it.
class StepGraph {
public:
  explicit StepGraph(Operation *program);

  static bool isStep(Operation *op);
  /// Returns the step that `op` is or is in, or null if it is in none.
  static Operation *findStep(Operation *op);

  /// Returns the steps in the order of the program.
  ArrayRef<Operation *> getSteps() const { return steps; }
  unsigned getNumber(Operation *step) const { return numbers.lookup(step); }
  /// Returns the steps on which `step` depends directly. One that is not before `step` is a step of
  /// an earlier iteration.
  ArrayRef<unsigned> getPredecessors(unsigned step) const { return predecessors[step]; }
  /// Returns for each step the greatest number of steps on a path from `from` to it, without
  /// `from`. A path goes around a loop only to reach a step that it does not reach otherwise. There
  /// is no number for a step that does not depend on `from`, and 0 for `from` itself.
  /// Without `carried`, values that a loop passes to its next iteration count for nothing.
  SmallVector<std::optional<unsigned>> getDepths(unsigned from, bool carried = true) const;

private:
  /// Steps in ascending order.
  using Steps = SmallVector<unsigned, 2>;

  SmallVector<Operation *> steps;
  llvm::DenseMap<Operation *, unsigned> numbers;
  SmallVector<Steps, 0> predecessors;
  SmallVector<Steps, 0> sameIteration; ///< `predecessors` without what loops carry
  bool carries = false;                ///< whether loops pass on their values
  /// The steps from which a value comes directly.
  llvm::DenseMap<Value, Steps> origins;

  static bool add(Steps &steps, ArrayRef<unsigned> more);
  bool flow(ValueRange from, ValueRange to);
  void addTo(ValueRange values, ArrayRef<unsigned> more);
  void visit(Block &block, const Steps &control);
  void visit(Operation *op, const Steps &control);
  void visitStep(Operation *op, Steps inputs);
  void visitFor(Operation *op, const Steps &control);
  void visitWhile(Operation *op, const Steps &control);
};

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_STEPGRAPH_H

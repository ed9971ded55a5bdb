//===- LoopSlice.h - what an op in a loop is computed from -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The slice of an op in the body of a loop: this op and the ops of the body that its operands are
/// computed from. If no op of the slice depends on what the loop carries, the slice can run outside
/// of the loop, for all iterations at once.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_TRANSFORMS_LOOPSLICE_H
#define DIALECTS_TSSA_TRANSFORMS_LOOPSLICE_H

#include "dialects/te/IR/TEOps.h"
#include "dialects/tssa/Transforms/LoopBatch.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::tssa::refs {

/// A slice that can run outside of the loop, unless there is an obstacle.
class LoopSlice {
public:
  /// Finds the slice of `op`. `loop` must have gone through prepareForBatch. The slice ends at
  /// `given`, if it is not null: a tensor of the body that is known for all iterations.
  LoopSlice(scf::ForOp loop, Operation *op, Value given = {});

  /// Returns why the slice cannot run outside of the loop, or an empty string if it can.
  StringRef getObstacle() const { return obstacle; }
  /// Returns the ops of the slice, each after those that it depends on.
  ArrayRef<Operation *> getOps() const { return ops.getArrayRef(); }
  /// Returns whether `value` depends on the iteration. A value of the loop that is not a result of
  /// the slice is taken to do so.
  bool varies(Value value) const;
  /// Returns whether `op` of the slice may run once, before the loop, in place of all iterations:
  /// its results do not depend on the iteration, and if the loop may run no iteration, neither `op`
  /// nor what it depends on can fail.
  bool runsOnce(Operation *op) const { return !perIteration.contains(op); }

  /// Erases the ops of the slice that nothing uses any more. The slice is then of no use either.
  void eraseUnused();

private:
  /// Adds `op` and what it depends on. Returns whether there is no obstacle.
  bool add(Operation *op);
  bool giveUp(const Twine &why);
  bool checkIndexes(Operation *op);

  scf::ForOp loop;
  Value given;
  OpBuilder builder;
  LoopBatch batch;
  llvm::SetVector<Operation *> ops;
  /// The ops whose results depend on the iteration, and those that must run in each iteration.
  llvm::DenseSet<Operation *> varying, perIteration;
  std::string obstacle;
};

/// Returns whether `compute` reduces a tensor that is the same in each iteration. `slice` is the
/// slice of `compute`.
bool reusesTensor(const LoopSlice &slice, te::ComputeOp compute);

/// Replaces the accesses of `slice` that depend on the iteration by expressions, as LoopBatch needs
/// it. The slice is to be found anew then.
void lowerAccesses(const LoopSlice &slice);

/// Builds the ops of `slice` at the insertion point of `builder`, outside of the loop: `batch` those
/// that depend on the iteration, and copies of the others.
void batchSlice(OpBuilder &builder, const LoopSlice &slice, LoopBatch &batch);

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_TRANSFORMS_LOOPSLICE_H

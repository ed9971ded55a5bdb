//===- LoopBatch.h - all iterations of a loop at once -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Given an op in the body of a loop whose iterations are independent, LoopBatch builds an op that
/// does the work of all iterations. The new op has a further leading dim that counts the
/// iterations. Element (k, i...) of its result is element (i...) of the result of the original
/// op in iteration k, in which the induction variable is lower + k * step.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_TRANSFORMS_LOOPBATCH_H
#define DIALECTS_TSSA_TRANSFORMS_LOOPBATCH_H

#include "dialects/te/IR/TEOps.h"
#include "dialects/tssa/IR/TSSAOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::tssa::refs {

/// Returns whether `value`, an index, is a sum, with constant factors, of the induction variable of
/// `loop` and values outside of the loop.
bool isAffine(scf::ForOp loop, Value value);

/// Builds the ops that do the work of all iterations of one loop.
class LoopBatch {
public:
  /// `count` is the number of iterations. The step of `loop` must be a constant.
  LoopBatch(OpBuilder &builder, scf::ForOp loop, Value count)
      : builder(builder), loop(loop), count(count) {}

  /// Returns whether `op` can be batched, given that the ops that define its operands can be.
  bool canBatch(Operation *op);

  /// Declares that `inside`, a tensor of the body, is the tensor `outside` in each iteration.
  void setUniform(Value inside, Value outside) { uniform.map(inside, outside); }

  /// Declares that element k of `outside` is `inside`, a tensor of the body, in iteration k.
  void setBatched(Value inside, Value outside) { batched.map(inside, outside); }

  /// Builds the batched op at the insertion point of the builder, and maps the results of `op` to
  /// the results of the batched op.
  void batch(te::ComputeOp op);
  void batch(tensor::CastOp op);
  void batch(te::UpdateOp op);
  /// Builds the update of a tensor outside of the loop by what all iterations write. The base of
  /// `op` is uniform, and the iterations write different elements. Maps the result of `op` as
  /// uniform: it is not the result in each iteration, but equal to it in what the iteration reads.
  void batchInPlace(te::UpdateOp op);

  /// Returns the tensor of all iterations of `inside`, a result of an op that was batched.
  Value getBatched(Value inside) const { return batched.lookup(inside); }

  /// Returns the tensor outside of the loop that `inside` is in each iteration.
  Value getUniform(Value inside) const { return uniform.lookup(inside); }

private:
  class Body;

  /// Builds the update of `base` by what all iterations write. If `hasLeadingDim`, `base` has a
  /// further leading dim that counts the iterations.
  Value makeUpdate(te::UpdateOp op, Value base, bool hasLeadingDim);

  OpBuilder &builder;
  scf::ForOp loop;
  Value count;
  /// Maps a tensor of the body to the tensor of all iterations.
  IRMapping batched;
  /// Maps a tensor of the body that is the same in all iterations to an equal tensor outside of it.
  IRMapping uniform;
};

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_TRANSFORMS_LOOPBATCH_H

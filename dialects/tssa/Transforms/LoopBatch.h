//===- LoopBatch.h - all iterations of a loop at once -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Builds, for ops of the body of a loop whose iterations are independent, the op that
/// does the work of all iterations: it has one dim more, in front, which counts them.
/// Law: element (k, i...) of what is built is element (i...) of the original in iteration
/// k, where the induction variable is lower + k * step.
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

class LoopBatch {
public:
  /// `count` is the number of iterations; the step of `loop` is a constant.
  LoopBatch(OpBuilder &builder, scf::ForOp loop, Value count)
      : builder(builder), loop(loop), count(count) {}

  /// Whether all iterations of `op` can be done at once, if those of what it uses can.
  bool canBatch(Operation *op);

  /// What stands for a tensor from the body that is the same in all iterations.
  void setUniform(Value inside, Value outside) { uniform.map(inside, outside); }

  /// Builds at the builder; the tensors of `op` are batched from here on.
  void batch(te::ComputeOp op);
  void batch(tensor::CastOp op);
  /// An update of all windows of `base`; gives the new value of it.
  Value batch(AssignOp op, Value base);

private:
  class Body;

  OpBuilder &builder;
  scf::ForOp loop;
  Value count;
  /// From tensors of the body to those of all iterations.
  IRMapping batched;
  IRMapping uniform;
};

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_TRANSFORMS_LOOPBATCH_H

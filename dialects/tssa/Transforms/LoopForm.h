//===- LoopForm.h - loops that can be batched -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Brings a loop into the form that LoopBatch expects: what an iteration needs to know of the
/// loop is arithmetic on the induction variable and on values outside of the loop.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_TRANSFORMS_LOOPFORM_H
#define DIALECTS_TSSA_TRANSFORMS_LOOPFORM_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tssa::refs {

/// Moves constants and index arithmetic that is the same in each iteration out of `loop`. Replaces
/// its counters by arithmetic on the induction variable, and sizes of tensors in its body by sizes
/// of tensors outside of it. A counter is an index that changes by a constant in each iteration of a
/// loop from 0 with step 1.
void prepareForBatch(scf::ForOp loop);

/// Returns whether `index` is known to be non-negative, as a size is.
bool isNonNegative(Value index);

/// Builds the number of iterations of `loop`, whose step is positive.
Value makeTripCount(OpBuilder &builder, scf::ForOp loop);

/// Builds the number of the iteration in the body of `loop`, which counts from 0.
Value makeIterationNumber(OpBuilder &builder, scf::ForOp loop);

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_TRANSFORMS_LOOPFORM_H

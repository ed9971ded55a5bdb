//===- LoopChecks.h - checks of all iterations at once -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A te.check in a loop compares the induction variable with a bound, such as the size of a dim
/// that the variable indexes. The comparison is monotone in the induction variable: it holds in all
/// iterations if it holds in the first or in the last one. So one check before the loop does what
/// the checks of all iterations do.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_TRANSFORMS_LOOPCHECKS_H
#define DIALECTS_TSSA_TRANSFORMS_LOOPCHECKS_H

#include "dialects/te/IR/TEOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tssa::refs {

/// Returns whether `check`, in the body of `loop`, can be done for all iterations at once: its
/// condition is a conjunction of values outside of the loop and of signed comparisons between sums
/// of the induction variable and values outside of the loop.
bool canCheckAtOnce(scf::ForOp loop, te::CheckOp check);

/// Builds a check, at the insertion point of `builder` outside of the loop, that fails if `check`
/// fails in one of the `count` iterations. The step of `loop` must be a constant.
void checkAtOnce(OpBuilder &builder, scf::ForOp loop, Value count, te::CheckOp check);

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_TRANSFORMS_LOOPCHECKS_H

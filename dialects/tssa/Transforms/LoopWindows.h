//===- LoopWindows.h - what each iteration uses of a carried tensor -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A loop carries a tensor c. Each iteration writes to it by a chain of assigns and updates: the
/// first one makes a new version of c, and the next ones make a new version of the version before.
/// The windows of an iteration are the slices that it writes to or reads from any of the versions.
///
/// The iterations are independent if windows of different iterations never overlap. Then an element
/// in a window of iteration i is written by no other iteration, and version k of c has there what
/// the first k writes of iteration i made of the value before the loop. So each write of the chain
/// can be done for all iterations at once, and the next write after it.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_TRANSFORMS_LOOPWINDOWS_H
#define DIALECTS_TSSA_TRANSFORMS_LOOPWINDOWS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tssa::refs {

/// A carried tensor and the ops, each an AssignOp or a te::UpdateOp, that write to it in one
/// iteration. Each op writes to the result of the op before it, and the first to `argument`.
struct CarriedTensor {
  BlockArgument argument;
  SmallVector<Operation *> writes;
};

/// Finds the writes to `argument`, a tensor that `loop` carries. Returns nothing if the iterations
/// are not known to be independent in what they read and write of it, and says why in `reason`. The
/// step of `loop` must be a constant.
std::optional<CarriedTensor> findCarriedTensor(scf::ForOp loop, BlockArgument argument,
                                               std::string &reason);

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_TRANSFORMS_LOOPWINDOWS_H

//===- Follower.h - expressions over what an iteration wrote ---*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A follower (layout.compute_after) is computed at the end of each iteration of the bound loops of
/// a root: those of its elements that read what the iteration wrote.
///
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_FOLLOWER_H
#define LIB_CONVERSION_KERNELTOLOOPS_FOLLOWER_H

#include "PieceSchedule.h"

namespace tssa::conversion {

/// Returns the indexes along each parallel dim of `follower` that belong to the current iteration
/// of `root`, as expressions over the entered loops of `index`; all of a dim of size 1. Each
/// element of `follower` belongs to one iteration, which writes all that it reads. Reports an error
/// at `after`, the layout.compute_after, if that is not so.
mlir::FailureOr<llvm::SmallVector<IndexSpan>>
getFollowerSpans(IndexBuilder &index, const ScheduledPiece &root, mlir::tssa::te::ComputeOp rootOp,
                 mlir::tssa::te::ComputeOp follower, mlir::Operation *after);

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_FOLLOWER_H

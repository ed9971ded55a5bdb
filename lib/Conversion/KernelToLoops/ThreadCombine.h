//===- ThreadCombine.h - partial results of the threads of a block -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_THREADCOMBINE_H
#define LIB_CONVERSION_KERNELTOLOOPS_THREADCOMBINE_H

#include "tssa/Conversion/KernelTarget.h"
#include "tssa/Conversion/TileEmitter.h"

namespace tssa::conversion {

/// Combines the accumulators of each group of `group` neighbouring threads. `group` is a multiple
/// of the warp size or a power of two below it. All threads of a group get the result. The order of
/// combination is the same in every run. All threads of the block must execute this together.
TileEmitter::Values combineThreads(IndexBuilder &index, BlockThreads &threads, TileEmitter &emitter,
                                   mlir::ValueRange accumulators, int64_t group);

/// Adds the sums of each group of `parts` neighbouring warps, fragments of one tile of an atom, to
/// those of the first warp of the group. Returns whether a thread is of a first warp, and the sums,
/// which only these have. They are added in the order of the warps. All threads of the block must
/// execute this together.
std::pair<mlir::Value, TileEmitter::Values> combineFragments(IndexBuilder &index,
                                                             BlockThreads &threads,
                                                             mlir::ValueRange fragments,
                                                             int64_t parts);

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_THREADCOMBINE_H

//===- LoopNest.h - loops and tiles of a scheduled expression -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_CONVERSION_LOOPNEST_H
#define TSSA_CONVERSION_LOOPNEST_H

#include "tssa/Conversion/KernelTarget.h"
#include "tssa/Conversion/TileEmitter.h"

namespace tssa::conversion {

/// Called with the id of a loop: for a parallel loop when it is entered, for a serial loop, also
/// one over a reduction dim, at the start of each iteration, and for a thread loop as soon as this
/// thread is known to have an iteration of it.
using AtLoopFn = llvm::function_ref<mlir::LogicalResult(unsigned loop)>;

/// Builds the code of one iteration of the parallel loops, which `index` must have entered. This
/// code consists of the thread loops, the serial loops, full and tail tiles, and the reduction
/// loops with accumulators in registers. `emitter` builds the code of each point. Dims 0, 1, ... of
/// expressions are the loops of the schedule, and `laneDim` is the dim for the lane of a vector.
/// All of `threads` run the code; a null pointer means that one thread does. Barriers are built
/// only where all threads of the block arrive.
mlir::LogicalResult buildLoopNest(IndexBuilder &index, const Schedule &schedule,
                                  const KernelTarget &target, BlockThreads *threads,
                                  TileEmitter &emitter, unsigned laneDim, AtLoopFn atLoop);

} // namespace tssa::conversion

#endif // TSSA_CONVERSION_LOOPNEST_H

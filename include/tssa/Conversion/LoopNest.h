//===- LoopNest.h - loops and tiles of a scheduled expression -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_CONVERSION_LOOPNEST_H
#define TSSA_CONVERSION_LOOPNEST_H

#include "tssa/Conversion/KernelTarget.h"
#include "tssa/Conversion/Schedule.h"
#include "tssa/Conversion/TileEmitter.h"

namespace tssa::conversion {

/// Called at the start of each iteration of serial loop `loop`, and where a thread
/// loop is known to have an iteration for this thread.
using AtLoopFn = llvm::function_ref<mlir::LogicalResult(unsigned loop)>;

/// Builds what stands inside of one iteration of the parallel loops (whose values
/// are declared in `index`): the thread loops, the serial loops, full and tail tiles,
/// the reduction loops with accumulators in registers, and the emitter's code for
/// each point. `laneDim` is the dim of `index` for the lane of a vector; the loops of
/// the schedule are dims 0.. of expressions. `threads` run it together, one alone when
/// null; those that wait for each other do so where all of the block get.
mlir::LogicalResult buildLoopNest(IndexBuilder &index, const Schedule &schedule,
                                  const KernelTarget &target, BlockThreads *threads,
                                  TileEmitter &emitter, unsigned laneDim, AtLoopFn atLoop);

} // namespace tssa::conversion

#endif // TSSA_CONVERSION_LOOPNEST_H

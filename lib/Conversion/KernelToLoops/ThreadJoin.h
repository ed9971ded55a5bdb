//===- ThreadJoin.h - partial results of the threads of a block -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_THREADJOIN_H
#define LIB_CONVERSION_KERNELTOLOOPS_THREADJOIN_H

#include "tssa/Conversion/KernelTarget.h"
#include "tssa/Conversion/TileEmitter.h"

namespace tssa::conversion {

/// Joins the accumulators of each group of `group` neighbouring threads, a power of
/// two or a multiple of a warp; all threads of the group get the result. The order
/// is always the same. All threads of the block get here together.
TileEmitter::Values joinThreads(IndexBuilder &index, BlockThreads &threads, TileEmitter &emitter,
                                mlir::ValueRange accumulators, int64_t group);

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_THREADJOIN_H

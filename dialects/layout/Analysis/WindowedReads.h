//===- WindowedReads.h - reads that move windows over a tensor -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_ANALYSIS_WINDOWEDREADS_H
#define DIALECTS_LAYOUT_ANALYSIS_WINDOWEDREADS_H

#include "dialects/layout/Algebra/TensorLayout.h"
#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::layout {

/// Returns how `read` moves a window over dim `dim` of its source: the dims of the reader that are
/// not reduction dims select the window, and the reduction dims an element of it. In a read at
/// d2 * 2 + d5 - 1, the stride is 2, the window is d2, and the offset is d5 - 1. Returns nothing if
/// the index is not affine with positive coefficients for the dims, or uses symbols or dims of
/// dynamic size.
std::optional<SlidingWindow> findSlidingWindow(te::ReadOp read, unsigned dim);

/// Returns the same for each dim of the source.
SmallVector<std::optional<SlidingWindow>> findSlidingWindows(te::ReadOp read);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_ANALYSIS_WINDOWEDREADS_H

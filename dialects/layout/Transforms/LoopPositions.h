//===- LoopPositions.h - where a schedule runs the dims of an expression -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_LOOPPOSITIONS_H
#define DIALECTS_LAYOUT_TRANSFORMS_LOOPPOSITIONS_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::layout {

/// The loops of a dim as its schedule has them.
struct DimLoops {
  unsigned outer = 0; ///< position of the outermost loop, or of the loop that the dim is fused into
  /// Position of the outermost loop of those that are unrolled or vectorized, and the number of
  /// iterations that they run together. Where `block` is 1, there is none.
  unsigned inner = 0;
  int64_t block = 1;
  bool vector = false;
  /// Of a dim whose steps instructions add together: those of a word, and a position inside of all
  /// others.
  int64_t dotSteps = 1;
  unsigned innermost = 0;
};

/// Returns the loops of each dim of `compute` in the schedule of its kernel. Position 0 is the
/// outermost loop. Returns nothing if the schedule does not name the loops of `compute`.
std::optional<SmallVector<DimLoops>> getLoopPositions(te::ComputeOp compute);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_LOOPPOSITIONS_H

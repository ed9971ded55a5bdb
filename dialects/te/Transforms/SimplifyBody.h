//===- SimplifyBody.h - simpler index expressions in the bodies of an op -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_SIMPLIFYBODY_H
#define DIALECTS_TE_TRANSFORMS_SIMPLIFYBODY_H

#include "dialects/te/Analysis/PointDomain.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::tssa::te {

/// What a simplification did.
struct SimplifyCounts {
  unsigned guardsDropped = 0, readsFolded = 0, setsFolded = 0;
  SimplifyCounts &operator+=(const SimplifyCounts &other) {
    guardsDropped += other.guardsDropped;
    readsFolded += other.readsFolded;
    setsFolded += other.setsFolded;
    return *this;
  }
};

/// Simplifies every map, guard and set in the bodies of a te.compute or te.update
/// with the ranges of its domain; drops guards that always hold; makes constants
/// of reads that never hold or read a splat, and of decided sets. Pieces without
/// a point go. Equal expressions in a body are joined afterwards. Returns the op, or
/// the one that took its place.
Operation *simplifyBodies(RewriterBase &rewriter, Operation *op, SimplifyCounts &counts);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_SIMPLIFYBODY_H

//===- SimplifyBody.h - simplifies index expressions in the bodies of an op -===//
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

/// Counts the changes that a simplification made.
struct SimplifyCounts {
  unsigned guardsDropped = 0, readsFolded = 0, setsFolded = 0;
  SimplifyCounts &operator+=(const SimplifyCounts &other) {
    guardsDropped += other.guardsDropped;
    readsFolded += other.readsFolded;
    setsFolded += other.setsFolded;
    return *this;
  }
};

/// Simplifies each map, guard and set in the bodies of `expression` with the ranges of its domain.
/// Removes guards that always hold and pieces without a point. Replaces by constants the reads
/// whose guard never holds, the reads of a splat, and the te.insides that are decided. Reads of a
/// constant such as [0, 1, 2] become te.indexes. Merges equal ops of a body. Returns `expression`
/// or its replacement.
ExpressionOpInterface simplifyBodies(RewriterBase &rewriter, ExpressionOpInterface expression,
                                     SimplifyCounts &counts);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_SIMPLIFYBODY_H

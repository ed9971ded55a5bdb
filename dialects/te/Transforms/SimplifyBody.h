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

/// Simplifies every map, guard and set in the bodies of `expression` by the ranges of
/// its iteration domain. Guards that always hold are dropped; reads whose guard never
/// holds, reads of a splat and sets that are decided become constants; pieces without a
/// point are erased; equal ops of a body are merged. Returns `expression`, or the op
/// that has replaced it.
ExpressionOpInterface simplifyBodies(RewriterBase &rewriter, ExpressionOpInterface expression,
                                     SimplifyCounts &counts);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_SIMPLIFYBODY_H

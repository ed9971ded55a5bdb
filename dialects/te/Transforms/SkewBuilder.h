//===- SkewBuilder.h - one loop for the layers of a network -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_SKEWBUILDER_H
#define DIALECTS_TE_TRANSFORMS_SKEWBUILDER_H

#include "dialects/te/Transforms/SkewMatch.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::tssa::te {

/// Builds one loop before the last of `layers`, which link to each other, and replaces all of them
/// and the projections between them. What reads their results must come after the last one. The
/// new loop has as many more iterations as there are layers after the first one. In iteration s,
/// layer i is at its time step s - i; outside of its steps it keeps its state. Returns false and
/// changes nothing if the bytes of a constant are not known, or are too many to be counted.
bool skewLayers(RewriterBase &rewriter, MutableArrayRef<SkewLayer> layers);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_SKEWBUILDER_H

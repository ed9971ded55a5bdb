//===- SkewResults.h - the results of layers -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_SKEWRESULTS_H
#define DIALECTS_TE_TRANSFORMS_SKEWRESULTS_H

#include "dialects/te/Transforms/SkewMatch.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::tssa::te {

/// Makes what uses the results of `layers` use those of `loop`: the states of all layers, stacked,
/// and, if outputs are kept, the outputs of all its iterations and layers.
void replaceResults(RewriterBase &rewriter, MutableArrayRef<SkewLayer> layers, scf::ForOp loop);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_SKEWRESULTS_H

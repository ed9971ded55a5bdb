//===- AbsorbConsumer.h - element-wise work after a reduction -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_ABSORBCONSUMER_H
#define DIALECTS_TE_TRANSFORMS_ABSORBCONSUMER_H

#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::tssa::te {

/// Why `consumer` cannot become the epilogue of `reduction`; empty if it can.
StringRef findEpilogueObstacle(ComputeOp reduction, ComputeOp consumer);

/// The reduction that `consumer` can become the epilogue of: nobody else uses it,
/// and each of its elements goes to one element of the consumer, with the innermost
/// dim in place. Null if there is none; of several, the one with the most points.
ComputeOp findAbsorbingReduction(ComputeOp consumer);

/// The reduction that `consumer` reads rearranged, as its only reader, and computes
/// from each of its elements alone. Null if there is none.
ComputeOp findReductionBehindRearrangement(ComputeOp consumer);

/// Takes such a consumer apart: an expression over the points of the reduction,
/// which is returned and can become its epilogue, and a rearrangement of that.
ComputeOp splitOffRearrangement(RewriterBase &rewriter, ComputeOp reduction, ComputeOp consumer);

/// Makes the consumer the epilogue of the reduction. Returns the op that gives the
/// consumer's results.
ComputeOp absorbConsumer(RewriterBase &rewriter, ComputeOp reduction, ComputeOp consumer);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_ABSORBCONSUMER_H

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
#include "tssa/Support/Transforms.h"

namespace mlir::tssa::te {

/// Returns why `consumer` cannot become the epilogue of `reduction`, or an empty string if it can.
/// `permutations`: when it may have another innermost dim.
StringRef findEpilogueObstacle(ComputeOp reduction, ComputeOp consumer, ::tssa::Apply permutations);

/// Returns the reduction that `consumer` can become the epilogue of, or null. The consumer must be
/// the only user of the reduction and read each of its elements once. It may have another innermost
/// dim if the reduction has at least 8 steps, where an open size counts as what is assumed for it,
/// and unless expressions that read the consumer can as well read the reduction itself. If there
/// are several such reductions, returns the one with the most points.
ComputeOp findAbsorbingReduction(ComputeOp consumer, ::tssa::Apply permutations);

/// If `consumer` is the only reader of a reduction, reads it at rearranged indexes, and computes
/// each of its elements from one element of the reduction only, returns the reduction. Returns null
/// otherwise.
ComputeOp findReductionBehindRearrangement(ComputeOp consumer);

/// Splits such a consumer into two expressions: one over the parallel dims of the reduction, which
/// can become the epilogue, and one that rearranges the elements of the first. Returns the first.
ComputeOp splitOffRearrangement(RewriterBase &rewriter, ComputeOp reduction, ComputeOp consumer);

/// A read of a reduction by another expression than its consumer. `window` maps the consumer's
/// domain to what is read of the reduction, and `map` the reader's domain to the consumer's.
struct OtherRead {
  ReadOp read;
  AffineMap window, map;
};

/// Makes `consumer` the epilogue of `reduction`, of whose pieces there must be one if there are
/// several index maps at which the reduction is read: the result then has accumulators for each of
/// them. It also has a result for each window of `others`, which are then read there instead;
/// together with the consumer's, these must be all reads of the reduction. Returns the op that
/// replaces both.
ComputeOp absorbConsumer(RewriterBase &rewriter, ComputeOp reduction, ComputeOp consumer,
                         ArrayRef<OtherRead> others = {});

/// Builds the combiner of `result`, whose accumulators are those of `parts`, one after the other.
void buildCombiner(RewriterBase &rewriter, ComputeOp result, ArrayRef<ComputeOp> parts);

/// Returns whether `reader`, an expression without a reduction over the parallel dims of
/// `reduction`, reads results of it at its own point only, and nothing else uses these before it.
bool canFollow(ComputeOp reduction, ComputeOp reader);

/// Computes such a reader at the end of the epilogue of `reduction`. Its results come after those
/// of the reduction that something else uses. Returns the op that replaces both.
ComputeOp absorbReader(RewriterBase &rewriter, ComputeOp reduction, ComputeOp reader);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_ABSORBCONSUMER_H

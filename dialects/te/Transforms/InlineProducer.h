//===- InlineProducer.h - compute a tensor where it is read -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_INLINEPRODUCER_H
#define DIALECTS_TE_TRANSFORMS_INLINEPRODUCER_H

#include "dialects/te/Analysis/PointDomain.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::tssa::te {

/// The number of pieces that a merged expression may have.
inline constexpr unsigned maxPieces = 64;

/// Replaces `read` by the body of piece `piece` of `producer`, at the point that is read. If `read`
/// has a guard, this guard is added to each read of the body. Where the guard does not hold, a
/// select gives the pad value, unless the value of the body is itself a read that can give the pad
/// value. The producer must have no reduction. If `read` has a guard, the producer must have no
/// integer division either.
void inlineProducer(RewriterBase &rewriter, ReadOp read, ComputeOp producer, unsigned piece);

/// Returns the pieces of `producer` that contain a point which `read` may read. Each piece is given
/// by its index and its set over the reader's dims and the symbols of `domain`. If all points are
/// in one piece, returns this piece with a null set.
SmallVector<std::pair<unsigned, IntegerSet>> findPieces(ReadOp read, ComputeOp producer,
                                                        PointDomain &domain);

/// Returns why the reader cannot be split along `pieces`, or an empty string if it can.
StringRef findSplitObstacle(ReadOp read, ArrayRef<std::pair<unsigned, IntegerSet>> pieces);

/// Splits the piece of `consumer` that contains `read` along `pieces` of `producer`, and inlines
/// each of these pieces. Their sets must have no symbols. Returns the new consumer.
ComputeOp splitByPieces(RewriterBase &rewriter, ComputeOp consumer, ReadOp read, ComputeOp producer,
                        ArrayRef<std::pair<unsigned, IntegerSet>> pieces);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_INLINEPRODUCER_H

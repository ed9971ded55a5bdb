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

/// The pieces of a producer that contain a point which a read may read.
struct PiecesRead {
  /// Each piece by its index, and by its set over the reader's dims and `symbols`. One piece with a
  /// null set contains all points.
  SmallVector<std::pair<unsigned, IntegerSet>> pieces;
  SmallVector<Value> symbols;

  bool isOne() const { return pieces.size() == 1 && pieces.front().second == IntegerSet(); }
};

PiecesRead findPieces(ReadOp read, ComputeOp producer, PointDomain &domain);

/// Returns why the reader cannot be split along the pieces, or an empty string if it can.
StringRef findSplitObstacle(ReadOp read, const PiecesRead &pieces);

/// Splits the piece of `consumer` that contains `read` along `pieces` of `producer`, and inlines
/// each of these pieces. Returns the new consumer.
ComputeOp splitByPieces(RewriterBase &rewriter, ComputeOp consumer, ReadOp read, ComputeOp producer,
                        const PiecesRead &pieces);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_INLINEPRODUCER_H

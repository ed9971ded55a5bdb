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

/// Replaces `read` by the body of piece `piece` of `producer`, at the point that is read. If the
/// read has a guard, it is added to each read of that body, and where it does not hold, the pad
/// value is selected, unless a read gives it already. The producer must have no reduction, and no
/// integer division if the read has a guard.
void inlineProducer(RewriterBase &rewriter, ReadOp read, ComputeOp producer, unsigned piece);

/// Returns the pieces of `producer` that contain a point which `read` may read, each as its number
/// and its set over the reader's dims and the symbols of `domain`. If all points are in one piece,
/// returns this piece with a null set.
SmallVector<std::pair<unsigned, IntegerSet>> findPieces(ReadOp read, ComputeOp producer,
                                                        PointDomain &domain);

/// Splits the piece of `consumer` that contains `read` along `pieces` of `producer`, whose sets
/// must have no symbols, and inlines each piece. Returns the new consumer.
ComputeOp splitByPieces(RewriterBase &rewriter, ComputeOp consumer, ReadOp read, ComputeOp producer,
                        ArrayRef<std::pair<unsigned, IntegerSet>> pieces);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_INLINEPRODUCER_H

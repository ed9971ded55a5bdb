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

/// Puts the body of piece `piece` of `producer` in place of `read`, at the point
/// that is read. Where the read has a guard, so has each read of the body, and the
/// value is selected unless it is the pad value there anyway. The producer has no
/// reduction, and no integer division if the read is guarded.
void inlineProducer(RewriterBase &rewriter, ReadOp read, ComputeOp producer, unsigned piece);

/// The sets of the producer's pieces in terms of the reader's dims: piece number
/// and set over `domain`, for the pieces that the read may meet. One piece with a
/// null set: it meets no other.
SmallVector<std::pair<unsigned, IntegerSet>> findPieces(ReadOp read, ComputeOp producer,
                                                        PointDomain &domain);

/// Splits the piece of `consumer` that `read` stands in along the pieces of what it
/// reads, whose sets are symbol-free, and inlines them. Returns the new consumer.
ComputeOp splitByPieces(RewriterBase &rewriter, ComputeOp consumer, ReadOp read, ComputeOp producer,
                        ArrayRef<std::pair<unsigned, IntegerSet>> pieces);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_INLINEPRODUCER_H

//===- MergeCost.h - when to compute an expression where it is read -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Decides whether a producer is computed where it is read, or computed once and stored. A
/// rearrangement, which only reads, is always computed where it is read. Arithmetic is copied into
/// a reader that needs each element about once. Cheap arithmetic is also copied if the reader needs
/// an element more often, unless the reader is a reduction.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_MERGECOST_H
#define DIALECTS_TE_TRANSFORMS_MERGECOST_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// Readers of parts of a producer may together compute up to this many times its elements.
inline constexpr double maxShared = 1.25;

/// The cost of a body at one point.
struct BodyFacts {
  unsigned numOps = 0;    ///< arithmetic, without constants and index ops
  unsigned numCostly = 0; ///< divisions, roots, exponentials and the like
  unsigned numReads = 0;
  bool mayTrap = false; ///< has an integer division
  bool isRearrangement() const { return numOps == 0 && numReads <= 1; }
  bool isCheap() const { return numCostly == 0 && numOps <= 4; }
};

BodyFacts getBodyFacts(Block &body);
/// Returns, for each field, the maximum over all pieces.
BodyFacts getFacts(ComputeOp compute);

/// Estimates how often each element of a tensor of sizes `elements` is computed if each point of a
/// domain of sizes `points` computes one element. Equal dynamic sizes cancel; a dynamic size that
/// is left counts as `assumedSize`.
double getReuse(ArrayRef<OpFoldResult> points, ArrayRef<OpFoldResult> elements);

/// The context in which a read is evaluated.
struct ReadSite {
  Operation *op = nullptr;          ///< the te.compute or te.update
  SmallVector<OpFoldResult> points; ///< of the piece that contains the read
  bool isReduced = false;           ///< in a body whose values a reduction combines
  bool isUnderLoop = false;         ///< in a loop that does not contain the producer
};

ReadSite getReadSite(ReadOp read, Operation *producer);

/// Returns why computing `producer` at the read site repeats too much work, or an empty string if
/// it does not. Other uses of the producer are not considered.
StringRef findWorkObstacle(ComputeOp producer, const BodyFacts &facts, const ReadSite &site);

/// Returns why `producer` should not be computed at all of its uses: a use is not a read, too much
/// work is repeated, or more data is read than would be stored. Returns an empty string if it may
/// be computed at all of them.
StringRef findSharingObstacle(ComputeOp producer, const BodyFacts &facts);

/// Returns whether the readers of `producer`, which read disjoint parts of it or nearly so, compute
/// little more elements than it has if it is computed at all of them. Uses other than reads count
/// as readers of everything.
bool isSharedByParts(ComputeOp producer);

/// Returns whether a reader with `points` points that needs only `elements` elements of a producer
/// should have them computed once, into a tensor of their own. `facts` are those of the producer.
bool isWorthStoring(const BodyFacts &facts, ArrayRef<OpFoldResult> points,
                    ArrayRef<OpFoldResult> elements);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_MERGECOST_H

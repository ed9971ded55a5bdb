//===- MergeCost.h - when an expression is worth its copy -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Whether a producer is computed again where it is read, or once and stored.
/// Rearrangements (a read and nothing else) cost nothing. Arithmetic is copied into
/// a reader that wants each element about once, or when it is cheap and the reader
/// does not sum over it many times.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_MERGECOST_H
#define DIALECTS_TE_TRANSFORMS_MERGECOST_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// What a body costs at a point.
struct BodyFacts {
  unsigned numOps = 0;    ///< arithmetic, without constants and index ops
  unsigned numCostly = 0; ///< divisions, roots, exponentials and the like
  unsigned numReads = 0;
  bool mayTrap = false; ///< an integer division
  bool isRearrangement() const { return numOps == 0 && numReads <= 1; }
  bool isCheap() const { return numCostly == 0 && numOps <= 4; }
};

BodyFacts getBodyFacts(Block &body);
/// The sum over all pieces.
BodyFacts getFacts(ComputeOp compute);

/// About how often each of `elements` points is visited by `points` points. Equal
/// sizes cancel; a dynamic size that is left counts as large.
double getReuse(ArrayRef<OpFoldResult> points, ArrayRef<OpFoldResult> elements);

/// Where a read stands.
struct ReadPlace {
  Operation *op = nullptr; ///< the te.compute or te.update
  SmallVector<OpFoldResult> points;
  bool isReduced = false;   ///< in a body whose values are joined
  bool isUnderLoop = false; ///< runs again and again where the producer runs once
};

ReadPlace getPlace(ReadOp read, Operation *producer);

/// Why computing `producer` where a read stands is not worth the work that is done
/// again; empty if it is. Says nothing about its other uses.
StringRef findWorkObstacle(ComputeOp producer, const BodyFacts &facts, const ReadPlace &place);

/// Why computing `producer` at all of its uses is not worth it: some are no reads, or
/// too much work is done again, or more data is read than is stored. Empty if it is.
StringRef findSharingObstacle(ComputeOp producer, const BodyFacts &facts);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_MERGECOST_H

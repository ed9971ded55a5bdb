//===- BodyFacts.h - what bodies compute, and how often -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_BODYFACTS_H
#define DIALECTS_TE_ANALYSIS_BODYFACTS_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// What a body computes at one point.
struct BodyFacts {
  unsigned numOps = 0; ///< arithmetic, without constants and index ops
  unsigned numReads = 0;
  double cost = 0; ///< of the arithmetic, in simple instructions of a vector (OpCost)
  bool mayTrap = false;
  bool isRearrangement() const { return numOps == 0 && numReads <= 1; }
  bool isCheap() const { return cost <= 4; }
};

BodyFacts getBodyFacts(Block &body);
/// Returns, for each field, the maximum over all pieces.
BodyFacts getFacts(ComputeOp compute);

/// Estimates how often each element of a tensor of sizes `elements` is computed if each point of a
/// domain of sizes `points` computes one element. Equal dynamic sizes cancel; a dynamic size that
/// is left counts as `assumedSize`.
double getReuse(ArrayRef<OpFoldResult> points, ArrayRef<OpFoldResult> elements);

/// Estimates the arithmetic operations of an expression. A
/// dynamic size counts as `assumedSize`.
double estimateOperations(ComputeOp compute);

/// The context in which a read is evaluated.
struct ReadSite {
  Operation *op = nullptr;          ///< the te.compute or te.update
  SmallVector<OpFoldResult> points; ///< of the piece that contains the read
  bool isReduced = false;           ///< in a body whose values a reduction combines
  double trips = 1; ///< of the loops around the read that do not contain the producer
};

ReadSite getReadSite(ReadOp read, Operation *producer);

/// Estimates the iterations of the loops around `op` that do not contain `scope`; all loops, if it
/// is null. A number of iterations that is not known counts as `assumedSize`.
double countTrips(Operation *op, Operation *scope = nullptr);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_BODYFACTS_H

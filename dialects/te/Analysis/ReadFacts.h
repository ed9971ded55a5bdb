//===- ReadFacts.h - facts of what a body reads and computes -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_READFACTS_H
#define DIALECTS_TE_ANALYSIS_READFACTS_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// Returns whether each result i of the map is dim i, or the constant 0 if dim i has size 1.
bool readsLeadingDims(AffineMap map, ArrayRef<OpFoldResult> sizes);

/// Returns whether `read` reads, at each point of its expression, the element at the leading
/// parallel dims of the point, in the sense of the map. It has no guard.
bool readsOwnPoint(ReadOp read);

/// Returns whether `read` stays inside of its source at each point of its expression, because each
/// index is a dim of at most the same extent, or a constant. A guard is not asked.
bool isInside(ReadOp read);

/// Returns whether `read` has no guard and reads a parameter of a kernel whose elements are finite.
bool isFinite(ReadOp read);

/// Returns whether `value` is a number 0 whose bits are zero; null is none.
bool isPositiveZero(Attribute value);

/// Returns an operation in the bodies of `compute` that may fail at a point that is not one of its
/// domain, or null. Reads are not asked.
Operation *findUnsafe(ComputeOp compute);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_READFACTS_H

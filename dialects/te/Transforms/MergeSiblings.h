//===- MergeSiblings.h - make one expression of several siblings -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_MERGESIBLINGS_H
#define DIALECTS_TE_TRANSFORMS_MERGESIBLINGS_H

#include "dialects/te/Transforms/SiblingMatch.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::tssa::te {

/// Returns constants joined along `dim`, or stacked along a new first dim; null if their bytes are
/// not known. They have the same type, apart from the size of `dim`.
ElementsAttr joinConstants(ArrayRef<Attribute> values, std::optional<unsigned> dim);

/// Builds one expression before the first of `siblings`, whose results only te.reads use. These
/// then read its result, and the siblings are erased. Returns null and changes nothing if the bytes
/// of a constant are not known, or are too many to be counted.
ComputeOp mergeSiblings(RewriterBase &rewriter, const Siblings &siblings);

/// If all pieces of `compute` read one tensor, at indexes that one expression gives for all of
/// them, replaces it by an expression without pieces, and returns that; otherwise returns null.
ComputeOp unitePieces(RewriterBase &rewriter, ComputeOp compute);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_MERGESIBLINGS_H

//===- MergeEqualOps.h - common subexpression elimination -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Upstream's cse pass hashes an op by its operands and types, but not by its regions. The tensors
/// that a te.compute reads in its regions are not among its operands. All te.computes of one type
/// therefore have the same hash, and a program with n of them takes n^2 comparisons. Here the hash
/// includes the regions.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_MERGEEQUALOPS_H
#define DIALECTS_TE_IR_MERGEEQUALOPS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::tssa::te {

/// Replaces each op without effects in `block`, or in a region nested in it, by an equal earlier op
/// if there is one in its own block or in an enclosing block. Then erases ops that have neither
/// effects nor uses. Does not change the bodies of expressions.
void mergeEqualOps(RewriterBase &rewriter, Block &block);

/// Does the same for each block of `root`.
void mergeEqualOps(RewriterBase &rewriter, Operation *root);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_MERGEEQUALOPS_H

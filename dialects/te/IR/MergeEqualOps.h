//===- MergeEqualOps.h - common subexpression elimination -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Upstream's cse pass hashes an op by its operands and types, but not by its regions. All
/// te.computes of a type, which capture the tensors that they read, therefore fall into one bucket,
/// and a program of n of them takes n^2 comparisons. Here the hash includes the regions.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_MERGEEQUALOPS_H
#define DIALECTS_TE_IR_MERGEEQUALOPS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::tssa::te {

/// Replaces each op without effects in `block`, or in a region below it, by an equal earlier op of
/// its block or of a block around it. Then erases ops without effects and uses. The bodies of
/// expressions are left as they are.
void mergeEqualOps(RewriterBase &rewriter, Block &block);

/// Does the same for all blocks of `root`.
void mergeEqualOps(RewriterBase &rewriter, Operation *root);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_MERGEEQUALOPS_H

//===- JoinEqualOps.h - what is computed twice is computed once -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Upstream's pass cse tells ops apart by their operands and types, not by their regions:
/// te.computes, which capture what they read, all meet in one bucket, and a program of n
/// of them takes n^2 comparisons. Here regions are part of the hash.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_JOINEQUALOPS_H
#define DIALECTS_TE_IR_JOINEQUALOPS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::tssa::te {

/// An op of `block`, or of a region below it, that has no effects and equals one that
/// stands before it in its block or in a block around it is replaced by that one; ops without
/// effects and uses are erased. Bodies of te ops are left as they are.
void joinEqualOps(RewriterBase &rewriter, Block &block);

/// The same for all blocks of `root`.
void joinEqualOps(RewriterBase &rewriter, Operation *root);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_JOINEQUALOPS_H

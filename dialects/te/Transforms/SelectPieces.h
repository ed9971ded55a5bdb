//===- SelectPieces.h - pieces as one body that selects -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Where a piece of an expression takes a few columns of each row, one body that computes all pieces
/// and selects may serve better: the rows stay whole, so reductions of them can be in the same
/// kernel.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_SELECTPIECES_H
#define DIALECTS_TE_TRANSFORMS_SELECTPIECES_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// Returns whether all pieces of `compute` can be evaluated at each point of its domain, and all but
/// one are cheap. It must have no reduction.
bool canSelectPieces(ComputeOp compute);

/// Replaces `compute` by an expression with one body, and returns it.
ComputeOp selectPieces(RewriterBase &rewriter, ComputeOp compute);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_SELECTPIECES_H

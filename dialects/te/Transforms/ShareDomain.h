//===- ShareDomain.h - one expression with the results of several -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Expressions over one domain of which none needs a result of another can be computed by one
/// expression that has the results of all, whatever their bodies are: the two heads of a detector,
/// the keys and the values that a decoder returns. Reductions get a tuple of accumulators.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_SHAREDOMAIN_H
#define DIALECTS_TE_TRANSFORMS_SHAREDOMAIN_H

#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::tssa::te {

/// Returns whether `next`, a later expression of the block, has the domain of `first` and can be
/// computed where `first` stands: constants aside, it needs only values that are known there.
/// Neither consists of several pieces.
bool canShareDomain(ComputeOp first, ComputeOp next);

/// Replaces `members`, all of which can be computed where the first stands, by one expression with
/// their results, in order.
ComputeOp shareDomain(RewriterBase &rewriter, ArrayRef<ComputeOp> members);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_SHAREDOMAIN_H

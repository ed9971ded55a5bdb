//===- Join.h - kernels that only concatenate tensors -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_JOIN_H
#define DIALECTS_TE_ANALYSIS_JOIN_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// A concatenation of tensors, in this order, along one dim.
struct Join {
  unsigned axis;
  SmallVector<Value> parts;
};

/// Matches an expression with one result whose elements are those of other tensors, one after the
/// other along one dim of constant size. Every element of every such tensor is copied.
std::optional<Join> matchJoin(ComputeOp compute);

/// Matches a kernel of one such expression. The parts are parameters of the kernel.
std::optional<Join> matchJoin(KernelOp kernel);

/// Returns whether it is likely that the parts of `compute`, a concatenation, can be computed in
/// the memory of its result, so that nothing is copied: expressions of its block compute them, only
/// expressions read them, and other concatenations that read one of them contain all of them, or
/// are contained, in the same order. The layouts of tensors, which are chosen later, may prevent
/// it.
bool mayJoinInPlace(ComputeOp compute);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_JOIN_H

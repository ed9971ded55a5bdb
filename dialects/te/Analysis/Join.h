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

/// A concatenation of parameters of a kernel, in this order, along one dim.
struct KernelJoin {
  unsigned axis;
  SmallVector<unsigned> parameters;
};

/// Matches a kernel with one result whose elements are those of its parameters, one after the
/// other along one dim of constant size. Every element of every such parameter is copied.
std::optional<KernelJoin> matchJoin(KernelOp kernel);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_JOIN_H

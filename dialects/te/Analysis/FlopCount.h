//===- FlopCount.h - floating-point operations of a kernel -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_FLOPCOUNT_H
#define DIALECTS_TE_ANALYSIS_FLOPCOUNT_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// Floating-point operations of one run of `kernel`, as its expressions say, whatever a
/// schedule computes twice: each addition, product, comparison for a greatest element or
/// function counts as one, at points that a guard pads with zeros too. Of several pieces
/// each point counts as the largest. Nothing where a size is not a constant.
std::optional<int64_t> countFlops(KernelOp kernel);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_FLOPCOUNT_H

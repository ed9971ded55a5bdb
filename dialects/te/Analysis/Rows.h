//===- Rows.h - reductions of the rows of a tensor -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_ROWS_H
#define DIALECTS_TE_ANALYSIS_ROWS_H

#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// Returns whether `reduction` has one result for each row of the domain of `root`, which is the
/// box of some leading dims.
bool hasResultsOfRows(ComputeOp reduction, ComputeOp root);

/// Returns whether the rows of `reduction` are many enough for threads to share them, or small.
bool hasEnoughRows(ComputeOp reduction);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_ROWS_H

//===- RowWrites.h - results that are copied into a row of a tensor -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A loop over time computes a state in each step and copies it into row t of a tensor of all
/// states. The launch that computes the state could write it there. A *row write* is the launch
/// that copies: its kernel is an update that puts all elements of a tensor, in their order, into
/// adjacent elements of its base, from an element on that depends on indexes of the host program.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_ROWWRITES_H
#define DIALECTS_TE_ANALYSIS_ROWWRITES_H

#include "dialects/te/IR/TEOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tssa::te {

struct RowWrite {
  LaunchOp copy;                 ///< the launch that copies
  OpResult row;                  ///< what it copies: the result of another launch
  Value base;                    ///< the tensor before the copy
  AffineExpr element;            ///< where the row begins in the base, over the symbols
  SmallVector<unsigned> symbols; ///< the numbers of the inputs of `copy` that the symbols are
};

/// Returns the row writes of `function` whose rows can be computed in place as far as reads are
/// concerned: from the launch that computes the row to the one that copies it, nothing uses the
/// base, which nothing else uses at all, and nothing overwrites the row while it is in use. Rows
/// begin at multiples of `alignment` bytes, whatever their open sizes are.
SmallVector<RowWrite, 0> findRowWrites(func::FuncOp function, int64_t alignment,
                                       function_ref<KernelOp(LaunchOp)> lookup);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_ROWWRITES_H

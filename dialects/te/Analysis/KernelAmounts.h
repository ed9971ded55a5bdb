//===- KernelAmounts.h - what a launch computes and moves -------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_KERNELAMOUNTS_H
#define DIALECTS_TE_ANALYSIS_KERNELAMOUNTS_H

#include "dialects/te/Analysis/SizeTable.h"
#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// What one launch of a kernel computes, and the bytes of its operands and results that it moves.
struct KernelAmounts {
  Polynomial operations;
  SmallVector<Polynomial> reads, writes; ///< bytes, one for each operand or result
  bool isExact = true;                   ///< Otherwise the bytes are upper bounds.
  SmallVector<Value> symbols;            ///< of the polynomials: values of the kernel

  Polynomial getReadBytes() const { return add(reads); }
  Polynomial getWrittenBytes() const { return add(writes); }

private:
  static Polynomial add(ArrayRef<Polynomial> terms);
};

/// Returns the amounts of `kernel`, whose expressions are on tensors. Each parameter counts once,
/// with the expression that reads the most of it.
KernelAmounts getAmounts(KernelOp kernel);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_KERNELAMOUNTS_H

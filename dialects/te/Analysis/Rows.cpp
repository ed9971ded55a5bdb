//===- Rows.cpp - reductions of the rows of a tensor -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/Rows.h"
#include "dialects/te/IR/Sizes.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// If there are fewer rows than this, expressions are only grouped if each row is small, because
/// one thread computes a whole row.
static constexpr int64_t fewRows = 8;
static constexpr int64_t smallRow = 16384;

bool te::hasResultsOfRows(ComputeOp reduction, ComputeOp root) {
  return reduction.getPieces().size() == 1 && reduction.getNumParallel() != 0 &&
         reduction.getNumParallel() < root.getNumParallel();
}

bool te::hasEnoughRows(ComputeOp reduction) {
  int64_t rows = 1, row = 1;
  auto multiply = [](int64_t product, OpFoldResult size) {
    int64_t factor = getConstantSize(size).value_or(fewRows);
    return std::min<int64_t>(product * std::min<int64_t>(factor, smallRow + 1), smallRow + 1);
  };
  for (OpFoldResult size : reduction.getParallelSizes())
    rows = multiply(rows, size);
  for (OpFoldResult size : reduction.getReductionSizes())
    row = multiply(row, size);
  return rows >= fewRows || row <= smallRow;
}

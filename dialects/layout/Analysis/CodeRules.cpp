//===- CodeRules.cpp - what code is made of loops -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Analysis/CodeRules.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;
using namespace mlir::tssa;

int64_t layout::getTransposedRows(int64_t adjacent, int64_t lanes, int64_t elementBytes) {
  constexpr int64_t mostBytes = 32;
  int64_t most = std::min(lanes, mostBytes / elementBytes);
  return std::min<int64_t>(most, llvm::bit_floor<uint64_t>(adjacent));
}

int64_t layout::countMatrixParts(ArrayRef<int64_t> rows, int64_t most) {
  int64_t parts = 1, last = 1;
  for (int64_t size : rows)
    if (size > 1) {
      parts *= last;
      last = size;
    }
  return parts * static_cast<int64_t>(llvm::divideCeil(last, most));
}

SmallVector<int64_t> layout::getTailHeights(int64_t rows, int64_t accumulators) {
  constexpr int64_t fewAccumulators = 8;
  int64_t step = llvm::divideCeil(fewAccumulators, accumulators);
  SmallVector<int64_t> heights = {rows - 1};
  while (heights.back() > step)
    heights.push_back(heights.back() - step);
  if (heights.back() > 1) // a single row (matrix times vector) loads little besides the matrix
    heights.push_back(1);
  return heights;
}

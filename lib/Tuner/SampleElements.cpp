//===- SampleElements.cpp - the elements that are checked -----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleElements.h"
#include "tssa/Reference/RandomInputs.h"
#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace tssa;
using reference::Random;

/// The tail of a loop over vectors has at most this number of elements.
static constexpr int64_t longestTail = 64;
/// A tensor of more dims has more corners than are worth a check.
static constexpr unsigned maxCornerDims = 9;

static int64_t flatten(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> index) {
  int64_t position = 0;
  for (auto [size, i] : llvm::zip_equal(shape, index))
    position = position * size + i;
  return position;
}

std::vector<int64_t> tuner::sampleElements(llvm::ArrayRef<int64_t> shape, unsigned count,
                                           uint64_t seed) {
  int64_t total = reference::countElements(shape).value_or(0);
  if (total <= count) {
    std::vector<int64_t> all(total);
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  Random random(seed);
  unsigned rank = shape.size();
  llvm::SmallVector<int64_t> index(rank);
  std::vector<int64_t> chosen;
  for (unsigned corner = 0; rank <= maxCornerDims && corner < 1u << rank; ++corner) {
    for (unsigned dim = 0; dim < rank; ++dim)
      index[dim] = corner >> dim & 1 ? shape[dim] - 1 : 0;
    chosen.push_back(flatten(shape, index));
  }
  // Half of the elements are tails, evenly for all dims, and every other one of these is a last
  // element.
  for (unsigned i = 0; chosen.size() < count; ++i) {
    for (unsigned dim = 0; dim < rank; ++dim)
      index[dim] = random.below(shape[dim]);
    unsigned dim = i / 4 % rank;
    if (i % 2 == 0)
      index[dim] = i % 4 ? shape[dim] - 1
                         : shape[dim] - 1 - random.below(std::min(shape[dim], longestTail));
    chosen.push_back(flatten(shape, index));
  }
  llvm::sort(chosen);
  chosen.erase(llvm::unique(chosen), chosen.end());
  return chosen;
}

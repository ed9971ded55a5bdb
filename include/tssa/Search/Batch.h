//===- Batch.h - which candidates to measure -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_SEARCH_BATCH_H
#define TSSA_SEARCH_BATCH_H

#include "tssa/Search/Sampler.h"

namespace tssa::search {

struct BatchOptions {
  /// How many are chosen by score and distance.
  size_t count = 7;
  /// Among how many of the best.
  size_t pool = 32;
  /// How many more are drawn at random from the rest, so that the model also learns where it does
  /// not expect much.
  size_t extras = 1;
};

/// The positions in `candidates`, which go from the best score to the worst, of those to measure.
/// The first is the best; each next one is, of the pool, the one whose smallest distance to those
/// before is largest (greedy max-min; a distance is the number of knobs in which two points
/// differ). The earlier wins between equal ones. The extras come last.
std::vector<size_t> chooseBatch(llvm::ArrayRef<Candidate> candidates, const BatchOptions &options,
                                Random &random);

} // namespace tssa::search

#endif // TSSA_SEARCH_BATCH_H

//===- Batch.cpp - which candidates to measure -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Search/Batch.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace tssa::search;

std::vector<size_t> tssa::search::chooseBatch(llvm::ArrayRef<Candidate> candidates,
                                              const BatchOptions &options, Random &random) {
  size_t pool = std::min(options.pool, candidates.size());
  std::vector<size_t> chosen;
  std::vector<bool> isChosen(candidates.size());
  // From each candidate of the pool to the nearest chosen one.
  std::vector<unsigned> distances(pool, UINT32_MAX);
  while (chosen.size() < std::min(options.count, pool)) {
    size_t next = pool;
    for (size_t i = 0; i < pool; ++i)
      if (!isChosen[i] && (next == pool || distances[i] > distances[next]))
        next = i;
    isChosen[next] = true;
    chosen.push_back(next);
    for (size_t i = 0; i < pool; ++i)
      distances[i] =
          std::min(distances[i], countDifferences(candidates[i].point, candidates[next].point));
  }
  std::vector<size_t> rest;
  for (size_t i = 0; i < candidates.size(); ++i)
    if (!isChosen[i])
      rest.push_back(i);
  for (uint64_t index : random.sample(options.extras, rest.size()))
    chosen.push_back(rest[index]);
  return chosen;
}

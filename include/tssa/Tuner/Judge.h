//===- Judge.h - how good a ranking is, on recorded trials ------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TUNER_JUDGE_H
#define TSSA_TUNER_JUDGE_H

#include "tssa/Tuner/TaskSearch.h"

namespace tssa::tuner {

/// The best point after some trials, as a share of the pool's best, both without the default: the
/// mean over seeds.
struct Judgement {
  size_t trials = 0;
  double share = 0;
};

/// Searches the pool of the points that `history` has, in rounds of eight that start with the
/// default, and ranks them as `ranking` says. Nothing is measured. Returns the judgements after 8,
/// 16, 32 and 64 trials, with seeds 1 to `numSeeds`. The cost model also learns from `others`, the
/// rows of other tasks. Fails with a sentence if the cost model does, or if no point has a time.
llvm::Expected<std::vector<Judgement>> judge(const KernelSpace &space, search::History history,
                                             SearchOptions::Ranking ranking, unsigned numSeeds,
                                             llvm::ArrayRef<search::Row> others = {});

} // namespace tssa::tuner

#endif // TSSA_TUNER_JUDGE_H

//===- Judge.cpp - how good a ranking is, on recorded trials --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Tuner/Judge.h"

using namespace tssa;
using namespace tssa::tuner;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;

static constexpr size_t checkpoints[] = {8, 16, 32, 64};

namespace {
/// One search of a pool.
class PoolSearch {
public:
  PoolSearch(const KernelSpace &space, search::History pool, SearchOptions::Ranking ranking,
             search::CostModel &model, uint64_t seed, ArrayRef<search::Row> others)
      : space(space), ranking(ranking), model(model), random(seed, 0, 0), rows(others),
        numOthers(others.size()) {
    for (const search::Measured &entry : pool)
      (entry.point == space.getDefault() ? first : rest).push_back(entry);
  }

  /// Returns the best time after each number of `checkpoints`. The default is measured first, as in
  /// a search, and does not count.
  Expected<std::vector<double>> run();

private:
  Error runRound(size_t count);
  void learn(const search::Measured &entry);
  Error rank(std::vector<search::Candidate> &candidates);

  const KernelSpace &space;
  SearchOptions::Ranking ranking;
  search::CostModel &model;
  search::Random random;
  std::vector<search::Measured> first, rest;
  std::vector<search::Row> rows;
  size_t numOthers;
  double best = HUGE_VAL;
};
} // namespace

void PoolSearch::learn(const search::Measured &entry) {
  rows.push_back({search::hashBytes("own"), space.getFeatures(entry.point), entry.seconds});
}

Error PoolSearch::rank(std::vector<search::Candidate> &candidates) {
  bool isScored = false;
  if (ranking == SearchOptions::Model && rows.size() - numOthers >= fewMeasured) {
    Expected<bool> scored = scoreByModel(space, model, rows, candidates);
    if (!scored)
      return scored.takeError();
    isScored = *scored;
  }
  for (search::Candidate &candidate : candidates)
    if (!isScored)
      candidate.score =
          ranking == SearchOptions::None ? random.uniform() : -space.getCycles(candidate.point);
  sortByScore(candidates);
  return Error::success();
}

Error PoolSearch::runRound(size_t count) {
  for (const search::Measured &entry : first)
    learn(entry);
  count -= first.size();
  first.clear();
  std::vector<search::Candidate> candidates;
  for (const search::Measured &entry : rest)
    candidates.push_back({entry.point, 0});
  if (Error error = rank(candidates))
    return error;
  search::BatchOptions options;
  options.extras = ranking == SearchOptions::None ? 0 : 1;
  options.count = count - options.extras;
  for (size_t position : search::chooseBatch(candidates, options, random)) {
    auto found = llvm::find_if(rest, [&](const search::Measured &entry) {
      return entry.point == candidates[position].point;
    });
    learn(*found);
    best = std::min(best, found->seconds.value_or(HUGE_VAL));
    rest.erase(found);
  }
  return Error::success();
}

Expected<std::vector<double>> PoolSearch::run() {
  std::vector<double> result;
  for (size_t trials = pointsOfRound; trials <= checkpoints[3]; trials += pointsOfRound) {
    if (Error error = runRound(pointsOfRound))
      return std::move(error);
    if (llvm::is_contained(checkpoints, trials))
      result.push_back(best);
  }
  return result;
}

Expected<std::vector<Judgement>> tuner::judge(const KernelSpace &space, search::History history,
                                              SearchOptions::Ranking ranking, unsigned numSeeds,
                                              ArrayRef<search::Row> others) {
  double best = HUGE_VAL;
  for (const search::Measured &entry : history)
    if (entry.point != space.getDefault())
      best = std::min(best, entry.seconds.value_or(HUGE_VAL));
  if (best == HUGE_VAL)
    return llvm::createStringError("no point of the pool has a time");
  auto model = search::CostModel::create(space.getFeatureNames());
  if (!model)
    return model.takeError();
  std::vector<Judgement> judgements;
  for (size_t trials : checkpoints)
    judgements.push_back({trials, 0});
  for (unsigned seed = 1; seed <= numSeeds; ++seed) {
    auto times = PoolSearch(space, history, ranking, *model, seed, others).run();
    if (!times)
      return times.takeError();
    for (auto [judgement, time] : llvm::zip_equal(judgements, *times))
      judgement.share += best / time / numSeeds;
  }
  return judgements;
}

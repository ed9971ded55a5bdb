//===- TaskSearch.cpp - the search for the loops of one task --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Tuner/TaskSearch.h"
#include "llvm/ADT/StringSet.h"

using namespace tssa;
using namespace tssa::tuner;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;

/// How many points the draft keeps in a round.
static constexpr size_t keptByDraft = 256;
/// After this many rounds without `leastGain` of its time, a search goes on to its next phase.
static constexpr unsigned mostIdleRounds = 4;
static constexpr unsigned mostIdleSteps = 1;
static constexpr double leastGain = 0.005;
/// How many points of a round are steps around the best two.
static constexpr size_t stepsOfRound = 3;

Expected<std::unique_ptr<TaskSearch>>
TaskSearch::create(const search::Task &task, mlir::MLIRContext &context,
                   const mlir::tssa::layout::MachineModel &machine, const SearchOptions &options) {
  std::unique_ptr<TaskSearch> result(new TaskSearch);
  result->task = task;
  result->number = search::hashBytes(task.key);
  result->options = options;
  auto kernel = TaskKernel::create(task.text, context, machine);
  if (!kernel)
    return kernel.takeError();
  result->kernel = std::move(*kernel);
  auto space = KernelSpace::create(*result->kernel);
  if (!space)
    return space.takeError();
  result->space = std::move(*space);
  auto sampler = search::createSampler(options.sampler);
  if (!sampler)
    return sampler.takeError();
  result->sampler = std::move(*sampler);
  result->steps = search::createCoordinateSampler();
  return result;
}

//===----------------------------------------------------------------------===//
// History
//===----------------------------------------------------------------------===//

bool TaskSearch::isKnown(const search::Point &point) const {
  return llvm::binary_search(known, space->getSpace().print(point));
}

void TaskSearch::addToHistory(search::Point point, std::optional<double> seconds) {
  std::string text = space->getSpace().print(point);
  known.insert(llvm::lower_bound(known, text), text);
  history.push_back({std::move(point), seconds});
}

bool TaskSearch::addEarlier(const search::Trial &trial) {
  Expected<search::Point> point = space->getSpace().parse(trial.point);
  if (!point) {
    llvm::consumeError(point.takeError());
    return false;
  }
  if (!space->getSpace().isLegal(*point) || space->canonicalize(*point) != *point ||
      isKnown(*point))
    return false;
  addToHistory(std::move(*point), trial.seconds);
  ++numEarlier;
  return true;
}

size_t TaskSearch::countMeasured() const {
  return llvm::count_if(history, [](const search::Measured &m) { return m.seconds.has_value(); });
}

search::Row TaskSearch::getRow(const search::Measured &measured) const {
  return {number, space->getFeatures(measured.point), measured.seconds};
}

std::optional<double> TaskSearch::getDefaultSeconds() const {
  for (const search::Measured &measured : history)
    if (measured.point == space->getDefault())
      return measured.seconds;
  return std::nullopt;
}

std::vector<search::Measured> TaskSearch::getBest(size_t count) const {
  std::vector<std::pair<double, size_t>> order;
  for (auto [position, measured] : llvm::enumerate(history))
    if (measured.seconds)
      order.push_back({*measured.seconds, position});
  llvm::sort(order);
  std::vector<search::Measured> best;
  for (auto [seconds, position] : ArrayRef(order).take_front(count))
    best.push_back(history[position]);
  return best;
}

std::optional<double> TaskSearch::getBestSeconds() const {
  std::vector<search::Measured> best = getBest(1);
  return best.empty() ? std::nullopt : best.front().seconds;
}

double TaskSearch::getSlope() const {
  size_t count = bestAfterRound.size();
  if (count < 2)
    return 1;
  double before = bestAfterRound[count > 2 ? count - 3 : 0], now = bestAfterRound.back();
  return (before - now) / now / static_cast<double>(std::min<size_t>(count - 1, 2));
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

std::vector<double> TaskSearch::draft(ArrayRef<search::Point> points) const {
  std::vector<double> scores;
  for (const search::Point &point : points)
    scores.push_back(-space->getCycles(point));
  return scores;
}

void tuner::sortByScore(std::vector<search::Candidate> &candidates) {
  std::vector<std::pair<double, size_t>> order;
  for (auto [position, candidate] : llvm::enumerate(candidates))
    order.push_back({-candidate.score, position});
  llvm::sort(order);
  std::vector<search::Candidate> sorted;
  for (auto [score, position] : order)
    sorted.push_back(std::move(candidates[position]));
  candidates = std::move(sorted);
}

/// Collects new points from all sources, ranked by the draft.
std::vector<search::Candidate> TaskSearch::collect(ArrayRef<ForeignPoint> foreign,
                                                   search::Random &random) {
  std::vector<search::Candidate> candidates;
  llvm::StringSet<> seen;
  seen.insert(space->getSpace().print(space->getDefault())); // is in the first batch
  bool ranks = options.ranking != SearchOptions::None;
  auto add = [&](ArrayRef<uint32_t> given) {
    search::Point point = space->canonicalize(given);
    if (!isKnown(point) && seen.insert(space->getSpace().print(point)).second)
      candidates.push_back({point, ranks ? -space->getCycles(point) : 0});
  };
  if (ranks) {
    for (const search::Point &pick : space->getDraftPicks())
      add(pick);
    for (const ForeignPoint &other : foreign)
      if (auto point = space->adopt(other.space, other.point))
        add(*point);
  }
  auto scorer = [&](ArrayRef<search::Point> points) {
    return ranks ? draft(points) : std::vector<double>(points.size(), 0);
  };
  search::Proposals proposals =
      sampler->propose(space->getSpace(), history, keptByDraft, scorer, random);
  for (const search::Candidate &candidate : proposals.candidates)
    add(candidate.point);
  sortByScore(candidates);
  if (candidates.size() > keptByDraft)
    candidates.resize(keptByDraft);
  return candidates;
}

/// Collects the new steps of one knob around the two best points.
std::vector<search::Candidate> TaskSearch::collectSteps(search::Random &random) {
  std::vector<search::Candidate> candidates;
  auto scorer = [&](ArrayRef<search::Point> points) { return draft(points); };
  llvm::StringSet<> seen;
  for (const search::Candidate &candidate :
       steps->propose(space->getSpace(), history, keptByDraft, scorer, random).candidates) {
    search::Point point = space->canonicalize(candidate.point);
    if (!isKnown(point) && seen.insert(space->getSpace().print(point)).second)
      candidates.push_back({point, -space->getCycles(point)});
  }
  sortByScore(candidates);
  return candidates;
}

Expected<bool> tuner::scoreByModel(const KernelSpace &space, search::CostModel &model,
                                   ArrayRef<search::Row> rows,
                                   std::vector<search::Candidate> &candidates) {
  if (Error error = model.train(rows))
    return std::move(error);
  std::vector<search::Features> features;
  for (const search::Candidate &candidate : candidates)
    features.push_back(space.getFeatures(candidate.point));
  auto scores = model.predict(features);
  if (!scores)
    return scores.takeError();
  if (!*scores)
    return false;
  for (auto [candidate, score] : llvm::zip_equal(candidates, **scores))
    candidate.score = score;
  return true;
}

/// Ranks the candidates by the model once it knows enough of this task.
Error TaskSearch::rank(std::vector<search::Candidate> &candidates, search::CostModel &model,
                       ArrayRef<search::Row> rows) {
  if (options.ranking != SearchOptions::Model || countMeasured() < fewMeasured)
    return Error::success();
  Expected<bool> isScored = scoreByModel(*space, model, rows, candidates);
  if (!isScored)
    return isScored.takeError();
  if (*isScored)
    sortByScore(candidates);
  return Error::success();
}

Expected<std::vector<search::Point>> TaskSearch::propose(size_t count, search::CostModel &model,
                                                         ArrayRef<search::Row> rows,
                                                         ArrayRef<ForeignPoint> foreign) {
  std::vector<search::Point> batch;
  if (isFinished() || count == 0)
    return batch;
  search::Random random(options.seed, number, numEarlier + numRounds);
  if (!isKnown(space->getDefault()))
    batch.push_back(space->getDefault());
  std::vector<search::Candidate> candidates, near;
  if (options.ranking != SearchOptions::None)
    near = collectSteps(random);
  if (phase == Phase::Search)
    candidates = collect(foreign, random);
  if (candidates.empty())
    phase = Phase::Steps;
  for (std::vector<search::Candidate> *list : {&candidates, &near})
    if (Error error = rank(*list, model, rows))
      return std::move(error);
  size_t share = phase == Phase::Steps ? count : std::min(stepsOfRound, count / 2);
  for (const search::Candidate &step : ArrayRef(near).take_front(share))
    batch.push_back(step.point);
  llvm::erase_if(candidates, [&](const search::Candidate &candidate) {
    return llvm::is_contained(batch, candidate.point);
  });
  search::BatchOptions choice;
  size_t left = count - std::min(count, batch.size());
  choice.extras = left > 1 ? 1 : 0;
  choice.count = left - choice.extras;
  if (options.ranking == SearchOptions::None)
    choice.pool = choice.count;
  for (size_t position : search::chooseBatch(candidates, choice, random))
    batch.push_back(candidates[position].point);
  if (batch.empty())
    finish();
  return batch;
}

void TaskSearch::add(ArrayRef<search::Point> points, ArrayRef<std::optional<double>> seconds) {
  for (auto [point, time] : llvm::zip_equal(points, seconds))
    addToHistory(point, time);
  ++numRounds;
  endRound();
}

void TaskSearch::endRound() {
  // Without a ranking, points are a sample of the space: its size is for the budget to say.
  if (options.ranking == SearchOptions::None)
    return;
  std::optional<double> best = getBestSeconds();
  if (!best)
    return;
  bool gains = bestAfterRound.empty() || *best < bestAfterRound.back() * (1 - leastGain);
  numIdle = gains ? 0 : numIdle + 1;
  bestAfterRound.push_back(*best);
  if (phase == Phase::Search && numIdle >= mostIdleRounds) {
    phase = Phase::Steps;
    numIdle = 0;
  } else if (phase == Phase::Steps && numIdle > mostIdleSteps) {
    finish();
  }
}

//===- FreshPoints.h - points that were not proposed yet -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_SEARCH_FRESHPOINTS_H
#define TSSA_SEARCH_FRESHPOINTS_H

#include "tssa/Search/Sampler.h"

#include <unordered_set>

namespace tssa::search {

/// Collects the points of one proposal: legal, different, and not in the history.
class FreshPoints {
public:
  FreshPoints(const Space &space, History history);

  /// Adds `point` unless it is known or not legal. Returns whether it was added.
  bool add(Point point);
  /// Adds up to `count` points at random. Returns how many it added.
  uint64_t draw(uint64_t count, Random &random);

  llvm::ArrayRef<Point> getPoints() const { return points; }
  /// The points with their scores, the best `count` of them, best first.
  Proposals rank(llvm::ArrayRef<double> scores, uint64_t count) const;

private:
  struct Hash {
    size_t operator()(const Point &point) const { return size_t(hashPoint(point)); }
  };
  uint64_t drawFromAll(uint64_t count, Random &random);

  const Space &space;
  std::vector<Point> points;
  /// The points, those of the history, and those that are not legal.
  std::unordered_set<Point, Hash> known;
  uint64_t illegal = 0;
};

/// One score for each point; -infinity for a missing one and for what is no number.
std::vector<double> getScores(Scorer scorer, llvm::ArrayRef<Point> points);

/// The points of `history` in `space` that have a time, fastest first, at most `count`.
std::vector<Point> getFastest(const Space &space, History history, uint64_t count);

} // namespace tssa::search

#endif // TSSA_SEARCH_FRESHPOINTS_H

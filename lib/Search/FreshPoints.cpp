//===- FreshPoints.cpp - points that were not proposed yet -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FreshPoints.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace tssa::search;
using llvm::ArrayRef;

/// The largest space of which every point is looked at.
static constexpr uint64_t maxEnumerated = 65536;
/// Useless draws for each wanted point, after which a larger space is given up.
static constexpr uint64_t drawsPerPoint = 64;

FreshPoints::FreshPoints(const Space &space, History history) : space(space) {
  for (const Measured &measured : history)
    known.insert(measured.point);
}

bool FreshPoints::add(Point point) {
  if (!known.insert(point).second)
    return false;
  if (!space.isLegal(point)) {
    ++illegal;
    return false;
  }
  points.push_back(std::move(point));
  return true;
}

uint64_t FreshPoints::drawFromAll(uint64_t count, Random &random) {
  std::vector<Point> unknown;
  for (uint64_t number = 0, end = space.countPoints(); number < end; ++number) {
    Point point = space.getPoint(number);
    if (known.find(point) == known.end())
      unknown.push_back(std::move(point));
  }
  uint64_t added = 0;
  for (uint64_t i = 0; i < unknown.size() && added < count; ++i) {
    std::swap(unknown[i], unknown[i + random.below(unknown.size() - i)]);
    added += add(std::move(unknown[i]));
  }
  return added;
}

uint64_t FreshPoints::draw(uint64_t count, Random &random) {
  if (space.countPoints() <= maxEnumerated)
    return drawFromAll(count, random);
  uint64_t added = 0;
  for (uint64_t useless = 0; added < count && useless / drawsPerPoint < count;) {
    bool isNew = add(space.draw(random));
    added += isNew;
    useless += !isNew;
  }
  return added;
}

/// Positions from the smallest key to the largest; equal keys keep their order.
static std::vector<size_t> sortedPositions(ArrayRef<double> keys) {
  std::vector<size_t> positions(keys.size());
  std::iota(positions.begin(), positions.end(), size_t(0));
  llvm::sort(positions,
             [&](size_t a, size_t b) { return std::pair(keys[a], a) < std::pair(keys[b], b); });
  return positions;
}

Proposals FreshPoints::rank(ArrayRef<double> scores, uint64_t count) const {
  std::vector<double> losses;
  for (double score : scores)
    losses.push_back(-score);
  Proposals proposals;
  proposals.illegal = illegal;
  std::vector<size_t> positions = sortedPositions(losses);
  for (size_t position : ArrayRef(positions).take_front(count))
    proposals.candidates.push_back({points[position], scores[position]});
  return proposals;
}

std::vector<double> tssa::search::getScores(Scorer scorer, ArrayRef<Point> points) {
  constexpr double last = -std::numeric_limits<double>::infinity();
  std::vector<double> scores = points.empty() ? std::vector<double>() : scorer(points);
  scores.resize(points.size(), last);
  for (double &score : scores)
    score = std::isnan(score) ? last : score;
  return scores;
}

std::vector<Point> tssa::search::getFastest(const Space &space, History history, uint64_t count) {
  std::vector<double> times;
  std::vector<const Measured *> timed;
  for (const Measured &measured : history) {
    if (!measured.seconds || std::isnan(*measured.seconds) || !space.contains(measured.point))
      continue;
    times.push_back(*measured.seconds);
    timed.push_back(&measured);
  }
  std::vector<Point> fastest;
  std::vector<size_t> positions = sortedPositions(times);
  for (size_t position : ArrayRef(positions).take_front(count))
    fastest.push_back(timed[position]->point);
  return fastest;
}

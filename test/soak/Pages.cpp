//===- Pages.cpp - buffers next to unreadable pages -----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A masked vector load from an unmapped page loads the right lanes, but takes hundreds of cycles.
/// The speed of a program that does this depends on the addresses of its buffers.
///
//===----------------------------------------------------------------------===//
#include "Soak.h"

#include <algorithm>
#include <ctime>
#include <limits>

using namespace tssa::runtime;

namespace tssa::soak {

/// Returns the CPU time of this thread.
static double getThreadSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

namespace {
/// A model whose arguments and buffers all have one placement.
struct PlacedModel {
  Model model;
  std::unique_ptr<Session> session;
  double best = std::numeric_limits<double>::max();
  bool right = true;

  PlacedModel(const Model &from, Placement where) {
    model.path = from.path;
    model.inputFiles = from.inputFiles;
    model.expected = from.expected;
    placeAllocations(where);
    require(model.read(), model.path);
    session = load(model, 1);
    check(); // its memory is allocated now, and kept
    placeAllocations(Placement::Heap);
  }

  void check() {
    uint64_t hash;
    require(model.run(*session, 0, hash), model.path);
    right = right && hash == model.expected[0];
  }

  void time() {
    double start = getThreadSeconds();
    check();
    best = std::min(best, getThreadSeconds() - start);
  }
};
} // namespace

bool soakPages(std::vector<Model> &models, double) {
  Findings findings("pages");
  constexpr int mostRounds = 40, runs = 25;
  constexpr double mostRatio = 1.1;
  double worst = 0;
  bool right = true;
  for (const Model &model : models) {
    PlacedModel among(model, Placement::AmongPages), start(model, Placement::AtStartOfPages),
        end(model, Placement::AtEndOfPages);
    auto getRatio = [&] { return std::max(start.best, end.best) / among.best; };
    // Take the minimum of many rounds, because rounds may be disturbed.
    for (int round = 0; round < mostRounds && (round < 2 || getRatio() > mostRatio); ++round)
      for (int run = 0; run < runs; ++run)
        for (PlacedModel *placed : {&among, &start, &end})
          placed->time();
    worst = std::max(worst, getRatio());
    right = right && among.right && start.right && end.right;
  }
  findings.add("worst_ratio", worst);
  findings.expect("every result has the bits of the first", right);
  findings.expect("as fast within 10 % beside pages that cannot be read", worst <= mostRatio);
  return findings.print();
}

} // namespace tssa::soak

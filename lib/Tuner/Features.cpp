//===- Features.cpp - numbers that describe a point -----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Features.h"

using namespace mlir;
using namespace ::tssa;
using namespace ::tssa::tuner;
namespace layout = mlir::tssa::layout;

/// Adds numbers of `terms`, whose names begin with `prefix`.
static void addTerms(layout::FeatureList &list, const layout::DraftTerms &terms,
                     const layout::MachineModel &machine, const std::string &prefix) {
  for (auto [name, value] :
       std::initializer_list<std::pair<const char *, double>>{{"tiles", terms.tiles},
                                                              {"steps", terms.steps},
                                                              {"sums", terms.sums},
                                                              {"unrolled", terms.unrolled},
                                                              {"loads", terms.loads},
                                                              {"step_cycles", terms.stepCycles},
                                                              {"spills", terms.spills},
                                                              {"conflicts", terms.conflicts},
                                                              {"branches", terms.branches},
                                                              {"guards", terms.guards},
                                                              {"setup", terms.setup},
                                                              {"compute", terms.compute},
                                                              {"transfer", terms.transfer},
                                                              {"waiting", terms.waiting}})
    list.addLog(prefix + name, value);
  double body = std::max(terms.sums * terms.unrolled, 1.0);
  auto add = [&](const char *name, double value) { list.add(prefix + name, value); };
  add("interior", terms.interior);
  add("loads_per_multiply", terms.loads / body);
  add("registers", (terms.sums + terms.registers) / static_cast<double>(machine.registers));
  add("transfer_share", terms.transfer / std::max(terms.cycles, 1.0));
  add("setup_share", terms.tiles * terms.setup / std::max(terms.compute, 1.0));
}

/// Adds the terms of another expression to those of some: what happens once in a kernel adds up,
/// and of what a step or a tile takes the most counts.
static void addUp(layout::DraftTerms &all, const layout::DraftTerms &more) {
  using layout::DraftTerms;
  for (double DraftTerms::*sum : {&DraftTerms::tiles, &DraftTerms::compute, &DraftTerms::transfer,
                                  &DraftTerms::waiting, &DraftTerms::cycles})
    all.*sum += more.*sum;
  for (double DraftTerms::*most :
       {&DraftTerms::steps, &DraftTerms::sums, &DraftTerms::unrolled, &DraftTerms::loads,
        &DraftTerms::registers, &DraftTerms::stepCycles, &DraftTerms::spills,
        &DraftTerms::conflicts, &DraftTerms::branches, &DraftTerms::guards, &DraftTerms::interior,
        &DraftTerms::setup})
    all.*most = std::max(all.*most, more.*most);
}

static layout::FeatureList collect(ExpressionSpaces spaces, ArrayRef<layout::Point> point) {
  layout::DraftTerms others;
  for (auto [space, own] : llvm::zip_equal(spaces.drop_back(), point.drop_back()))
    addUp(others, space->getTerms(own));
  const layout::KnobSpace &root = *spaces.back();
  layout::DraftTerms terms = root.getTerms(point.back());
  layout::FeatureList list;
  list.addLog("cycles", terms.cycles + others.cycles);
  addTerms(list, terms, root.getMachine(), "");
  root.addFeatures(point.back(), list);
  list.add("expressions", static_cast<double>(spaces.size()));
  list.addLog("others.cycles", others.cycles);
  addTerms(list, others, root.getMachine(), "others.");
  return list;
}

search::Features tuner::getFeatures(ExpressionSpaces spaces, ArrayRef<layout::Point> point) {
  layout::FeatureList list = collect(spaces, point);
  return search::Features(list.values.begin(), list.values.end());
}

std::vector<std::string> tuner::getFeatureNames(ExpressionSpaces spaces,
                                                ArrayRef<layout::Point> point) {
  return collect(spaces, point).names;
}

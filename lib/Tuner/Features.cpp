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

static void addTerms(layout::FeatureList &list, const layout::DraftTerms &terms,
                     const layout::MachineModel &machine) {
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
    list.addLog(name, value);
  double body = std::max(terms.sums * terms.unrolled, 1.0);
  list.add("interior", terms.interior);
  list.add("loads_per_multiply", terms.loads / body);
  list.add("registers", (terms.sums + terms.registers) / static_cast<double>(machine.registers));
  list.add("transfer_share", terms.transfer / std::max(terms.cycles, 1.0));
  list.add("setup_share", terms.tiles * terms.setup / std::max(terms.compute, 1.0));
}

static layout::FeatureList collect(const layout::KnobSpace &space, const layout::Point &point,
                                   double cycles) {
  layout::FeatureList list;
  list.addLog("cycles", cycles);
  addTerms(list, space.getTerms(point), space.getMachine());
  space.addFeatures(point, list);
  return list;
}

search::Features tuner::getFeatures(const layout::KnobSpace &space, const layout::Point &point,
                                    double cycles) {
  layout::FeatureList list = collect(space, point, cycles);
  return search::Features(list.values.begin(), list.values.end());
}

std::vector<std::string> tuner::getFeatureNames(const layout::KnobSpace &space,
                                                const layout::Point &point) {
  return collect(space, point, /*cycles=*/0).names;
}

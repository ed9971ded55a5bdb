//===- Features.cpp - numbers that describe a point -----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Features.h"

#include <cmath>

using namespace mlir;
using namespace ::tssa;
using namespace ::tssa::tuner;
namespace layout = mlir::tssa::layout;
namespace te = mlir::tssa::te;

namespace {
/// Collects named numbers. Only one of both lists is asked for.
class FeatureList {
public:
  std::vector<std::string> names;
  search::Features values;

  void add(StringRef name, double value) {
    names.push_back(name.str());
    values.push_back(static_cast<float>(value));
  }
  /// Adds the logarithm of a count or of a time, which may be 0.
  void addLog(StringRef name, double value) { add(name, std::log2(1 + value)); }
};

/// How many accesses in the steps move in which way along a dim.
struct Movement {
  double invariant = 0, contiguous = 0, strided = 0;
};
} // namespace

static Movement getMovement(const TaskKernel::Expression &expression, std::optional<unsigned> dim) {
  Movement movement;
  if (!dim)
    return movement;
  for (const layout::Access &access : expression.accesses)
    switch (access.getStrideKind(*dim, 2)) {
    case layout::StrideKind::Invariant:
      ++movement.invariant;
      break;
    case layout::StrideKind::Contiguous:
      ++movement.contiguous;
      break;
    case layout::StrideKind::Strided:
      ++movement.strided;
      break;
    }
  return movement;
}

static void addMovement(FeatureList &list, const std::string &name, const Movement &movement) {
  list.add(name + "_invariant", movement.invariant);
  list.add(name + "_contiguous", movement.contiguous);
  list.add(name + "_strided", movement.strided);
}

/// Returns the share of the work in tiles of `tile` of `extent` iterations that is not needed.
static double getTail(int64_t extent, int64_t tile) {
  int64_t tiles = llvm::divideCeil(extent, tile);
  return 1 - static_cast<double>(extent) / static_cast<double>(tiles * tile);
}

static void addTerms(FeatureList &list, const layout::DraftTerms &terms,
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

static FeatureList collect(const ExpressionSpace &space, const layout::Point &point, double cycles,
                           const layout::MachineModel &machine) {
  FeatureList list;
  const TaskKernel::Expression &expression = space.getExpression();
  te::ComputeOp op = expression.op;
  list.addLog("cycles", cycles);
  addTerms(list, space.getTerms(point), machine);
  auto extentOf = [&](unsigned dim, unsigned fused) {
    int64_t extent = 1;
    for (unsigned d = dim - fused; d <= dim; ++d)
      extent = std::min(extent * layout::getExtent(op, expression.roles, d), layout::mostExtent);
    return extent;
  };
  bool joins = point.vectorDim && *point.vectorDim >= op.getNumParallel();
  list.add("lanes", point.lanes);
  list.add("vectors", point.vectors);
  list.add("joins", joins);
  list.add("fused", point.fused);
  list.addLog("vector_extent", point.vectorDim ? extentOf(*point.vectorDim, point.fused) : 1);
  list.add("vector_tail", point.vectorDim ? getTail(extentOf(*point.vectorDim, point.fused),
                                                    point.lanes * point.vectors)
                                          : 0);
  list.add("vector_role",
           point.vectorDim ? static_cast<double>(expression.roles[*point.vectorDim]) : -1);
  addMovement(list, "vector", getMovement(expression, point.vectorDim));
  for (unsigned i = 0; i < 2; ++i) {
    std::string name = i ? "rows2" : "rows";
    bool exists = i < point.rows.size();
    layout::TileRows rows = exists ? point.rows[i] : layout::TileRows();
    list.add(name + "_extent", rows.extent);
    list.add(name + "_tail", exists ? getTail(extentOf(rows.dim, rows.fused), rows.extent) : 0);
    list.add(name + "_role", exists ? static_cast<double>(expression.roles[rows.dim]) : -1);
    std::optional<unsigned> dim = exists ? std::optional(rows.dim) : std::nullopt;
    addMovement(list, name, getMovement(expression, dim));
  }
  list.add("unrolled_dims", point.unrolled.size());
  auto innermost = [](ArrayRef<unsigned> order) {
    return order.empty() ? std::nullopt : std::optional(order.back());
  };
  addMovement(list, "inner_step", getMovement(expression, innermost(point.reductions)));
  addMovement(list, "inner_loop", getMovement(expression, innermost(point.outer)));
  return list;
}

search::Features tuner::getFeatures(const ExpressionSpace &space, const layout::Point &point,
                                    double cycles) {
  return collect(space, point, cycles, space.getMachine()).values;
}

std::vector<std::string> tuner::getFeatureNames(const ExpressionSpace &space,
                                                const layout::Point &point) {
  return collect(space, point, /*cycles=*/0, space.getMachine()).names;
}

//===- KnobFeatures.cpp - what a cost model may know of a point ---------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/KnobFeatures.h"
#include "dialects/layout/Template/KnobSpace.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// Adds how many accesses in the steps move in which way along a dim.
static void addMovement(FeatureList &list, const std::string &name, const KnobSpace &space,
                        std::optional<unsigned> dim) {
  auto count = [&](StrideKind kind) -> double {
    if (!dim)
      return 0;
    return llvm::count_if(space.getAccesses(), [&](const Access &access) {
      return access.getStrideKind(*dim, 2) == kind;
    });
  };
  list.add(name + "_invariant", count(StrideKind::Invariant));
  list.add(name + "_contiguous", count(StrideKind::Contiguous));
  list.add(name + "_strided", count(StrideKind::Strided));
}

/// Returns the share of the work in tiles of `tile` of `extent` iterations that is not needed.
static double getTail(int64_t extent, int64_t tile) {
  int64_t tiles = llvm::divideCeil(extent, tile);
  return 1 - static_cast<double>(extent) / static_cast<double>(tiles * tile);
}

void layout::addVectorFeatures(const KnobSpace &space, const Point &point, FeatureList &list) {
  std::optional<unsigned> dim = point.vectorDim;
  int64_t extent = dim ? space.getFusedExtent(*dim, point.fused) : 1;
  list.add("lanes", point.lanes);
  list.add("vectors", point.vectors);
  list.add("joins", dim && *dim >= space.getOp().getNumParallel());
  list.add("fused", point.fused);
  list.addLog("vector_extent", extent);
  list.add("vector_tail", dim ? getTail(extent, point.lanes * point.vectors) : 0);
  list.add("vector_role", dim ? static_cast<double>(space.getRoles()[*dim]) : -1);
  addMovement(list, "vector", space, dim);
}

template <unsigned number>
void layout::addRowsFeatures(const KnobSpace &space, const Point &point, FeatureList &list) {
  std::string name = number ? "rows2" : "rows";
  bool exists = number < point.rows.size();
  TileRows rows = exists ? point.rows[number] : TileRows();
  list.add(name + "_extent", rows.extent);
  list.add(name + "_tail",
           exists ? getTail(space.getFusedExtent(rows.dim, rows.fused), rows.extent) : 0);
  list.add(name + "_role", exists ? static_cast<double>(space.getRoles()[rows.dim]) : -1);
  addMovement(list, name, space, exists ? std::optional(rows.dim) : std::nullopt);
}

template void layout::addRowsFeatures<0>(const KnobSpace &, const Point &, FeatureList &);
template void layout::addRowsFeatures<1>(const KnobSpace &, const Point &, FeatureList &);

void layout::addUnrollFeatures(const KnobSpace &, const Point &point, FeatureList &list) {
  list.add("unrolled_dims", point.unrolled.size());
}

void layout::addDotFeatures(const KnobSpace &, const Point &point, FeatureList &list) {
  list.add("dot_steps", point.dot ? static_cast<double>(point.dot->extent) : 0);
}

static std::optional<unsigned> getInnermost(ArrayRef<unsigned> order) {
  return order.empty() ? std::nullopt : std::optional(order.back());
}

void layout::addStepFeatures(const KnobSpace &space, const Point &point, FeatureList &list) {
  addMovement(list, "inner_step", space, getInnermost(point.reductions));
}

void layout::addLoopFeatures(const KnobSpace &space, const Point &point, FeatureList &list) {
  addMovement(list, "inner_loop", space, getInnermost(point.outer));
}

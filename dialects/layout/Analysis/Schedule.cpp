//===- Schedule.cpp - a schedule region as data -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Analysis/Schedule.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

const TileGroup *Schedule::getTile(unsigned loop) const {
  for (const TileGroup &group : tiles)
    if (auto outer = dyn_cast<AffineDimExpr>(group.outer))
      if (outer.getPosition() == loop)
        return &group;
  return nullptr;
}

const TileGroup *Schedule::getVector() const {
  for (const TileGroup &group : tiles)
    if (group.vector)
      return &group;
  return nullptr;
}

AffineExpr Schedule::getLiveExpr(unsigned loop, MLIRContext *context) const {
  for (auto [id, expr] : splits)
    if (id == loop)
      return expr;
  return getAffineDimExpr(loop, context);
}

static int64_t getProductOfExtents(const Schedule &schedule, bool onlyReduction) {
  int64_t product = 1;
  for (unsigned id : schedule.threads)
    if (!onlyReduction || schedule.loops[id].reduction)
      product *= cast<AffineConstantExpr>(schedule.loops[id].extent).getValue();
  return product;
}

int64_t Schedule::getNumThreads() const {
  return getProductOfExtents(*this, false) * (atom ? DeviceModel::warp : 1);
}

int64_t Schedule::getReductionThreads() const { return getProductOfExtents(*this, true); }

//===- CostModel.cpp - what computing, moving and launching costs -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Partition/CostModel.h"
#include "dialects/te/IR/ElementBytes.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

namespace {
/// A level of memory that keeps tensors of up to `bytes` between two launches.
struct MemoryLevel {
  double bytes, bytesPerCycle;
};
} // namespace

/// Half of each cache: the other half holds what else the launches read.
static constexpr MemoryLevel levels[] = {{512 << 10, 32}, {16 << 20, 12}};
static constexpr double memoryBytesPerCycle = 5;

double CostModel::getComputing(const BodyFacts &facts, double points) const {
  return points * facts.cost / opsPerCycle;
}

double CostModel::getMoving(double bytes, double tensorBytes) const {
  for (const MemoryLevel &level : levels)
    if (tensorBytes <= level.bytes)
      return bytes / level.bytesPerCycle;
  return bytes / memoryBytesPerCycle;
}

double CostModel::getRunning(double computing, double moving) const {
  return std::max(computing, moving) + overlap * std::min(computing, moving);
}

bool CostModel::isWorthStoring(const BodyFacts &facts, double points, double elements,
                               Type element) const {
  double bytes = elements * getElementBytes(element);
  double moving = getMoving(2 * bytes, bytes);
  double storing = launchCycles + getRunning(getComputing(facts, elements), moving);
  return getComputing(facts, points) > storing;
}

bool CostModel::isWorthStoring(const BodyFacts &facts, ArrayRef<OpFoldResult> points,
                               ArrayRef<OpFoldResult> elements, Type element) const {
  return isWorthStoring(facts, getReuse(points, {}), getReuse(elements, {}), element);
}

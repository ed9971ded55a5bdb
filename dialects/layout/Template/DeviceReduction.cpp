//===- DeviceReduction.cpp - who computes the steps of a reduction --------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/DeviceReduction.h"
#include "dialects/layout/Template/DeviceDraft.h"
#include "dialects/te/IR/ElementBytes.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// The number of results that occupy a device if each lane computes one result.
static constexpr double manyResults = 2048;
/// The least number of steps that lanes share if there are few results.
static constexpr double longReduction = 512;
/// The most parts of a reduction, and the most time with parts, of that without.
static constexpr int64_t mostParts = 32;
static constexpr double mostOfWhole = 0.9;

static double countResults(te::ComputeOp op) {
  return countPoints(op.getStaticSizes().take_front(op.getNumParallel()));
}

static double countSteps(te::ComputeOp op) {
  return countPoints(op.getStaticSizes().drop_front(op.getNumParallel()));
}

static unsigned countStrided(te::ComputeOp op, ArrayRef<Access> accesses, unsigned dim) {
  return llvm::count_if(accesses, [&](const Access &access) {
    return !access.isWrite() && access.getRead()->getParentRegion() != &op.getEpilogue() &&
           access.getStrideKind(dim, 2) == StrideKind::Strided;
  });
}

/// Returns whether reads are adjacent along the results rather than along the steps, of which the
/// innermost dim is the one with the smallest strides.
static bool isAdjacentAlongResults(te::ComputeOp op, ArrayRef<Access> accesses) {
  auto getStrides = [&](unsigned dim) {
    uint64_t sum = 0;
    for (const Access &access : accesses)
      if (!access.isWrite())
        sum += std::abs(access.getStride(dim));
    return sum;
  };
  unsigned innermost = op.getNumParallel();
  for (unsigned dim = innermost + 1; dim < op.getNumDims(); ++dim)
    if (getStrides(dim) <= getStrides(innermost))
      innermost = dim;
  return countStrided(op, accesses, op.getNumParallel() - 1) <=
         countStrided(op, accesses, innermost);
}

bool layout::lanesShareSteps(te::ComputeOp op, ArrayRef<Access> accesses) {
  double steps = countSteps(op), results = countResults(op);
  if (steps < DeviceModel::warp)
    return false;
  return results == 1 || (results < manyResults && steps >= longReduction) ||
         !isAdjacentAlongResults(op, accesses);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Returns the microseconds of the launch that adds `parts` parts of each result.
static double predictCombination(te::ComputeOp op, int64_t parts, const DeviceModel &device) {
  int64_t bytes = 0; // of each result
  for (Type sum : op.getAccumulatorTypes())
    bytes += parts * te::getElementBytes(sum);
  for (Type result : op.getResultTypes())
    bytes += te::getElementBytes(getElementTypeOrSelf(result));
  return predictMoves(countResults(op) * static_cast<double>(bytes), device) +
         predictSteps(static_cast<double>(parts), device);
}

/// Returns the microseconds of the launch that computes `parts` parts of what is no tiled product;
/// without those of memory, if lanes use all that it brings. They do so when each computes results
/// of its own, which are adjacent.
static std::optional<double> predictLanes(te::ComputeOp op, ArrayRef<Access> accesses,
                                          int64_t parts, const DeviceModel &device) {
  if (!isAdjacentAlongResults(op, accesses))
    return std::nullopt;
  if (parts == 1 && lanesShareSteps(op, accesses)) // along which nothing is adjacent
    return predictMoves(countResults(op) * countSteps(op) * sectorBytes, device);
  return predictSteps(countSteps(op) / static_cast<double>(parts), device);
}

/// Returns the microseconds of the launch that computes `parts` parts, or nothing if it needs none.
static std::optional<double> predictParts(te::ComputeOp op, ArrayRef<Access> accesses,
                                          int64_t parts, const DeviceModel &device) {
  std::optional<DeviceProduct> product = matchDeviceProduct(op);
  if (!product)
    return predictLanes(op, accesses, parts, device);
  for (bool &isCopied : product->isCopied)
    isCopied |= product->atom != nullptr;
  product->numBatches *= parts;
  product->numSteps /= parts;
  if (parts > 1)
    product->resultBytes = te::getElementBytes(op.getAccumulatorTypes().front());
  std::optional<DeviceChoice> choice = chooseDevicePoint(*product, device);
  return choice ? std::optional(choice->microseconds) : std::nullopt;
}

int64_t layout::chooseParts(te::ComputeOp op, const DeviceModel &device) {
  if (!op.hasReduction() || op.getPieces().size() != 1 || op.getNumParallel() == 0)
    return 1;
  SmallVector<Access> accesses = getAccesses(op);
  std::optional<double> whole = predictParts(op, accesses, 1, device);
  if (!whole)
    return 1;
  int64_t best = 1;
  double least = *whole * mostOfWhole;
  for (int64_t parts = 2; parts <= mostParts; parts *= 2) {
    bool isDivisor =
        llvm::any_of(op.getStaticSizes().drop_front(op.getNumParallel()), [&](int64_t size) {
          return !ShapedType::isDynamic(size) && size % parts == 0;
        });
    std::optional<double> time =
        isDivisor ? predictParts(op, accesses, parts, device) : std::nullopt;
    if (!time)
      continue;
    double both = *time + predictCombination(op, parts, device);
    if (both >= least)
      continue;
    least = both;
    best = parts;
  }
  return best;
}

//===- TileModel.cpp - which tile of an expression to keep in registers -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Analysis/TileModel.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// Extent taken for a dim whose size is not known.
static constexpr int64_t assumedExtent = 64;

static int64_t getExtent(te::ComputeOp op, unsigned dim) {
  int64_t size = op.getStaticSizes()[dim];
  return ShapedType::isDynamic(size) ? assumedExtent : size;
}

/// Arithmetic of a body, in simple instructions.
static double getArithmetic(te::ComputeOp op) {
  double cost = 0;
  auto visit = [&](Operation *inner) {
    if (inner->getDialect()->getNamespace() == math::MathDialect::getDialectNamespace())
      cost += 15;
    else if (!isa<te::ReadOp, te::YieldOp>(inner))
      cost += 1;
  };
  op.getPieces().front().walk(visit);
  return cost;
}

/// Lanes for the widest element type that the body works on.
static int64_t getLanes(te::ComputeOp op, const MachineModel &machine) {
  unsigned width = 32;
  op.walk([&](Operation *inner) {
    for (Type type : inner->getResultTypes())
      if (isa<FloatType>(type))
        width = std::max(width, type.getIntOrFloatBitWidth());
  });
  return width > 32 ? machine.lanes / 2 : machine.lanes;
}

/// Cost of one element when `dim` is the vector dim.
static double getVectorCost(te::ComputeOp op, ArrayRef<Access> accesses, unsigned dim,
                            int64_t lanes, double arithmetic) {
  bool reduction = dim >= op.getNumParallel();
  double cost = arithmetic;
  for (const Access &access : accesses) {
    bool once = op.hasReduction() &&
                (access.isWrite() || access.getRead()->getParentRegion() == &op.getEpilogue());
    double weight = once ? (reduction ? 0 : 0.05) : 1;
    switch (access.getStep(dim, std::min(lanes, getExtent(op, dim)))) {
    case Step::Invariant:
      cost += 0.5 * weight;
      break;
    case Step::Contiguous:
      cost += weight;
      break;
    case Step::Strided:
      cost += weight * lanes * (access.isWrite() ? 1.5 : 1.0);
      break;
    }
    if (access.isGuardedBy(dim))
      cost += weight;
  }
  double used = std::min(getExtent(op, dim), lanes);
  if (reduction) // joining the lanes at the end
    cost += 10.0 * lanes / std::max<int64_t>(getExtent(op, dim), 1);
  return cost / std::max(used, 1.0);
}

static std::optional<unsigned> chooseVectorDim(te::ComputeOp op, ArrayRef<Access> accesses,
                                               int64_t lanes) {
  double arithmetic = getArithmetic(op);
  double best = arithmetic + accesses.size();
  std::optional<unsigned> choice;
  for (unsigned dim = 0; dim < op.getNumDims(); ++dim) {
    if (getExtent(op, dim) <= 1)
      continue;
    double cost = getVectorCost(op, accesses, dim, lanes, arithmetic);
    if (cost < best) {
      best = cost;
      choice = dim;
    }
  }
  return choice;
}

/// Cycles of one reduction step of a tile of `rows` x `vectors` accumulators, on a
/// core with two multiply-adds of four cycles and two loads a cycle.
static double getStepCost(int64_t rows, int64_t vectors, bool rowsLoad) {
  double multiplyAdds = rows * vectors / 2.0;
  double loads = (vectors + (rowsLoad ? rows : 0)) / 2.0;
  return std::max({multiplyAdds, loads, 4.0}) + 0.5;
}

/// Cost of `extent` iterations in tiles of `tile` and a shorter last one.
static double getTiledCost(int64_t extent, int64_t tile, function_ref<double(int64_t)> cost) {
  double total = static_cast<double>(extent / tile) * cost(tile);
  return extent % tile ? total + cost(extent % tile) : total;
}

/// A parallel dim, other than the vector dim, along which a read that varies over
/// the vector dim is invariant: its loads serve all rows.
static std::optional<unsigned> chooseRowDim(te::ComputeOp op, ArrayRef<Access> accesses,
                                            unsigned vectorDim, ArrayRef<unsigned> taken) {
  std::optional<unsigned> choice;
  for (unsigned dim = 0; dim < op.getNumParallel(); ++dim) {
    if (dim == vectorDim || llvm::is_contained(taken, dim) || getExtent(op, dim) <= 1)
      continue;
    bool reuses = llvm::any_of(accesses, [&](const Access &access) {
      return !access.isWrite() && access.getRead()->getParentRegion() != &op.getEpilogue() &&
             access.getStep(vectorDim, 2) != Step::Invariant &&
             access.getStep(dim, 2) == Step::Invariant;
    });
    if (reuses && (!choice || getExtent(op, dim) >= std::min<int64_t>(getExtent(op, *choice), 8)))
      choice = dim;
  }
  return choice;
}

/// Tile of a parallel vector dim and one row dim.
static void chooseContractionTile(te::ComputeOp op, unsigned row, const MachineModel &machine,
                                  TileChoice &choice) {
  int64_t available = machine.registers - 4;
  int64_t columns = llvm::divideCeil(getExtent(op, *choice.vectorDim), choice.lanes);
  int64_t rowExtent = getExtent(op, row);
  double best = std::numeric_limits<double>::max();
  int64_t bestRows = 1;
  for (int64_t vectors = 1; vectors <= std::min<int64_t>(columns, 4); ++vectors)
    for (int64_t rows = 1; rows <= std::min<int64_t>(rowExtent, available / vectors - 1); ++rows) {
      double cost = getTiledCost(columns, vectors, [&](int64_t v) {
        return getTiledCost(rowExtent, rows, [&](int64_t r) { return getStepCost(r, v, true); });
      });
      if (cost < best * 0.999) {
        best = cost;
        choice.vectors = vectors;
        bestRows = rows;
      }
    }
  choice.rows.push_back({row, bestRows});
}

TileChoice layout::chooseTile(te::ComputeOp op, ArrayRef<Access> accesses,
                              const MachineModel &machine) {
  TileChoice choice;
  choice.lanes = getLanes(op, machine);
  choice.vectorDim = chooseVectorDim(op, accesses, choice.lanes);
  if (!choice.vectorDim)
    return choice;
  unsigned vectorDim = *choice.vectorDim;
  int64_t columns = llvm::divideCeil(getExtent(op, vectorDim), choice.lanes);
  choice.vectors = std::min<int64_t>(columns, op.getNumResults() > 1 ? 2 : 4);
  if (!op.hasReduction()) {
    if (getArithmetic(op) > 30)
      choice.vectors = std::min<int64_t>(choice.vectors, 2);
    return choice;
  }
  std::optional<unsigned> row = chooseRowDim(op, accesses, vectorDim, {});
  if (!row || op.getNumResults() > 1)
    return choice;
  if (vectorDim < op.getNumParallel()) {
    chooseContractionTile(op, *row, machine, choice);
    return choice;
  }
  // Lanes over a reduction dim: a square of rows, each with one vector.
  choice.vectors = 1;
  choice.rows.push_back({*row, std::min<int64_t>(getExtent(op, *row), 4)});
  if (std::optional<unsigned> second = chooseRowDim(op, accesses, vectorDim, {*row}))
    choice.rows.push_back({*second, std::min<int64_t>(getExtent(op, *second), 4)});
  return choice;
}

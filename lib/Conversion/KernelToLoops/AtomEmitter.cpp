//===- AtomEmitter.cpp - products of fragments of matrices ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ldmatrix loads matrices of 8 x 8 elements whose rows lie in shared memory, and transposes them if
// asked to. The fragments of both factors have pairs of steps, so a box whose rows are steps is
// loaded as it is, and one whose rows are rows or columns of the tile is transposed.
//
//===----------------------------------------------------------------------===//

#include "AtomEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa::conversion {

/// The rows and columns of a matrix that ldmatrix loads.
static constexpr int64_t side = 8;

AffineExpr AtomEmitter::getLanePart(Value lane, int64_t divisor, int64_t modulus) {
  OpBuilder &builder = index.getBuilder();
  Value part = lane;
  if (divisor != 1)
    part = arith::DivUIOp::create(builder, index.getLoc(), part, index.constant(divisor));
  part = arith::RemUIOp::create(builder, index.getLoc(), part, index.constant(modulus));
  return index.getSymbol(part);
}

/// Lane l gives the address of row l % 8 of matrix l / 8. The matrices of the left factor are, in
/// this order, the upper and lower rows of the first eight steps, then those of the others; those
/// of the right factor the first and the last eight steps of eight columns, then of the next eight.
Value AtomEmitter::loadMatrices(bool isLeft, Value lane, int64_t position, int64_t step,
                                int64_t count, AffineExpr stage) {
  const AtomTile &atom = *schedule.atom;
  // A dim of one iteration is in no address.
  bool isSwapped = factors[0]->address.isFunctionOfDim(atom.columns) ||
                   factors[1]->address.isFunctionOfDim(atom.rows);
  bool isFirst = isLeft != isSwapped;
  const Factor &factor = *factors[isFirst ? 0 : 1];
  AffineExpr outer = getAffineDimExpr(isLeft ? atom.rows : atom.columns, index.getContext());
  AffineExpr steps = getAffineDimExpr(atom.steps, index.getContext());
  bool hasRowsOfSteps = index.simplify(factor.address.replace(steps, steps + 1) - factor.address) ==
                        getAffineConstantExpr(1, index.getContext());
  AffineExpr row = getLanePart(lane, 1, side);
  AffineExpr second = getLanePart(lane, side, 2) * side,
             upper = getLanePart(lane, 2 * side, 2) * side;
  // Which of the two is along the rows and columns of the tile, and which along its steps.
  AffineExpr along = isLeft ? second : upper, alongSteps = isLeft ? upper : second;
  (hasRowsOfSteps ? along : alongSteps) = (hasRowsOfSteps ? along : alongSteps) + row;
  DenseMap<AffineExpr, AffineExpr> values{{outer, along + position}, {steps, alongSteps + step}};
  AffineExpr address = factor.address.replace(values) + stage * factor.size;
  return kernel.target->getThreads()->buildMatrices(index, factor.memory,
                                                    index.materialize(index.simplify(address)),
                                                    count, /*transposes=*/!hasRowsOfSteps);
}

AtomEmitter::Values AtomEmitter::accumulate(ValueRange fragments, AffineExpr stage) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  BlockThreads &threads = *kernel.target->getThreads();
  const AtomTile &atom = *schedule.atom;
  auto getExtent = [&](unsigned loop) {
    return cast<AffineConstantExpr>(schedule.loops[loop].extent).getValue();
  };
  int64_t columns = getExtent(atom.columns);
  Value lane = arith::RemUIOp::create(builder, loc, threads.buildNumber(index),
                                      index.constant(layout::DeviceModel::warp));
  Values sums(fragments);
  for (int64_t step = 0; step < getExtent(atom.steps); step += atom.instruction->steps) {
    Values lhs, rhs;
    for (int64_t row = 0; row < getExtent(atom.rows); row += atom.instruction->rows)
      lhs.push_back(loadMatrices(/*isLeft=*/true, lane, row, step, 4, stage));
    for (int64_t column = 0; column < columns; column += 2 * side) {
      int64_t count = std::min<int64_t>(columns - column, 2 * side) / side; // of fragments
      Value matrices = loadMatrices(/*isLeft=*/false, lane, column, step, 2 * count, stage);
      for (int64_t i = 0; i < count; ++i)
        rhs.push_back(vector::ExtractStridedSliceOp::create(builder, loc, matrices, 2 * i, 2, 1));
    }
    for (auto [number, sum] : llvm::enumerate(sums))
      sum = threads.buildProduct(index, lhs[number / rhs.size()], rhs[number % rhs.size()], sum);
  }
  return sums;
}

} // namespace tssa::conversion

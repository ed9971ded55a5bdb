//===- AtomEmitter.cpp - products of fragments of matrices ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ldmatrix loads matrices of 8 rows of 16 bytes that lie in shared memory, and transposes those of
// elements of 16 bits if asked to. The words of the fragments of both factors are along steps, so a
// box whose rows are steps is loaded as it is, and one whose rows are rows or columns of the tile
// is transposed: elements of 32 bits are loaded one by one for that.
//
//===----------------------------------------------------------------------===//

#include "AtomEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa::conversion {

/// The rows and columns of a matrix that ldmatrix loads.
static constexpr int64_t side = 8;

AffineExpr AtomEmitter::getLanePart(Value lane, int64_t divisor, int64_t modulus) {
  AffineExpr &known = laneParts[{divisor, modulus}];
  if (known)
    return known;
  OpBuilder &builder = index.getBuilder();
  Value part = lane;
  if (divisor != 1)
    part = arith::DivUIOp::create(builder, index.getLoc(), part, index.constant(divisor));
  part = arith::RemUIOp::create(builder, index.getLoc(), part, index.constant(modulus));
  return known = index.getSymbol(part);
}

const AtomEmitter::Factor &AtomEmitter::getFactor(bool isLeft) const {
  // A dim of one iteration is in no address.
  bool isSwapped = factors[0]->address.isFunctionOfDim(schedule.atom->columns) ||
                   factors[1]->address.isFunctionOfDim(schedule.atom->rows);
  return *factors[isLeft != isSwapped ? 0 : 1];
}

Value AtomEmitter::buildAddress(const Matrices &matrices, AffineExpr along, AffineExpr alongSteps) {
  const AtomTile &atom = *schedule.atom;
  const Factor &factor = getFactor(matrices.isLeft);
  AffineExpr outer =
      getAffineDimExpr(matrices.isLeft ? atom.rows : atom.columns, index.getContext());
  AffineExpr steps = getAffineDimExpr(atom.steps, index.getContext());
  DenseMap<AffineExpr, AffineExpr> values{{outer, along + matrices.position},
                                          {steps, alongSteps + matrices.step}};
  AffineExpr address = factor.address.replace(values) + matrices.stage * factor.size;
  return index.materialize(index.simplify(address));
}

/// Lane l gives the address of row l % 8 of matrix l / 8. The matrices of the left factor are, in
/// this order, the upper and lower rows of the first half of the steps, then those of the others;
/// those of the right factor the first and the last half of the steps of eight columns, then of the
/// next eight.
Value AtomEmitter::loadMatrices(const Matrices &matrices, Value lane) {
  const Factor &factor = getFactor(matrices.isLeft);
  const layout::Atom &atom = *schedule.atom->instruction;
  if (atom.loadsElements(factor.hasRowsOfSteps))
    return loadElements(matrices, lane);
  AffineExpr row = getLanePart(lane, 1, side);
  AffineExpr second = getLanePart(lane, side, 2), upper = getLanePart(lane, 2 * side, 2);
  // Which of the two is along the rows and columns of the tile, and which along its steps.
  AffineExpr along = (matrices.isLeft ? second : upper) * side;
  AffineExpr alongSteps = (matrices.isLeft ? upper : second) * (atom.steps / 2);
  (factor.hasRowsOfSteps ? along : alongSteps) = (factor.hasRowsOfSteps ? along : alongSteps) + row;
  return kernel.target->getThreads()->buildMatrices(
      index, factor.memory, buildAddress(matrices, along, alongSteps), matrices.count,
      /*transposes=*/!factor.hasRowsOfSteps);
}

/// Lane l gets the element of row or column l / 4 and of step l % 4 of each matrix, as if from
/// ldmatrix.
Value AtomEmitter::loadElements(const Matrices &matrices, Value lane) {
  OpBuilder &builder = index.getBuilder();
  const Factor &factor = getFactor(matrices.isLeft);
  int64_t half = schedule.atom->instruction->steps / 2;
  AffineExpr row = getLanePart(lane, half, side), step = getLanePart(lane, 1, half);
  Values elements;
  for (int64_t matrix = 0; matrix < matrices.count; ++matrix) {
    int64_t second = matrix % 2, upper = matrix / 2;
    Value address = buildAddress(matrices, row + (matrices.isLeft ? second : upper) * side,
                                 step + (matrices.isLeft ? upper : second) * half);
    elements.push_back(memref::LoadOp::create(builder, index.getLoc(), factor.memory, address));
  }
  auto type = VectorType::get({matrices.count, 1}, factor.value.getType());
  return vector::FromElementsOp::create(builder, index.getLoc(), type, elements);
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
  laneParts.clear();
  Values sums(fragments);
  for (int64_t step = 0; step < getExtent(atom.steps); step += atom.instruction->steps) {
    Values lhs, rhs;
    for (int64_t row = 0; row < getExtent(atom.rows); row += atom.instruction->rows)
      lhs.push_back(loadMatrices({/*isLeft=*/true, row, step, 4, stage}, lane));
    for (int64_t column = 0; column < columns; column += 2 * side) {
      int64_t count = std::min<int64_t>(columns - column, 2 * side) / side; // of fragments
      Value matrices = loadMatrices({/*isLeft=*/false, column, step, 2 * count, stage}, lane);
      for (int64_t i = 0; i < count; ++i)
        rhs.push_back(vector::ExtractStridedSliceOp::create(builder, loc, matrices, 2 * i, 2, 1));
    }
    for (auto [number, sum] : llvm::enumerate(sums))
      sum = threads.buildProduct(index, lhs[number / rhs.size()], rhs[number % rhs.size()], sum);
  }
  return sums;
}

} // namespace tssa::conversion

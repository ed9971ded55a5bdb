//===- TileEmitter.h - what a target does for one tile -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The seam between the structure of a kernel (loops, tails, accumulators; one
/// for all targets) and the code of one point of a tile (one per target). A point
/// gives every dim of the expression as an index expression over the loops around
/// it and, when the tile is a vector, the lane.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_CONVERSION_TILEEMITTER_H
#define TSSA_CONVERSION_TILEEMITTER_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Value.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/ErrorHandling.h"

namespace tssa::conversion {

/// One unrolled point of a tile, or one vector of points.
struct TilePoint {
  /// Every dim of the expression over loops before they were split.
  llvm::SmallVector<mlir::AffineExpr> dims;
  /// What those loops and the loops of the tile are at this point.
  llvm::DenseMap<mlir::AffineExpr, mlir::AffineExpr> place;
  bool vector = false;
  mlir::Value mask;          ///< lanes that exist; null when all do
  mlir::Value exists;        ///< whether memory may be read for the point; null when it may
  mlir::Value stored;        ///< whether results are stored; null when they are
  bool reducesLanes = false; ///< lanes are points of a reduction dim
  /// Symbols in `place` that lie between 0 and an expression of other symbols.
  llvm::SmallVector<std::pair<mlir::AffineExpr, mlir::AffineExpr>, 0> greatest;
};

/// What a block keeps of an operand in shared memory: a box of points.
struct CacheTile {
  unsigned operand = 0;
  llvm::SmallVector<unsigned> loops;           ///< before they were split: the dims of the box
  llvm::SmallVector<mlir::AffineExpr> origins; ///< of each, over loops already entered
  llvm::SmallVector<mlir::AffineExpr> offsets; ///< from the origin, at a point of a tile
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<mlir::AffineExpr> limits; ///< iterations of the loop
  mlir::Operation *op = nullptr;              ///< for errors
};

class TileEmitter {
public:
  using Values = llvm::SmallVector<mlir::Value>;
  using Guards = llvm::SmallVector<mlir::AffineExpr>;
  virtual ~TileEmitter() = default;

  /// Without a reduction: computes and stores `point`.
  virtual void compute(const TilePoint &point) = 0;
  /// Starts a new straight-line scope: nothing computed before may be reused.
  virtual void beginScope() = 0;

  // What follows is called only for schedules with loops over a reduction.

  /// The neutral accumulators, as vectors when `vector`.
  virtual Values getIdentity(bool vector) { return unexpected(); }
  /// Joins the body's value at `point` to `accumulators`.
  virtual Values accumulate(const TilePoint &point, mlir::ValueRange accumulators) {
    return unexpected();
  }
  /// Joins two tuples of accumulators.
  virtual Values combine(mlir::ValueRange lhs, mlir::ValueRange rhs) { return unexpected(); }
  /// Joins the lanes of vector accumulators.
  virtual Values combineLanes(mlir::ValueRange accumulators) { return unexpected(); }
  /// Runs the epilogue on `accumulators` and stores the results of `point`.
  virtual void finish(const TilePoint &point, mlir::ValueRange accumulators) { unexpected(); }
  /// Expressions that are not negative where all guards at `points` hold, of those guards that
  /// are decided here, outside of the loops still to come.
  virtual Guards getKnownGuards(llvm::ArrayRef<TilePoint> points) { return {}; }
  /// The known guards without any of which no point of `points` adds to its accumulators.
  virtual Guards getNeededGuards(llvm::ArrayRef<TilePoint> points) { return {}; }
  /// Whether `guards`, which are not assumed before, are taken to hold from here on.
  virtual void assumeGuards(const Guards &guards, bool assume) {}
  /// The condition under which guards hold at `points` in all iterations of the
  /// reduction, as far as that is one condition; null when there is nothing to decide, or when
  /// some guard never holds throughout. While it is assumed (`assumeInterior`), those guards
  /// are taken to hold.
  virtual mlir::Value getInterior(llvm::ArrayRef<TilePoint> points) { return {}; }
  virtual void assumeInterior(bool assume) {}
  /// Asks for what the rows of the next tile will read, a part in each iteration of `loop`,
  /// which runs `extent` times: rows that lie one after the other in memory.
  virtual void prefetchNextRows(llvm::ArrayRef<TilePoint> points, mlir::AffineExpr loop,
                                int64_t extent) {}
  /// The dims that an operand of what the body yields depends on.
  virtual llvm::SmallVector<unsigned> getDimsOfOperand(unsigned operand) { return {}; }
  /// Computes the box of an operand into shared memory, from where `accumulate` then
  /// gets it.
  virtual mlir::LogicalResult fillCache(const CacheTile &tile) { return mlir::failure(); }

private:
  static Values unexpected() { llvm_unreachable("a schedule without a reduction"); }
};

} // namespace tssa::conversion

#endif // TSSA_CONVERSION_TILEEMITTER_H

//===- TileEmitter.h - the code of the points of a tile ---------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The interface between the structure of a kernel (loops, tails, accumulators) and the code of one
/// point of a tile. A `TilePoint` gives each dim of the expression as an index expression over the
/// loops around the tile and, if the tile is a vector, over the lane.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_CONVERSION_TILEEMITTER_H
#define TSSA_CONVERSION_TILEEMITTER_H

#include "dialects/layout/Analysis/Schedule.h"
#include "llvm/Support/ErrorHandling.h"

#include <functional>

namespace tssa::conversion {

using mlir::tssa::layout::AtomTile;
using mlir::tssa::layout::CachedOperand;
using mlir::tssa::layout::ComputedAt;
using mlir::tssa::layout::DotTile;
using mlir::tssa::layout::LoopKind;
using mlir::tssa::layout::Schedule;
using mlir::tssa::layout::ScheduledLoop;
using mlir::tssa::layout::TileGroup;

/// The columns of a row of an atom's fragment that a lane has: it stores them as a vector.
inline constexpr int64_t atomLanes = 2;

/// One unrolled point of a tile, or one vector of points.
struct TilePoint {
  /// Each dim of the expression, as an index expression over loops before splitting.
  llvm::SmallVector<mlir::AffineExpr> dims;
  /// For each loop that was split and each loop of the tile, its value at this point.
  llvm::DenseMap<mlir::AffineExpr, mlir::AffineExpr> loopValues;
  bool vector = false;
  mlir::Value mask;          ///< lanes that exist; null if all do
  mlir::Value exists;        ///< whether the point may read memory; null if it always may
  mlir::Value stored;        ///< whether results are stored; null if they always are
  bool reducesLanes = false; ///< whether the lanes are points of a reduction dim
  /// The symbols in `loopValues` with their largest values, which are expressions of other symbols.
  /// The smallest value of each symbol is 0.
  llvm::SmallVector<std::pair<mlir::AffineExpr, mlir::AffineExpr>, 0> greatest;
};

/// The box of points for which a block keeps an operand in shared memory.
struct CacheTile {
  unsigned operand = 0;
  llvm::SmallVector<unsigned> loops;           ///< loops before splitting: the dims of the box
  llvm::SmallVector<mlir::AffineExpr> origins; ///< first point, over loops already entered
  llvm::SmallVector<mlir::AffineExpr> offsets; ///< of a point of a tile, relative to the origin
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<mlir::AffineExpr> limits; ///< number of iterations of each loop
  mlir::Operation *op = nullptr;              ///< for diagnostics
};

/// The sums of a tile in registers that hold matrices.
struct MatrixTile {
  /// The rows of each part, of at most as many as a register has. If `left` is set, so many rows
  /// exist, and the last part has those of them that the other ones have not.
  llvm::SmallVector<int64_t> heights;
  mlir::AffineExpr left;
  int64_t vectors = 1; ///< the registers of a part
};

/// A group of steps, at most as many as an instruction on matrices takes, for a tile.
struct MatrixStep {
  /// By vector: the points of the steps, for the first row.
  llvm::SmallVector<llvm::SmallVector<TilePoint>> columns;
  llvm::SmallVector<TilePoint> rows;  ///< all rows, for the first vector and step
  llvm::SmallVector<TilePoint> parts; ///< the first row of each part, likewise
  /// Any point for one group: `stepLoop`, the loops of rows and those of vectors keep their names.
  TilePoint any;
  unsigned stepLoop = 0;
  /// The loops of the rows that are divided into parts, outermost first, with the rows of an
  /// iteration.
  llvm::SmallVector<std::pair<unsigned, int64_t>> rowLoops;
  /// Builds code for each row: given its number, and the points of the steps for the first vector.
  std::function<void(llvm::function_ref<void(mlir::Value, llvm::ArrayRef<TilePoint>)>)> forEachRow;
};

class TileEmitter {
public:
  using Values = llvm::SmallVector<mlir::Value>;
  using Guards = llvm::SmallVector<mlir::AffineExpr>;
  virtual ~TileEmitter() = default;

  /// Computes and stores `point` of an expression without a reduction.
  virtual void compute(const TilePoint &point) = 0;
  /// Starts a new straight-line scope, in which values computed earlier must not be reused.
  virtual void beginScope() = 0;
  /// Starts the results of the tile of `points`. Some of what they read may be loaded here, and
  /// some of their stores may wait for the others until `endTile`.
  virtual void beginTile(llvm::ArrayRef<TilePoint> points) {}
  /// Stores the results of the tile that are not stored yet.
  virtual void endTile() {}

  // The following functions are called only for schedules with reduction loops.

  /// Whether all points of the reduction leave sums as they are, since zeros are added: its loops
  /// are not needed.
  virtual bool addsZeros() { return false; }
  /// Returns neutral accumulators, as vectors if `vector` is set.
  virtual Values getIdentity(bool vector) { return unexpected(); }
  /// Combines `accumulators` with the value of the body at `point`.
  virtual Values accumulate(const TilePoint &point, mlir::ValueRange accumulators) {
    return unexpected();
  }
  /// Returns a number for each of `points`: the distance of the vector that it loads from that of
  /// the first one. Returns nothing if the points should stay in their order, in which `rows`
  /// points of one tap follow those of another.
  virtual llvm::SmallVector<int64_t> getLoadDistances(llvm::ArrayRef<TilePoint> points,
                                                      size_t rows) {
    return {};
  }
  /// Combines two tuples of accumulators.
  virtual Values combine(mlir::ValueRange lhs, mlir::ValueRange rhs) { return unexpected(); }
  /// Whether combining adds floats, so that a long reduction is more exact in blocks.
  virtual bool addsFloats() { return false; }
  /// Combines the lanes of vector accumulators into scalars.
  virtual Values combineLanes(mlir::ValueRange accumulators) { return unexpected(); }
  /// Runs the epilogue on `accumulators` and stores the results of `point`.
  virtual void finish(const TilePoint &point, mlir::ValueRange accumulators) { unexpected(); }
  /// Returns expressions that are >= 0 if all guards of reads at `points` hold. Only guards whose
  /// loops are all entered here are included.
  virtual Guards getKnownGuards(llvm::ArrayRef<TilePoint> points) { return {}; }
  /// Returns the known guards that must hold for any of `points` to change its accumulators. Where
  /// one of these guards does not hold, all of `points` can be skipped.
  virtual Guards getNeededGuards(llvm::ArrayRef<TilePoint> points) { return {}; }
  /// Returns whether `point` is known to leave its accumulators as they are, in all iterations of
  /// the loops that are not entered.
  virtual bool addsNothing(const TilePoint &point) { return false; }
  /// Sets whether `guards` count as proven from here on. They must not be assumed already.
  virtual void assumeGuards(const Guards &guards, bool assume) {}
  /// Builds one condition under which the guards at `points` hold in all iterations of the
  /// reduction. Guards for which no such condition can be built, or for which it never holds, are
  /// left out. Returns null if no guard is left. After `assumeInterior(true)` the guards of the
  /// condition count as proven.
  virtual mlir::Value getInterior(llvm::ArrayRef<TilePoint> points) { return {}; }
  virtual void assumeInterior(bool assume) {}
  /// Prefetches the rows of memory that the next tile will read. Each iteration of `loop`, which
  /// runs `extent` times, prefetches a part. Only for rows that follow each other in memory.
  virtual void prefetchNextRows(llvm::ArrayRef<TilePoint> points, mlir::AffineExpr loop,
                                int64_t extent) {}
  /// Returns the dims on which operand number `operand` of the op that computes the yielded value
  /// depends.
  virtual llvm::SmallVector<unsigned> getDimsOfOperand(unsigned operand) { return {}; }
  /// Computes the box `tile` of an operand into shared memory. `accumulate` then reads the operand
  /// from there.
  virtual mlir::LogicalResult fillCache(const CacheTile &tile) { return mlir::failure(); }

  // The following functions are called only for schedules with an atom.

  /// Starts to copy the box `tile` of a factor to shared memory, into its buffer number `stage`.
  virtual mlir::LogicalResult fillStage(const CacheTile &tile, mlir::AffineExpr stage) {
    return mlir::failure();
  }
  /// Adds the products of the boxes in buffer number `stage` to the fragments of a lane.
  virtual Values accumulateAtom(mlir::ValueRange fragments, mlir::AffineExpr stage) {
    return unexpected();
  }

  // The following functions are called only for schedules with dot products.

  /// Adds the products at `group`, the points of at most as many steps as a dot product takes, to a
  /// vector of sums. If it cannot, returns nothing and sets `obstacle` to what it expected.
  virtual Values accumulateDot(llvm::ArrayRef<TilePoint> group, mlir::ValueRange sums,
                               std::string &obstacle) {
    return unexpected();
  }

  // The following functions are called only for schedules with products of matrices.

  /// Starts the sums of a tile.
  virtual void beginMatrices(const MatrixTile &tile) { unexpected(); }
  /// Adds the products of a group of steps. If it cannot, returns false and sets `obstacle` to what
  /// it expected.
  virtual bool accumulateMatrices(const MatrixStep &step, std::string &obstacle) {
    return unexpected().empty();
  }
  /// Ends the sums of the tile, which `loadSums` then gives by row and vector.
  virtual void endMatrices() { unexpected(); }
  virtual mlir::Value loadSums(mlir::Value row, int64_t vector) { return unexpected().front(); }

private:
  static Values unexpected() { llvm_unreachable("a schedule without a reduction"); }
};

} // namespace tssa::conversion

#endif // TSSA_CONVERSION_TILEEMITTER_H

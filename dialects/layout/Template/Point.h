//===- Point.h - a point of the space of schedules -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TEMPLATE_POINT_H
#define DIALECTS_LAYOUT_TEMPLATE_POINT_H

#include "dialects/layout/IR/Atoms.h"
#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::layout {

/// The rows of a tile: iterations of a parallel dim that share loads.
struct TileRows {
  unsigned dim = 0;
  int64_t extent = 1; ///< number of rows of the tile
  unsigned fused = 0; ///< number of dims before `dim` that are fused with it
};

/// Several tiles of rows for which a kernel computes at a time what they read.
struct BoxRows {
  unsigned dim = 0;
  int64_t extent = 1; ///< number of rows, a multiple of those of a tile

  bool operator==(const BoxRows &other) const { return dim == other.dim && extent == other.extent; }
};

/// Iterations of a reduction dim that are unrolled.
struct Unroll {
  unsigned dim = 0;
  int64_t extent = 0; ///< number of iterations; 0 is all of them

  bool operator==(const Unroll &other) const { return dim == other.dim && extent == other.extent; }
};

/// Steps of a reduction dim that instructions of a CPU add together (`layout.atom`).
struct DotSteps {
  unsigned dim = 0;
  int64_t extent = 0; ///< a multiple of those of one instruction
  AtomUnit unit = AtomUnit::Vector;

  bool operator==(const DotSteps &other) const {
    return dim == other.dim && extent == other.extent && unit == other.unit;
  }
};

/// The loops of one expression: the knobs of the template. A dim that is not named has one loop.
struct Point {
  std::optional<unsigned> vectorDim; ///< nothing for scalar code
  int64_t lanes = 1;
  int64_t vectors = 1;              ///< vector registers along the vector dim
  unsigned fused = 0;               ///< number of dims before the vector dim that are fused with it
  SmallVector<TileRows> rows;       ///< other tiled parallel dims, outermost first
  SmallVector<BoxRows, 1> boxes;    ///< dims of rows whose boxes are larger than a tile
  SmallVector<Unroll> unrolled;     ///< tiled reduction dims, outermost first
  std::optional<DotSteps> dot;      ///< nothing if products are added one by one
  SmallVector<unsigned> outer;      ///< order of the outer loops of all parallel dims
  SmallVector<unsigned> reductions; ///< order of the loops of all reduction dims

  /// Returns the number of sums that a tile keeps in registers.
  int64_t countAccumulators() const;
  /// Returns the number of indexes of the parallel dim `dim` that a tile has; 1 if its loop is
  /// fused.
  int64_t getTileExtent(unsigned dim) const;
  /// Returns the number of indexes of `dim`, a dim of rows, that a box has: those of a tile if it
  /// has no other.
  int64_t getBoxExtent(unsigned dim) const;
  /// Returns whether the loop of the parallel dim `dim` is fused with another one.
  bool isFused(unsigned dim) const;
  /// Returns what is unrolled of reduction dim `dim`, or null.
  const Unroll *findUnroll(unsigned dim) const;
  /// Whether the sums of a tile are in registers of matrices.
  bool usesMatrices() const { return dot && dot->unit == AtomUnit::Matrix; }
  /// Returns the parts of up to `most` rows in which the rows of a tile are.
  int64_t countParts(int64_t most) const;
  /// Returns the steps of `dim` that dot products add together; 0 if there are none along it.
  int64_t getDotSteps(unsigned dim) const { return dot && dot->dim == dim ? dot->extent : 0; }
};

/// Prints a point in one line, such as `vector d3 2x16, rows d1*d2 7, unroll d5, unroll d6, outer
/// d0 d2 d1 d3, reduce d4 d5 d6`: the clauses of Knobs.h. Fused dims are written as a product.
raw_ostream &operator<<(raw_ostream &stream, const Point &point);

/// Parses what `<<` prints. Refuses a text of another form with a sentence; whether the point fits
/// an expression is what `findObstacle` says.
FailureOr<Point> parsePoint(StringRef text, function_ref<void(const Twine &)> refuse);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TEMPLATE_POINT_H

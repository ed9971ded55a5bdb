//===- TilePoints.h - the points of a tile -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_TILEPOINTS_H
#define LIB_CONVERSION_KERNELTOLOOPS_TILEPOINTS_H

#include "tssa/Conversion/IndexBuilder.h"
#include "tssa/Conversion/TileEmitter.h"

namespace tssa::conversion {

/// A row of a tile that may lie beyond the last row. In that case the last row is computed instead.
struct ClampedRow {
  mlir::AffineExpr row;  ///< the row that is computed, a symbol
  mlir::AffineExpr last; ///< the last row, an expression over symbols
  mlir::Value exists;    ///< whether the results belong to the row itself
};

/// The iterations of a tile group that one piece of code computes.
struct TileState {
  int64_t count = 0;       ///< number of consecutive iterations; 0 if dynamic
  mlir::AffineExpr offset; ///< if dynamic: the row, or the first element of the vector
  mlir::AffineExpr bound;  ///< if dynamic and a vector: number of elements from `offset` on
  bool scalar = false;     ///< if dynamic: whether `offset` is a single element of a vector loop
  /// If set: how many of the `count` iterations exist.
  mlir::AffineExpr left;
  /// The iterations among the `count` that may not exist. They are the last ones.
  llvm::SmallVector<ClampedRow, 0> clamped;
};

/// The iterations of one group at one point: the values of its inner loops, and a mask.
struct TileElement {
  llvm::SmallVector<std::pair<unsigned, mlir::AffineExpr>> loops;
  mlir::Value mask;
  mlir::Value exists; ///< null if it always does
  std::optional<ClampedRow> clamped;
  bool scalar = false; ///< whether this is a single element of a vector loop
  unsigned block = 0;  ///< number of the vector in its tile
};

/// One element of each tile group over parallel dims, or one of each group over reduction dims.
using TileRow = llvm::SmallVector<TileElement>;

/// Whether `row` is a single element of a vector loop.
bool isScalar(llvm::ArrayRef<TileElement> row);

/// Builds the conjunction of `lhs` and `rhs`. Null stands for a condition that always holds.
mlir::Value buildConjunction(IndexBuilder &index, mlir::Value lhs, mlir::Value rhs);
/// Builds the condition that all of `exprs`, which contain no lane, are >= 0. Returns null if
/// `exprs` is empty.
mlir::Value buildConjunction(IndexBuilder &index, llvm::ArrayRef<mlir::AffineExpr> exprs);

/// Enumerates the points of tiles, given the states of the tile groups.
class TilePoints {
public:
  TilePoints(IndexBuilder &index, const Schedule &schedule, unsigned laneDim, bool masksVectors)
      : states(schedule.tiles.size()), index(index), schedule(schedule), laneDim(laneDim),
        masksVectors(masksVectors) {
    if (const TileGroup *group = schedule.getVector())
      lanes = group->factors.back();
  }

  /// The state of each tile group; nothing until the group is resolved.
  llvm::SmallVector<std::optional<TileState>> states;

  /// The iterations of loops that are built one by one, with their numbers.
  llvm::SmallVector<std::pair<unsigned, int64_t>> peeled;

  /// For a group of parallel dims, returns the number of iterations that remain minus the size of a
  /// full tile. It is negative where the tile is not full. Returns null if the tile is always full.
  mlir::AffineExpr getSurplus(unsigned group);
  /// Returns all rows of parallel dims. With `masked`, rows and lanes of full tiles get
  /// conditions and masks if they may not exist.
  llvm::SmallVector<TileRow> getRows(bool masked);
  /// Returns all combinations of iterations of the reduction dims.
  llvm::SmallVector<TileRow> getReductionRows() { return getCombinations(true, false); }
  /// Returns a point of the tile. The loops in `kept` keep their names.
  TilePoint getPoint(llvm::ArrayRef<TileElement> row, llvm::ArrayRef<TileElement> reduction = {},
                     llvm::ArrayRef<unsigned> kept = {});

private:
  mlir::AffineExpr constantExpr(int64_t value) {
    return mlir::getAffineConstantExpr(value, index.getContext());
  }
  mlir::Value buildMask(mlir::Value count);
  /// Sets the inner loops of `group` in `element` to their values in iteration `number`.
  void addLoopValues(const TileGroup &group, mlir::AffineExpr number, TileElement &element);
  void restrictElements(unsigned group, llvm::MutableArrayRef<TileElement> elements);
  TileElement getDynamicElement(unsigned group);
  llvm::SmallVector<TileElement> getElements(unsigned group, bool masked);
  llvm::SmallVector<TileRow> getCombinations(bool reduction, bool masked);

  IndexBuilder &index;
  const Schedule &schedule;
  unsigned laneDim;
  bool masksVectors;
  int64_t lanes = 0;
};

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_TILEPOINTS_H

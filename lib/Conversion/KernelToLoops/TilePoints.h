//===- TilePoints.h - the points of a tile -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_TILEPOINTS_H
#define LIB_CONVERSION_KERNELTOLOOPS_TILEPOINTS_H

#include "tssa/Conversion/IndexBuilder.h"
#include "tssa/Conversion/Schedule.h"
#include "tssa/Conversion/TileEmitter.h"

namespace tssa::conversion {

/// A row of a tile that may lie behind the last one: the last is computed in its place.
struct ClampedRow {
  mlir::AffineExpr row;  ///< the row that is computed, a symbol
  mlir::AffineExpr last; ///< the last row, over symbols
  mlir::Value exists;    ///< whether the results are the row's own
};

/// What of a tile group is computed at one place of the code.
struct TileState {
  int64_t count = 0;       ///< consecutive iterations; 0 for a dynamic one
  mlir::AffineExpr offset; ///< dynamic: the row, or the first element of the vector
  mlir::AffineExpr bound;  ///< dynamic vector: how many elements are left at `offset`
  bool scalar = false;     ///< dynamic: `offset` is one element of a vector
  /// Of the last iterations of `count`, those that may not exist.
  llvm::SmallVector<ClampedRow, 0> clamped;
};

/// Iterations of one group at one point: values of its inner loops, and a mask.
struct TileElement {
  llvm::SmallVector<std::pair<unsigned, mlir::AffineExpr>> loops;
  mlir::Value mask;
  mlir::Value exists; ///< null when it does
  std::optional<ClampedRow> clamped;
  bool scalar = false; ///< one element of a vector loop
  unsigned block = 0;  ///< number of the vector in its tile
};

/// One element of each group of parallel dims, or of each of reduction dims.
using TileRow = llvm::SmallVector<TileElement>;

/// Whether the row is one element of a vector loop.
bool isScalar(llvm::ArrayRef<TileElement> row);

/// `lhs` and `rhs`; null stands for what always holds.
mlir::Value buildConjunction(IndexBuilder &index, mlir::Value lhs, mlir::Value rhs);
/// Whether all of `exprs` (no lane in them) are >= 0; null for none.
mlir::Value buildConjunction(IndexBuilder &index, llvm::ArrayRef<mlir::AffineExpr> exprs);

/// Takes tiles apart, in the states that their groups are in.
class TilePoints {
public:
  TilePoints(IndexBuilder &index, const Schedule &schedule, unsigned laneDim, bool masksVectors)
      : states(schedule.tiles.size()), index(index), schedule(schedule), laneDim(laneDim),
        masksVectors(masksVectors) {
    if (const TileGroup *group = schedule.getVector())
      lanes = group->factors.back();
  }

  /// By group.
  llvm::SmallVector<std::optional<TileState>> states;

  /// How much more than a full tile is left of a group of parallel dims; negative
  /// when the tile is not full, null when it always is.
  mlir::AffineExpr getSurplus(unsigned group);
  /// All rows of parallel dims; with `masked`, what of full tiles may not exist is
  /// marked.
  llvm::SmallVector<TileRow> getRows(bool masked);
  /// All combinations of reduction dims.
  llvm::SmallVector<TileRow> getReductionRows() { return getCombinations(true, false); }
  TilePoint getPoint(llvm::ArrayRef<TileElement> row, llvm::ArrayRef<TileElement> reduction = {});

private:
  mlir::AffineExpr constantExpr(int64_t value) {
    return mlir::getAffineConstantExpr(value, index.getContext());
  }
  mlir::Value buildMask(mlir::Value count);
  /// Gives the inner loops of `group` their values in iteration `number`.
  void placeIteration(const TileGroup &group, mlir::AffineExpr number, TileElement &element);
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

//===- DeviceProduct.h - products on a GPU and their tiles ------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TEMPLATE_DEVICEPRODUCT_H
#define DIALECTS_LAYOUT_TEMPLATE_DEVICEPRODUCT_H

#include "dialects/layout/IR/Atoms.h"
#include "dialects/layout/IR/DeviceModel.h"
#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::layout {

/// A sum of products in which each factor has many results of its own.
struct DeviceProduct {
  te::ComputeOp op;
  SmallVector<unsigned> both;    ///< parallel dims of both factors, or of none
  SmallVector<unsigned> rows;    ///< parallel dims of one factor alone
  SmallVector<unsigned> columns; ///< of the other one; the last dim of the result is among them
  SmallVector<unsigned> windows; ///< reduction dims whose loops are around those of the steps
  SmallVector<unsigned> steps;   ///< the other reduction dims
  /// The number of iterations of each kind of dims, assumed if open.
  int64_t numBatches = 1, numRows = 1, numColumns = 1, numWindows = 1, numSteps = 1;
  int64_t factorBytes = 4, resultBytes = 4; ///< of an element
  bool hasGuards = false;    ///< whether reads that are not along steps are out of bounds
  bool isOpen = false;       ///< whether only a run knows some size
  bool hasOpenTiles = false; ///< or that of columns or steps, so that it ends inside of a tile
  /// The instruction that may compute tiles of it, or null if none may.
  const Atom *atom = nullptr;
  /// Whether the factor with the rows, and the other one, have runs of 16 bytes in memory, which
  /// begin at multiples of 16 bytes, so that copies bring them to shared memory.
  bool isCopied[2] = {false, false};
  bool isGuarded[2] = {false, false};      ///< whether some of its reads are out of bounds
  bool hasRowsOfSteps[2] = {false, false}; ///< whether rows of its boxes are along the steps

  /// Returns the bytes of an element that lanes read from shared memory, which is what they
  /// multiply.
  int64_t getLaneBytes() const { return std::max<int64_t>(factorBytes, sizeof(float)); }

  /// Returns the bytes of a row of the box of factor `number`, of a tile that has `extent` rows or
  /// columns and `steps` steps.
  int64_t getRowBytes(unsigned number, int64_t extent, int64_t steps) const {
    return (hasRowsOfSteps[number] ? steps : extent) * factorBytes;
  }
};

/// Matches a product with at least 16 rows, columns and steps.
std::optional<DeviceProduct> matchDeviceProduct(te::ComputeOp op);

/// Numbers of a schedule of a product on a GPU: what a block computes, and how.
struct DevicePoint {
  bool usesAtom = false;
  int64_t rows = 64, columns = 64;        ///< of a block
  int64_t warpsDown = 4, warpsAcross = 2; ///< of a block, along rows and columns
  int64_t steps = 16;                     ///< of a warp, whose factors are in shared memory
  int64_t depth = 1;                      ///< buffers of them
  int64_t split = 1; ///< warps that share the steps of a tile, whose sums are added; of atoms only
  int64_t laneRows = 4, laneColumns = 4; ///< of the tile of a lane, unless it uses an atom

  int64_t getWarps() const { return warpsDown * warpsAcross * split; }
  int64_t getThreads() const { return getWarps() * DeviceModel::warp; }
  /// The steps of a block whose factors are in shared memory at a time.
  int64_t getBlockSteps() const { return steps * split; }
  /// The lanes of a warp along the rows and the columns of its tile, unless it uses an atom.
  int64_t getLanesDown() const { return rows / warpsDown / laneRows; }
  int64_t getLanesAcross() const { return columns / warpsAcross / laneColumns; }
};

raw_ostream &operator<<(raw_ostream &stream, const DevicePoint &point);

/// Returns all points of `product`: tiles of lanes, and of the atom if there is one. Each can be
/// scheduled, though some may need more memory or registers than a GPU has.
SmallVector<DevicePoint, 0> getDevicePoints(const DeviceProduct &product);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TEMPLATE_DEVICEPRODUCT_H

//===- MatrixEmitter.h - products in registers of matrices ------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An instruction that multiplies matrices adds to one register of sums the product of a register
/// of rows, each of 16 words, and one of 16 words for each of 16 columns (Intel SDM, TDPBF16PS). A
/// register is loaded row by row, at any distance in memory. So a factor is loaded as it is where
/// all that a register takes exists, and its rows, or its words, lie at one distance. Else it is
/// copied: rows one by one, words of columns as DotEmitter makes them, both with the guards and
/// masks of their reads.
///
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_MATRIXEMITTER_H
#define LIB_CONVERSION_KERNELTOLOOPS_MATRIXEMITTER_H

#include "DotEmitter.h"

namespace tssa::conversion {

/// Builds what `layout.atom` with an instruction on matrices says about one piece of an expression.
class MatrixEmitter {
public:
  using IsInsideFn =
      llvm::function_ref<bool(mlir::tssa::te::ReadOp, llvm::ArrayRef<TilePoint> points)>;

  MatrixEmitter(IndexBuilder &index, KernelContext &kernel, mlir::tssa::te::ComputeOp op,
                unsigned piece, const DotTile &dot, unsigned laneDim, int64_t lanes);

  /// Starts the sums of a tile with zeros.
  void begin(const MatrixTile &tile);
  /// Adds the products of a group of steps. `isInside` says whether all guards of a read hold. If
  /// it cannot, returns false and sets `obstacle` to what it expected.
  bool accumulate(const MatrixStep &step, BodyEvaluator::Loads &loads, IsInsideFn isInside,
                  std::string &obstacle);
  /// Makes the sums of the tile available to `loadSums`.
  void end();
  /// Loads the sums of row `number` of the tile, in its vector number `vector`.
  mlir::Value loadSums(mlir::Value number, int64_t vector);

private:
  IndexBuilder &index;
  KernelContext &kernel;
  mlir::tssa::te::ComputeOp op;
  const mlir::tssa::layout::Atom &atom;
  unsigned laneDim;
  int64_t lanes;
  DotEmitter words;
  MatrixTile tile; ///< the current one
  bool isConfigured =
      false; ///< whether it has set rows of registers that the function does not have
  /// A factor: of the rows, or of the columns.
  struct Side {
    mlir::tssa::te::ReadOp read;
    bool isUnsigned = false;
    mlir::Value copy; ///< memory of words, once it was copied
  };
  Side rows, columns;
  mlir::Value sums; ///< memory

  /// The registers of a tile.
  int64_t getParts() const { return tile.heights.size(); }
  int64_t getSums(int64_t part, int64_t vector) const { return part * tile.vectors + vector; }
  int64_t getRows(int64_t part) const;
  int64_t getColumns(int64_t vector) const;
  int64_t countOthers() const;
  bool keepsRows() const { return getParts() <= tile.vectors; }

  MatrixRegisters &getRegisters() { return *kernel.target->getMatrices(); }
  mlir::Value makeMemory(mlir::MemRefType type);
  /// Makes `memory` large enough for the contents of some registers.
  void provide(mlir::Value &memory, int64_t registers, mlir::Type type);
  /// Returns the memory of a configuration in which registers have these rows. It is written where
  /// the function begins, and the first one is in force from there on.
  mlir::Value getConfiguration(llvm::ArrayRef<int64_t> rowsOfRegisters);
  void configure();

  bool findSides(const MatrixStep &step, std::string &obstacle);
  /// Returns the distance of the rows of a part in memory, in elements; null if what registers take
  /// of them does not lie in rows.
  mlir::AffineExpr findRowDistance(const MatrixStep &step);
  /// Returns the distance of the rows of a register of words of the columns; null if they do not
  /// lie in rows.
  mlir::AffineExpr findWordDistance(const MatrixStep &step);
  void copyRows(const MatrixStep &step, BodyEvaluator::Loads &loads, std::string &obstacle);
  void copyColumns(const MatrixStep &step, BodyEvaluator::Loads &loads, std::string &obstacle);
  MatrixAccess getAccess(const Side &side, mlir::AffineExpr address, mlir::AffineExpr distance);
  MatrixAccess getCopy(const Side &side, int64_t row);
  void loadRows(const MatrixStep &step, int64_t part, mlir::AffineExpr distance);
  void loadColumns(const MatrixStep &step, int64_t vector, mlir::AffineExpr distance);
};

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_MATRIXEMITTER_H

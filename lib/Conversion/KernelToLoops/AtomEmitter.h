//===- AtomEmitter.h - factors and fragments of a tile of a warp ----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_ATOMEMITTER_H
#define LIB_CONVERSION_KERNELTOLOOPS_ATOMEMITTER_H

#include "BodyEvaluator.h"
#include "tssa/Conversion/TileEmitter.h"

#include <array>

namespace tssa::conversion {

/// Builds what `layout.atom` and `layout.pipeline` say about one piece of an expression: copies of
/// its factors to shared memory, and products of what is there.
class AtomEmitter {
public:
  using Values = TileEmitter::Values;

  AtomEmitter(IndexBuilder &index, KernelContext &kernel, mlir::tssa::te::ComputeOp op,
              unsigned piece, const Schedule &schedule, unsigned laneDim)
      : index(index), kernel(kernel), op(op), piece(piece), schedule(schedule), laneDim(laneDim) {}

  /// Starts to copy the box `tile` of a factor into buffer number `stage`.
  mlir::LogicalResult fill(const CacheTile &tile, mlir::AffineExpr stage);
  /// Multiplies the boxes in buffer number `stage` and adds to the `fragments` of a lane, those of
  /// a row of the tile after each other.
  Values accumulate(mlir::ValueRange fragments, mlir::AffineExpr stage);

private:
  /// A factor in shared memory. Rows of its box are those along which the tensor is contiguous.
  struct Factor {
    mlir::tssa::te::ReadOp read;
    mlir::Value memory;
    llvm::SmallVector<unsigned> order;  ///< dims of the box, outermost first
    llvm::SmallVector<int64_t> strides; ///< of the dims of the box
    int64_t size = 0;                   ///< elements of a buffer
    /// Of an element of the tile in the first buffer, over the loops of the tile and of warps.
    mlir::AffineExpr address;
  };

  IndexBuilder &index;
  KernelContext &kernel;
  mlir::tssa::te::ComputeOp op;
  unsigned piece;
  const Schedule &schedule;
  unsigned laneDim;
  std::array<std::optional<Factor>, 2> factors;
  BodyEvaluator::Loads loads; ///< none

  /// Finds the factor that `tile` is of and gives it memory, or reports why it has none.
  mlir::FailureOr<Factor> makeFactor(const CacheTile &tile);
  mlir::tssa::te::ReadOp findFactor(unsigned operand);
  /// Returns the dims of a box with the one along which runs of the tensor lie as the last, or
  /// nothing if there is none.
  llvm::SmallVector<unsigned> getOrder(mlir::tssa::te::ReadOp read, const CacheTile &tile);
  void allocate(Factor &factor, const CacheTile &tile);
  /// Builds the copy of run `number` of a box.
  mlir::LogicalResult copyRun(const Factor &factor, const CacheTile &tile, mlir::AffineExpr stage,
                              mlir::Value number);
  /// Builds the copy of a run that begins at the point of `body`, to `target`, where `condition`
  /// and the guard of the factor hold.
  mlir::LogicalResult copyRunAt(const Factor &factor, const CacheTile &tile, BodyEvaluator &body,
                                mlir::AffineExpr target, Condition condition);

  mlir::AffineExpr getLanePart(mlir::Value lane, int64_t divisor, int64_t modulus);
  /// Loads matrices of factor `number` from `position` of its rows or columns and from `step` on.
  mlir::Value loadMatrices(unsigned number, mlir::Value lane, int64_t position, int64_t step,
                           int64_t count, mlir::AffineExpr stage);
};

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_ATOMEMITTER_H

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
  /// A factor in shared memory. Rows of its box are along the last dim of `order`.
  struct Factor {
    mlir::Value value;     ///< in the body; of the type that the instruction takes
    bool isCopied = false; ///< as it is, in runs of 16 bytes; else computed
    mlir::Value memory;
    llvm::SmallVector<unsigned> order;  ///< dims of the box, outermost first
    llvm::SmallVector<int64_t> strides; ///< of the dims of the box
    int64_t size = 0;                   ///< elements of a buffer
    bool hasRowsOfSteps = false;        ///< else rows are along rows or columns of the tile
    /// Of an element of the tile in the first buffer, over the loops of the tile and of warps.
    mlir::AffineExpr address;
  };
  /// An element of a box, or a run of them: where it is in the expression and in memory.
  struct BoxPoint {
    TilePoint point;
    mlir::AffineExpr target; ///< in shared memory
    mlir::Value exists;      ///< null if it always does
  };

  IndexBuilder &index;
  KernelContext &kernel;
  mlir::tssa::te::ComputeOp op;
  unsigned piece;
  const Schedule &schedule;
  unsigned laneDim;
  std::array<std::optional<Factor>, 2> factors;
  BodyEvaluator::Loads loads; ///< none
  /// What getLanePart has given, for one `accumulate`.
  llvm::DenseMap<std::pair<int64_t, int64_t>, mlir::AffineExpr> laneParts;

  /// Finds the factor that `tile` is of and gives it memory, or reports why it has none.
  mlir::FailureOr<Factor> makeFactor(const CacheTile &tile);
  /// Returns the dim of the box along which runs of the tensor can be copied, if there is one: they
  /// begin at multiples of 16 bytes, and exist as a whole or not at all.
  std::optional<unsigned> findCopiedRow(mlir::Value value, const CacheTile &tile);
  bool hasRuns(mlir::tssa::te::ReadOp read, const CacheTile &tile, unsigned dim);
  bool isMultiple(mlir::AffineExpr expr, int64_t divisor);
  /// Returns how good it is that rows of the box are along `dim`, if elements are computed.
  unsigned rankRow(mlir::Value value, const CacheTile &tile, unsigned dim);
  void allocate(Factor &factor, const CacheTile &tile);
  /// Returns the place of element `number` of the box, or of run `number` of `run` elements.
  BoxPoint getBoxPoint(const Factor &factor, const CacheTile &tile, mlir::AffineExpr stage,
                       mlir::Value number, int64_t run);
  void copyRuns(const Factor &factor, const CacheTile &tile, mlir::AffineExpr stage);
  void copyRun(const Factor &factor, const BoxPoint &box);
  void computeElements(const Factor &factor, const CacheTile &tile, mlir::AffineExpr stage);
  void computeElement(const Factor &factor, const BoxPoint &box);

  mlir::AffineExpr getLanePart(mlir::Value lane, int64_t divisor, int64_t modulus);
  /// Some matrices of the factor that has the rows, or of the other one, from `position` of its
  /// rows or columns and from `step` on.
  struct Matrices {
    bool isLeft;
    int64_t position, step, count;
    mlir::AffineExpr stage;
  };
  const Factor &getFactor(bool isLeft) const;
  /// Returns the address of an element of these matrices, at `along` of rows or columns and at
  /// `alongSteps`.
  mlir::Value buildAddress(const Matrices &matrices, mlir::AffineExpr along,
                           mlir::AffineExpr alongSteps);
  mlir::Value loadMatrices(const Matrices &matrices, mlir::Value lane);
  mlir::Value loadElements(const Matrices &matrices, mlir::Value lane);
};

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_ATOMEMITTER_H

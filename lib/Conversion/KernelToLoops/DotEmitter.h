//===- DotEmitter.h - products by dot instructions --------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A dot instruction adds, in each lane, the products of a few neighbouring elements of one factor
/// with as many of the other (Intel SDM, VDPBF16PS and VPDPBUSD): a word of 32 bits. So a group of
/// steps needs a word of each factor, the same one for all lanes or one for each. It is
/// - loaded as it is, with the guards and masks of the read of the first step, where the elements
/// of
///   the group are a word in memory;
/// - made of elements that are the same for all lanes;
/// - interleaved from vectors, one for each step, where neighbouring lanes read neighbouring
/// elements.
///
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_DOTEMITTER_H
#define LIB_CONVERSION_KERNELTOLOOPS_DOTEMITTER_H

#include "BodyEvaluator.h"
#include "tssa/Conversion/TileEmitter.h"

namespace tssa::conversion {

/// Builds what `layout.atom` with one loop says about one piece of an expression.
class DotEmitter {
public:
  using Values = TileEmitter::Values;

  DotEmitter(IndexBuilder &index, KernelContext &kernel, mlir::tssa::te::ComputeOp op,
             unsigned piece, const DotTile &dot, unsigned laneDim, int64_t lanes);

  /// Adds the products of a group to `sums`, a vector for each sum of the expression. `group` has
  /// the points of the steps, at most as many as the instruction takes, for the same rows and
  /// lanes; `loads` are those of the current scope. If a factor cannot be loaded, returns nothing
  /// and sets `obstacle` to what was expected.
  Values accumulate(llvm::ArrayRef<TilePoint> group, mlir::ValueRange sums,
                    BodyEvaluator::Loads &loads, std::string &obstacle);

  /// A factor of a product.
  struct Factor {
    mlir::tssa::te::ReadOp read;
    bool isUnsigned = false;
  };
  /// The two factors of each sum, of which that of u8 is the first if the instruction takes u8 and
  /// s8; none if they are no reads of what it takes.
  using Factors = std::array<Factor, 2>;
  llvm::ArrayRef<Factors> getFactors() const { return factors; }
  /// Returns the address of the element that a read reads at a point.
  mlir::AffineExpr getAddress(mlir::tssa::te::ReadOp read, const TilePoint &point);
  /// Returns a vector of the words of a group. Returns null if it has none, and sets `obstacle`.
  mlir::Value getWords(mlir::tssa::te::ReadOp read, llvm::ArrayRef<TilePoint> group,
                       BodyEvaluator::Loads &loads, std::string &obstacle);
  /// Loads the elements of a group, which are the same for all lanes, as a vector of `count`
  /// elements; null if they are fewer, or do not lie beside each other.
  mlir::Value loadRow(mlir::tssa::te::ReadOp read, llvm::ArrayRef<TilePoint> group, int64_t count);

private:
  IndexBuilder &index;
  KernelContext &kernel;
  const DotTile &dot;
  unsigned laneDim;
  int64_t lanes;
  llvm::SmallVector<Factors, 1> factors;
  BodyEvaluator::Loads none; ///< of evaluators that load nothing

  /// Returns the guards of a read at a point, as expressions that are >= 0 where it may read.
  llvm::SmallVector<mlir::AffineExpr> getGuards(mlir::tssa::te::ReadOp read,
                                                const TilePoint &point);
  /// Returns the address of the word that a group is in memory; null if it is none.
  mlir::AffineExpr findWord(mlir::tssa::te::ReadOp read, llvm::ArrayRef<TilePoint> group);
  mlir::Value loadWords(mlir::tssa::te::ReadOp read, const TilePoint &point, mlir::AffineExpr word);
  mlir::Value loadElement(mlir::tssa::te::ReadOp read, const TilePoint &point,
                          BodyEvaluator::Loads &loads);
  /// Returns the words of elements that are the same for all lanes.
  mlir::Value joinElements(mlir::tssa::te::ReadOp read, llvm::ArrayRef<TilePoint> group,
                           BodyEvaluator::Loads &loads);
  mlir::Value dropSteps(mlir::Value words, int64_t count);
  mlir::Value interleave(mlir::tssa::te::ReadOp read, llvm::ArrayRef<TilePoint> group,
                         BodyEvaluator::Loads &loads);
  mlir::VectorType getWordsType();
};

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_DOTEMITTER_H

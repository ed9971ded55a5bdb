//===- DotEmitter.h - products by dot instructions --------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A dot instruction adds, in each lane, the products of a few neighbouring elements of one factor
/// with as many of the other (Intel SDM, VDPBF16PS and VPDPBUSD). The neighbours are a word of 32
/// bits. So a group of steps is a load of a word of each factor, with the guards and masks of the
/// read of its first step: one word for all lanes, or a word in each.
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

  /// Returns what is expected, and not there, for a dot product of `group`, the points of its
  /// steps;
  /// "" if nothing is missing.
  std::string findObstacle(llvm::ArrayRef<TilePoint> group);
  /// Adds the products of a group to `sums`, a vector. `loads` are those of the current scope.
  Values accumulate(llvm::ArrayRef<TilePoint> group, mlir::ValueRange sums,
                    BodyEvaluator::Loads &loads);

private:
  IndexBuilder &index;
  KernelContext &kernel;
  const DotTile &dot;
  unsigned laneDim;
  int64_t lanes;
  /// The two factors, of which that of u8 is the first; fewer, or null, if they are no reads of
  /// what the instruction takes.
  llvm::SmallVector<mlir::tssa::te::ReadOp, 2> reads;
  BodyEvaluator::Loads none;

  std::string findObstacle(mlir::tssa::te::ReadOp read, llvm::ArrayRef<TilePoint> group);
  /// Returns the guards of a read at a point, as expressions that are >= 0 where it may read.
  llvm::SmallVector<mlir::AffineExpr> getGuards(mlir::tssa::te::ReadOp read,
                                                const TilePoint &point);
  /// Returns the address of the element that a read reads at a point.
  mlir::AffineExpr getAddress(mlir::tssa::te::ReadOp read, const TilePoint &point);
  /// Returns the address of the first element of a group, in words; null if it is in the middle of
  /// one.
  mlir::AffineExpr getWord(mlir::AffineExpr address);
  /// Returns a vector of the words of a group: the same one for all lanes, or one for each.
  mlir::Value loadWord(mlir::tssa::te::ReadOp read, const TilePoint &point,
                       BodyEvaluator::Loads &loads);
};

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_DOTEMITTER_H

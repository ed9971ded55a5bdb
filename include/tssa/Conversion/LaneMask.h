//===- LaneMask.h - which lanes of a vector exist, as data ------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_CONVERSION_LANEMASK_H
#define TSSA_CONVERSION_LANEMASK_H

#include "tssa/Conversion/IndexBuilder.h"

namespace tssa::conversion {

/// What is known of a mask, a vector of one i1 per lane. A lane exists if it is one of the first
/// `count` lanes and of the first of each of `counts`, if all of `uniform` hold, and if each of
/// `atLeastZero` is >= 0 there.
struct LaneMask {
  int64_t count = 0;                                  ///< 0 to the number of lanes
  llvm::SmallVector<mlir::Value, 1> counts;           ///< of type index
  llvm::SmallVector<mlir::Value, 2> uniform;          ///< of type i1
  llvm::SmallVector<mlir::AffineExpr, 2> atLeastZero; ///< over loops and the lane

  /// Reads `mask`, of `lanes` lanes, which `index` or vector.create_mask has built; a null mask
  /// holds for all lanes. Returns nothing if it says more, such as what an op of a body computes.
  static std::optional<LaneMask> read(const IndexBuilder &index, mlir::Value mask, int64_t lanes);

  /// Whether the lanes that exist are the first ones.
  bool isPrefix() const { return uniform.empty() && atLeastZero.empty(); }
  /// Whether they are, and their number is `count`.
  bool isKnown() const { return isPrefix() && counts.empty(); }
};

} // namespace tssa::conversion

#endif // TSSA_CONVERSION_LANEMASK_H

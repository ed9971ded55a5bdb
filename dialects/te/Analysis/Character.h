//===- Character.h - operations and elements of an expression -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How much an expression computes for each element that it moves (Souffle, section 5.3), and
/// whether it is compute-intensive or memory-intensive. Numbers that depend on open sizes are
/// polynomials; the class is that for open sizes of `assumedSize`.
///
/// The elements of a tensor are those that are distinct: the size of the image of the domain under
/// the index. It is exact if each index is a sum of multiples of dims without gaps or overlaps that
/// a comparison of constants leaves open, and no dim is in two indexes. Otherwise it is an upper
/// bound: the box of the indexes, the points of the dims that occur, or the whole tensor.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_ANALYSIS_CHARACTER_H
#define DIALECTS_TE_ANALYSIS_CHARACTER_H

#include "dialects/te/Analysis/SizeTable.h"
#include "dialects/te/IR/TEOps.h"

namespace mlir::tssa::te {

/// How the class of an expression is decided.
enum class CharacterRule {
  Paper, ///< compute-intensive: at least `minRatio` operations for each element
  Reuse  ///< and some operand whose elements are used by `minReuse` points on average
};
inline constexpr double minRatio = 3, minReuse = 8;

/// The elements of one tensor that an expression reads or writes.
struct TensorTraffic {
  Value tensor;
  Polynomial elements;
  bool isExact = true; ///< Otherwise `elements` is an upper bound.
  int64_t elementBytes = 0;
  double reuse = 1; ///< the points that use an element, on average
};

struct Character {
  Polynomial points;         ///< of the iteration domain
  Polynomial operations;     ///< on floats, as `countFlops` counts them, with the transcendental
  Polynomial transcendental; ///< of these, functions such as exp
  SmallVector<TensorTraffic> reads; ///< one for each tensor
  SmallVector<TensorTraffic> writes;

  /// Returns whether a number depends on an open size.
  bool isOpen() const;
  /// Returns operations / elements read and written. For open sizes it is the ratio for
  /// `assumedSize`, and so is `getReuse`.
  double getRatio() const;
  /// Returns the greatest reuse of an operand; 1 if nothing is read.
  double getReuse() const;
  bool isComputeIntensive(CharacterRule rule) const;
};

/// Returns the character of `expression`. The open sizes are symbols of `sizes`.
Character getCharacter(ExpressionOpInterface expression, SizeTable &sizes);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_ANALYSIS_CHARACTER_H

//===- Linear.h - sums of values with constant factors -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sums of values with constant factors. Two indexes can be compared without running the
/// program when their difference is a constant.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_IR_LINEAR_H
#define DIALECTS_TSSA_IR_LINEAR_H

#include "mlir/IR/OpDefinition.h"

namespace mlir::tssa::refs {

/// A constant plus a sum of factor * value. The values are distinct, and no factor is zero.
class Linear {
public:
  Linear(int64_t constant = 0) : constant(constant) {}
  /// Expresses `index` as such a sum. Looks through arith.constant, addi, subi, muli by a constant,
  /// and casts between index and i64.
  static Linear of(OpFoldResult index) { return of(index, 0); }

  Linear operator+(const Linear &other) const { return plus(other, 1); }
  Linear operator-(const Linear &other) const { return plus(other, -1); }
  Linear operator*(int64_t factor) const { return Linear().plus(*this, factor); }
  bool operator==(const Linear &other) const { return (*this - other).isZero(); }
  bool operator!=(const Linear &other) const { return !(*this == other); }

  /// Returns the value of the sum if it is a constant, that is, if it has no terms.
  std::optional<int64_t> getConstant() const;
  /// Returns whether the sum is a constant of at least `bound`.
  bool isAtLeast(int64_t bound) const { return getConstant() && *getConstant() >= bound; }
  /// Returns the factor of `value`, or 0 if it does not occur.
  int64_t getFactor(Value value) const;
  /// Returns the constant part of the sum.
  int64_t getOffset() const { return constant; }
  ArrayRef<std::pair<Value, int64_t>> getTerms() const { return terms; }

private:
  static Linear of(OpFoldResult index, unsigned depth);
  Linear plus(const Linear &other, int64_t factor) const;
  bool isZero() const { return terms.empty() && constant == 0; }

  int64_t constant;
  SmallVector<std::pair<Value, int64_t>> terms;
};

} // namespace mlir::tssa::refs

#endif // DIALECTS_TSSA_IR_LINEAR_H

//===- Linear.h - sums of values with constant factors -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What can be said of two indexes without running the program: both are sums of
/// values with constant factors, and their difference may be a constant.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TSSA_IR_LINEAR_H
#define DIALECTS_TSSA_IR_LINEAR_H

#include "mlir/IR/OpDefinition.h"

namespace mlir::tssa::refs {

/// constant + sum of factor * value. Values are unlike each other and no factor is
/// zero.
class Linear {
public:
  Linear(int64_t constant = 0) : constant(constant) {}
  /// An index; looks through arith.constant, addi, subi and muli by a constant.
  static Linear of(OpFoldResult index) { return of(index, 0); }

  Linear operator+(const Linear &other) const { return plus(other, 1); }
  Linear operator-(const Linear &other) const { return plus(other, -1); }
  Linear operator*(int64_t factor) const { return Linear().plus(*this, factor); }
  bool operator==(const Linear &other) const { return (*this - other).isZero(); }
  bool operator!=(const Linear &other) const { return !(*this == other); }

  /// The number it is whatever the values are, if it is one.
  std::optional<int64_t> getConstant() const;
  /// Whether it is at least `bound` whatever the values are.
  bool isAtLeast(int64_t bound) const { return getConstant() && *getConstant() >= bound; }
  /// The factor of `value`, 0 where it does not occur.
  int64_t getFactor(Value value) const;
  /// What it is where all values are 0.
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

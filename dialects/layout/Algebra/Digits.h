//===- Digits.h - indexes as numbers in mixed radices -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The parts of the normal form of layouts (see TensorLayout.h): numbers, and digits of these
/// numbers.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_ALGEBRA_DIGITS_H
#define DIALECTS_LAYOUT_ALGEBRA_DIGITS_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace mlir::tssa::layout {

/// Returns the value of `expr` if it is a constant.
std::optional<int64_t> getConstant(AffineExpr expr);

/// Arithmetic on sizes, which are at least 0. If a constant does not fit in 64 bits, the result has
/// no meaning, and `hasOverflowed` returns true from then on. Callers must check it before they use
/// a result.
class SizeArithmetic {
public:
  explicit SizeArithmetic(MLIRContext *context) : context(context) {}

  AffineExpr constant(int64_t value) const { return getAffineConstantExpr(value, context); }
  AffineExpr add(AffineExpr lhs, AffineExpr rhs);
  AffineExpr subtract(AffineExpr lhs, AffineExpr rhs);
  AffineExpr multiply(AffineExpr lhs, AffineExpr rhs);
  /// Returns the smallest multiple of `factor` that is at least `size`.
  AffineExpr roundUp(AffineExpr size, int64_t factor);

  bool hasOverflowed() const { return overflowed; }

private:
  AffineExpr check(std::optional<int64_t> bound, llvm::function_ref<AffineExpr()> make);

  MLIRContext *context;
  bool overflowed = false;
};

/// The digit (x mod high) / low, where x is number `number` of a table.
struct Digit {
  unsigned number = 0;
  AffineExpr low, high;

  /// Returns how many values the digit has. `low` divides `high`.
  AffineExpr getExtent() const;
};

/// The digits of a number, the most significant first.
using DigitList = SmallVector<Digit, 2>;

/// A number that can be cut into digits. It is computed from `of`, the digits of earlier numbers.
struct Number {
  enum class Kind {
    Index,  ///< the index of logical dim `dim`
    Recut,  ///< `of` itself as one number, to cut it where no digit ends
    Pad,    ///< `of` + low
    Unpad,  ///< `of` - low
    Tile,   ///< the number of a tile that holds index `of`
    Offset, ///< the position of index `of` in that tile; directly after the Tile
    Fold,   ///< stride * `of` + offset
  };

  Kind kind = Kind::Index;
  AffineExpr extent;            ///< the values are 0 to extent - 1
  int64_t dim = 0;              ///< for Index
  DigitList of;                 ///< for all but Index
  AffineExpr ofExtent;          ///< for Pad, Tile and Offset: the number of values of `of`
  int64_t low = 0;              ///< for Pad and Unpad
  int64_t tile = 0, stride = 0; ///< for Tile, Offset and Fold
  DigitList offset;             ///< for Fold
};

/// A table of numbers, each computed from digits of earlier ones.
class NumberTable {
public:
  unsigned add(Number number) {
    numbers.push_back(std::move(number));
    return numbers.size() - 1;
  }
  const Number &operator[](unsigned number) const { return numbers[number]; }
  unsigned size() const { return numbers.size(); }

  /// Returns the digits that the whole of `number` consists of, in normal form.
  DigitList getWhole(unsigned number) const;
  /// If `list` is one digit that is the whole of a number, returns that number; otherwise nothing.
  std::optional<unsigned> findWhole(ArrayRef<Digit> list) const;

  /// Returns the normal form of `list`: no digit has only one value, except the whole of an Unpad;
  /// no two neighbours could be one digit; and the whole of a Recut is replaced by the digits that
  /// it is computed from.
  DigitList normalize(ArrayRef<Digit> list) const;

  /// Cuts `list` into parts, the most significant first. Part i has `extents[i]` values, and the
  /// product of `extents` is the extent of `list`. Adds a Recut where the digits cannot be cut.
  SmallVector<DigitList> cut(DigitList list, ArrayRef<AffineExpr> extents, SizeArithmetic &sizes);

  /// Returns whether two lists have equal digits of equal numbers, down to the logical indexes.
  static bool areEqual(const NumberTable &leftTable, ArrayRef<Digit> left,
                       const NumberTable &rightTable, ArrayRef<Digit> right);

  /// Returns, for each number, whether the digits of `dims` depend on it, directly or not.
  SmallVector<bool> findUsed(ArrayRef<DigitList> dims) const;

private:
  /// Removes digits with `extent` values from the right of `rest` and returns them. If the digits
  /// cannot be cut there, they are first replaced by one digit of a new number.
  DigitList takeFromRight(DigitList &rest, AffineExpr extent, SizeArithmetic &sizes);

  SmallVector<Number, 4> numbers;
};

/// Returns how many values the digits of a list have together.
AffineExpr getExtent(ArrayRef<Digit> list, SizeArithmetic &sizes);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_ALGEBRA_DIGITS_H

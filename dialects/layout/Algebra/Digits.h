//===- Digits.h - indexes as numbers in mixed radices -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The normal form of layouts (see TensorLayout.h): digits of numbers, and the numbers
/// that they are digits of.
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

/// The value of a constant expression.
std::optional<int64_t> getConstant(AffineExpr expr);

/// Arithmetic on sizes, which are at least 0. Constants that do not fit in 64 bits are remembered,
/// and the result is then any expression: ask `hasOverflowed` before it is used.
class SizeArithmetic {
public:
  explicit SizeArithmetic(MLIRContext *context) : context(context) {}

  AffineExpr constant(int64_t value) const { return getAffineConstantExpr(value, context); }
  AffineExpr add(AffineExpr lhs, AffineExpr rhs);
  AffineExpr subtract(AffineExpr lhs, AffineExpr rhs);
  AffineExpr multiply(AffineExpr lhs, AffineExpr rhs);
  /// The smallest multiple of `factor` that is at least `size`.
  AffineExpr roundUp(AffineExpr size, int64_t factor);

  bool hasOverflowed() const { return overflowed; }

private:
  AffineExpr check(std::optional<int64_t> bound, llvm::function_ref<AffineExpr()> make);

  MLIRContext *context;
  bool overflowed = false;
};

/// (x mod high) / low, where x is number `number` of a table.
struct Digit {
  unsigned number = 0;
  AffineExpr low, high;

  /// How many values the digit has. `low` divides `high`.
  AffineExpr getExtent() const;
};

/// A number, the most significant digit first.
using DigitList = SmallVector<Digit, 2>;

/// What a digit is part of.
struct Number {
  enum class Kind {
    Index,  ///< the index of logical dim `dim`
    Recut,  ///< `of` itself, where it is cut otherwise than into its digits
    Pad,    ///< `of` + low
    Unpad,  ///< `of` - low
    Tile,   ///< the number of the tile in which `of` is looked for
    Offset, ///< its position in that tile; the number after its Tile
    Fold,   ///< stride * `of` + offset
  };

  Kind kind = Kind::Index;
  AffineExpr extent;            ///< the values are 0 to extent - 1
  int64_t dim = 0;              ///< of Index
  DigitList of;                 ///< of all but Index
  AffineExpr ofExtent;          ///< of Pad, Tile and Offset: the number of values of `of`
  int64_t low = 0;              ///< of Pad and Unpad
  int64_t tile = 0, stride = 0; ///< of Tile, Offset and Fold
  DigitList offset;             ///< of Fold
};

/// Numbers, each made of digits of earlier ones.
class NumberTable {
public:
  unsigned add(Number number) {
    numbers.push_back(std::move(number));
    return numbers.size() - 1;
  }
  const Number &operator[](unsigned number) const { return numbers[number]; }
  unsigned size() const { return numbers.size(); }

  /// All of a number, as one digit.
  DigitList getWhole(unsigned number) const;
  /// The number that `list` is all of, if it is one.
  std::optional<unsigned> findWhole(ArrayRef<Digit> list) const;

  /// The normal form: no digit with one value, no two neighbours that are one digit, no Recut
  /// where the digits of its number serve.
  DigitList normalize(ArrayRef<Digit> list) const;

  /// Cuts a number into numbers of `extents`, the most significant first, whose product is the
  /// extent of `list`. Adds a Recut where the extents do not fit the digits.
  SmallVector<DigitList> cut(DigitList list, ArrayRef<AffineExpr> extents, SizeArithmetic &sizes);

  /// Whether two lists are the same number of the same logical indexes.
  static bool areEqual(const NumberTable &leftTable, ArrayRef<Digit> left,
                       const NumberTable &rightTable, ArrayRef<Digit> right);

  /// The numbers that the digits of `dims` are part of, directly or not.
  SmallVector<bool> findUsed(ArrayRef<DigitList> dims) const;

private:
  /// Takes digits with `extent` values off the right of `rest`. Where its digits are no help, they
  /// become one number first.
  DigitList takeFromRight(DigitList &rest, AffineExpr extent, SizeArithmetic &sizes);

  SmallVector<Number, 4> numbers;
};

/// The number of values of a list.
AffineExpr getExtent(ArrayRef<Digit> list, SizeArithmetic &sizes);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_ALGEBRA_DIGITS_H

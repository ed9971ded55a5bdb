//===- Size.h - sizes as polynomials over values -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A `Size` is an integer known while a program is built: a constant, or a
/// polynomial with integer coefficients over atoms. An atom is an SSA value of
/// type index, or the floor division, minimum or maximum of two Sizes. The normal
/// form makes equal polynomials equal objects: `N * 4 / 4 == N`.
///
/// Most Sizes are extents of tensors; they are also the known elements of small
/// integer tensors, so they may be negative.
///
/// Arithmetic is checked: a result that does not fit in 64 bits, or has more terms or
/// deeper ones than any sensible extent, is `overflowed()`, and so is everything computed
/// from it.
/// Builder refuses such extents.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_BUILDER_SIZE_H
#define TSSA_BUILDER_SIZE_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <memory>
#include <optional>

namespace tssa::operators {

class Size;
class SizeTable;

/// A factor of a Size that is no constant.
struct Atom {
  enum Kind { Value, FloorDiv, Min, Max };
  Kind kind;
  /// Order of creation: what sorts atoms, so that nothing depends on addresses.
  unsigned number;
  /// How many operations are nested in it: 0 for a Value.
  unsigned depth;
  SizeTable *table;
  /// Whether it is known not to be negative.
  bool nonNegative;
  mlir::Value value;
  std::string name;
  /// The operands; of a Value, `rhs` is a size that it is known to be less than, if any.
  std::unique_ptr<Size> lhs, rhs;
};

class Size {
public:
  /// Product of atoms, sorted by number; empty for the constant term.
  using Monomial = llvm::SmallVector<const Atom *, 2>;

  Size() : Size(0) {}
  Size(int64_t constant);
  explicit Size(const Atom &atom);
  Size(const Monomial &monomial, int64_t coefficient);

  bool overflowed() const { return bad; }
  std::optional<int64_t> constant() const;
  bool isConstant(int64_t value) const { return constant() == value; }

  Size operator+(const Size &other) const;
  Size operator-(const Size &other) const;
  Size operator*(const Size &other) const;
  Size operator-() const { return Size(0) - *this; }
  /// Rounds towards minus infinity. The divisor is positive.
  Size floorDiv(const Size &divisor) const;
  Size ceilDiv(const Size &divisor) const;
  Size mod(const Size &divisor) const { return *this - floorDiv(divisor) * divisor; }
  /// The quotient when the division is known to leave no rest.
  std::optional<Size> divideExactly(const Size &divisor) const;
  static Size min(const Size &lhs, const Size &rhs);
  static Size max(const Size &lhs, const Size &rhs);

  /// The same polynomial, so the same number. Different polynomials may still be
  /// equal numbers when the program runs.
  bool operator==(const Size &other) const;
  bool operator!=(const Size &other) const { return !(*this == other); }
  /// An arbitrary total order, the same in every run.
  bool operator<(const Size &other) const;

  /// Known to be >= value, <= value, for all values of the atoms.
  bool isAtLeast(int64_t value) const;
  bool isAtMost(int64_t value) const { return (-*this).isAtLeast(-value); }
  /// Known to be different numbers.
  bool differs(const Size &other) const;

  /// The terms, sorted; no coefficient is zero.
  llvm::ArrayRef<std::pair<Monomial, int64_t>> terms() const { return sum; }
  /// For people: `N`, `3*N + 1`; atoms without a name are `?`. What is too long ends in dots.
  std::string str() const;

private:
  friend class SizeTable;
  void add(const Monomial &monomial, int64_t coefficient);
  void add(const Size &other, const Monomial &monomial, int64_t factor);
  static Size overflow();
  unsigned depth() const;
  void print(std::string &text) const;
  static Size makeAtom(Atom::Kind kind, const Size &lhs, const Size &rhs, bool nonNegative);

  llvm::SmallVector<std::pair<Monomial, int64_t>, 1> sum;
  bool bad = false;
};

Size product(llvm::ArrayRef<Size> sizes);

/// Owns the atoms of one program.
class SizeTable {
public:
  /// The Size that `value`, of type index, is.
  Size get(mlir::Value value, bool nonNegative, llvm::StringRef name = {});
  /// The Size of the number of an iteration: `value` is in [0, count).
  Size getPosition(mlir::Value value, const Size &count);
  /// From here on `size` is known not to be negative, if it is an atom.
  void learnNonNegative(const Size &size);

private:
  friend class Size;
  Size get(Atom::Kind kind, const Size &lhs, const Size &rhs, bool nonNegative);

  std::vector<std::unique_ptr<Atom>> atoms;
  llvm::DenseMap<mlir::Value, const Atom *> values;
  std::map<std::tuple<int, Size, Size>, const Atom *> operations;
};

} // namespace tssa::operators

#endif // TSSA_BUILDER_SIZE_H

//===- Size.h - sizes as polynomials over values -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A `Size` is a symbolic integer: a constant, or a polynomial with integer coefficients
/// over atoms. An atom is an SSA value of type index, or the floor division, minimum or
/// maximum of two Sizes. In the normal form, equal polynomials are equal objects:
/// `N * 4 / 4 == N`.
///
/// Most Sizes are extents of tensors. Known elements of small integer tensors are Sizes too, so a
/// Size may be negative.
///
/// Arithmetic is checked. A result is `overflowed()` if it does not fit in 64 bits, or if it has
/// more or deeper terms than any sensible extent. Everything computed from an overflowed Size is
/// `overflowed()` too. Builder refuses such extents.
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

/// A factor of a term of a Size.
struct Atom {
  enum Kind { Value, FloorDiv, Min, Max };
  Kind kind;
  /// The order of creation. Atoms are sorted by it, so that nothing depends on addresses.
  unsigned number;
  /// The depth of nested operations: 0 for a Value.
  unsigned depth;
  SizeTable *table;
  /// Whether the atom is known to be non-negative.
  bool nonNegative;
  mlir::Value value;
  std::string name;
  /// The operands. For a Value, `rhs` is a strict upper bound if such a bound is known, else null.
  std::unique_ptr<Size> lhs, rhs;
};

class Size {
public:
  /// A product of atoms, sorted by number; empty for the constant term.
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
  /// Divides and rounds towards minus infinity. The divisor is positive.
  Size floorDiv(const Size &divisor) const;
  Size ceilDiv(const Size &divisor) const;
  Size mod(const Size &divisor) const { return *this - floorDiv(divisor) * divisor; }
  /// Returns the quotient if the division is known to be exact, else nothing.
  std::optional<Size> divideExactly(const Size &divisor) const;
  static Size min(const Size &lhs, const Size &rhs);
  static Size max(const Size &lhs, const Size &rhs);

  /// Compares polynomials. Equal polynomials have equal values, but different polynomials may have
  /// equal values at run time too.
  bool operator==(const Size &other) const;
  bool operator!=(const Size &other) const { return !(*this == other); }
  /// An arbitrary total order, the same in every run.
  bool operator<(const Size &other) const;

  /// Returns whether this Size is known to be >= (<=) `value` for all values of its atoms.
  bool isAtLeast(int64_t value) const;
  bool isAtMost(int64_t value) const { return (-*this).isAtLeast(-value); }
  /// Returns whether the values of the two Sizes are known to differ.
  bool differs(const Size &other) const;

  /// The terms, sorted; no coefficient is zero.
  llvm::ArrayRef<std::pair<Monomial, int64_t>> terms() const { return sum; }
  /// Returns a text for messages, such as `N` or `3*N + 1`. An atom without a name is printed as
  /// `?`. A long text is cut and ends in dots.
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
  /// Returns the Size that represents `value`, of type index.
  Size get(mlir::Value value, bool nonNegative, llvm::StringRef name = {});
  /// Returns the Size that represents the iteration number `value`, which is in [0, count).
  Size getPosition(mlir::Value value, const Size &count);
  /// Records that `size` is non-negative, if it is an atom.
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

//===- LayoutMap.h - how a tensor lies in memory, for any shape -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A *layout map* says how the elements of a tensor are stored. It is a list of primitives.
/// Each of them takes a tensor and gives one of another shape: the first takes the tensor as
/// the program knows it (the *logical* tensor), and the last gives what lies in memory, in
/// row-major order (the *physical* tensor). A position of the logical tensor is called an
/// *element* here, and a position of a physical one a *cell*.
///
/// ### Primitives
///
/// Dims are counted from 0 in the tensor that the primitive takes, and N is the size of its dim k.
/// The third column gives the cell index p of the element with index i, in the dims concerned. The
/// fourth column gives the reverse. Divisions round down.
///
///   | primitive        | new sizes            | element to cell            | cell to element     |
///   |------------------|----------------------|----------------------------|---------------------|
///   | split(k, [*, F]) | N / F, F             | i / F, i mod F             | F p0 + p1           |
///   | fuse(k, k+1)     | N0 N1                | N1 i0 + i1                 | p / N1, p mod N1    |
///   | reorder(0, 2, 1) | N0, N2, N1           | i0, i2, i1                 | p0, p2, p1          |
///   | pad(k, a, b)     | a + N + b            | i + a                      | p - a, if in [0, N) |
///   | pad(k, to F)     | N, rounded up to F   | i                          | p, if in [0, N)     |
///   | unpad(k, a, b)   | N - a - b            | i - a, if it is a cell     | p + a               |
///   | unfold(k, B, S)  | ceil((N-B)/S) + 1, B | all t, b with S t + b = i  | S p0 + p1, if < N   |
///   | fold(k, D, S)    | D                    | S i0 + i1, if < D          | t, b: the first t   |
///
/// - `split` gives the digits of an index in a mixed radix; there may be more than two digits. One
///   factor may be `*`, which is what remains of the size. The factors must divide the size:
///   nothing is rounded, and a size that they do not divide is padded first.
/// - `fuse` makes one dim of two or more adjacent ones, and undoes a split. It lists all of them,
///   so that a map can be read without counting.
/// - `reorder` permutes: dim j of its result is the dim that it lists at j. It lists every dim.
/// - `pad` adds cells that hold no element. With `to` it adds them at the end only, up to a
///   multiple. `unpad` drops cells and undoes a pad.
/// - `unfold` stores overlapping tiles of B indexes, S apart, with 1 <= S <= B <= N, so that every
///   element is in at least one tile. The last tile may end beyond N; cells there hold no
///   element. `fold` undoes it: from dims k and k+1, which hold the tiles, it makes the dim of size
///   D again. It assumes that the copies of an element are equal, as unfold leaves them.
///
/// A layout does not say what cells without an element hold; a guard says which cells these are.
///
/// ### Worked examples
///
/// The logical sizes are 1, 64, 56, 56, and the element is [n, c, h, w]:
///
///   | map                                                    | sizes            | cell           |
///   |--------------------------------------------------------|------------------|----------------|
///   | map<>                                                  | 1, 64, 56, 56    | n, c, h, w     |
///   | map<reorder(0, 2, 3, 1)>                               | 1, 56, 56, 64    | n, h, w, c     |
///   | map<split(1, [*, 16]), reorder(0, 1, 3, 4, 2)>         | 1, 4, 56, 56, 16 | (1)            |
///   | map<fuse(1, 2, 3), split(1, [*, 4]), reorder(0, 2, 1)> | 1, 4, 50176      | (2)            |
///   | map<pad(1, to 48), split(1, [*, 48])>                  | 1, 2, 48, 56, 56 | (3)            |
///   | map<pad(2, 1, 1), unfold(2, 16, 14)>                   | 1, 64, 4, 16, 56 | (4)            |
///
/// 1. n, c / 16, h, w, c mod 16.
/// 2. n, x mod 4, x / 4 for x = 3136 c + 56 h + w.
/// 3. n, c / 48, c mod 48, h, w. Where 48 p1 + p2 >= 64, cell p holds no element.
/// 4. n, c, t, h + 1 - 14 t, w, for each t for which the fourth index is in [0, 16). Rows 13 and 14
///    of the image are in tile 0, at 14 and 15, and in tile 1, at 0 and 1.
///
/// ### Why a list, and why without a shape
///
/// People and searches write a list of primitives, and a tuning record replays it. It has no shape,
/// so that it also serves dynamic sizes, and so that a layout can be propagated: another tensor
/// gets the same list. A `TensorLayout`, a map applied to a shape, gives what depends on sizes:
/// index expressions, equality, growth and the inverse.
///
/// From cell to element every primitive is a partial function. From element to cell `unfold` is not
/// a function, since an element may have several cells. So a layout is defined from cell to
/// element. From element to cell it offers a canonical cell, and the set of all cells.
///
/// ### Laws
///
/// - compose(a, b) applied to a shape is b applied to the physical shape of a.
/// - compose(a, map<>) = compose(map<>, a) = a, and composition is associative.
/// - parse(print(m)) = m, and fromIntegers(toIntegers(m)) = m.
/// - A list that is wrong for every shape (numbers out of range, a reorder that is not a
///   permutation, ranks that disagree) is not a map: `get` refuses it and names the primitive.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_ALGEBRA_LAYOUTMAP_H
#define DIALECTS_LAYOUT_ALGEBRA_LAYOUTMAP_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>

namespace mlir::tssa::layout {

/// Called when something is refused, with the reason as one message for the user.
using Refuse = function_ref<void(const Twine &)>;

/// One primitive of a layout map. The meaning of `values` depends on the kind.
struct Primitive {
  enum class Kind {
    Split,   ///< the factors, kRemainder for `*`
    Reorder, ///< the permutation; `dim` is 0
    Fuse,    ///< the number of dims
    Pad,     ///< cells before and after
    PadTo,   ///< the multiple
    Unpad,   ///< cells before and after
    Unfold,  ///< size of a tile, distance of tiles
    Fold,    ///< size of the folded dim, distance of tiles
  };
  static constexpr int64_t kRemainder = -1;

  Kind kind = Kind::Reorder;
  int64_t dim = 0;
  SmallVector<int64_t, 4> values;

  static Primitive split(int64_t dim, ArrayRef<int64_t> factors) {
    return {Kind::Split, dim, SmallVector<int64_t, 4>(factors)};
  }
  static Primitive reorder(ArrayRef<int64_t> order) {
    return {Kind::Reorder, 0, SmallVector<int64_t, 4>(order)};
  }
  static Primitive fuse(int64_t dim, int64_t count) { return {Kind::Fuse, dim, {count}}; }
  static Primitive pad(int64_t dim, int64_t low, int64_t high) {
    return {Kind::Pad, dim, {low, high}};
  }
  static Primitive padTo(int64_t dim, int64_t multiple) { return {Kind::PadTo, dim, {multiple}}; }
  static Primitive unpad(int64_t dim, int64_t low, int64_t high) {
    return {Kind::Unpad, dim, {low, high}};
  }
  static Primitive unfold(int64_t dim, int64_t tile, int64_t stride) {
    return {Kind::Unfold, dim, {tile, stride}};
  }
  static Primitive fold(int64_t dim, int64_t size, int64_t stride) {
    return {Kind::Fold, dim, {size, stride}};
  }

  /// Returns how many dims the primitive takes, from `dim` on.
  int64_t getNumDimsBefore() const;
  /// Returns how many dims the primitive makes of them.
  int64_t getNumDimsAfter() const;

  bool operator==(const Primitive &other) const {
    return kind == other.kind && dim == other.dim && values == other.values;
  }
  bool operator!=(const Primitive &other) const { return !(*this == other); }
};

/// Prints `split(1, [*, 16])`.
raw_ostream &operator<<(raw_ostream &os, const Primitive &primitive);
std::string toString(const Primitive &primitive);

/// A list of primitives that is checked as far as possible without a shape.
class LayoutMap {
public:
  /// Limits that bound the work for a map that a user or a file gives.
  static constexpr int64_t kMaxRank = 64, kMaxPrimitives = 64, kMaxUnfolds = 6;

  /// The identity.
  LayoutMap() = default;

  static FailureOr<LayoutMap> get(ArrayRef<Primitive> primitives, Refuse refuse);

  /// Parses the text form, such as `map<split(1, [*, 16]), reorder(0, 1, 3, 4, 2)>`.
  static FailureOr<LayoutMap> parse(StringRef text, Refuse refuse);
  void print(raw_ostream &os) const;

  /// Returns the map as integers, for attributes and hashes. For each primitive these are its kind,
  /// its dim, the number of its values, and the values.
  SmallVector<int64_t> toIntegers() const;
  static FailureOr<LayoutMap> fromIntegers(ArrayRef<int64_t> integers, Refuse refuse);

  ArrayRef<Primitive> getPrimitives() const { return primitives; }
  bool isEmpty() const { return primitives.empty(); }

  /// Returns the rank of the tensors that the map can be applied to, if a reorder determines it.
  std::optional<int64_t> getRank() const { return rank; }

  /// Returns the map that applies `first`, and then `second` to the result.
  static FailureOr<LayoutMap> compose(const LayoutMap &first, const LayoutMap &second,
                                      Refuse refuse);

  /// Returns whether the lists are the same. Different lists may store a tensor in the same way;
  /// TensorLayout::operator== finds this out for a shape.
  bool operator==(const LayoutMap &other) const { return primitives == other.primitives; }
  bool operator!=(const LayoutMap &other) const { return !(*this == other); }

private:
  SmallVector<Primitive, 4> primitives;
  std::optional<int64_t> rank;
};

raw_ostream &operator<<(raw_ostream &os, const LayoutMap &map);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_ALGEBRA_LAYOUTMAP_H

//===- TensorLayout.h - a layout map applied to a shape -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A `TensorLayout` is a LayoutMap applied to the shape of a tensor. LayoutMap.h explains the
/// primitives and the terms *element* (a position of the logical tensor) and *cell* (a position of
/// the physical tensor).
///
/// ### Digits
///
/// The list of primitives is brought into a normal form, in which each dim of the physical
/// tensor is a list of *digits*, the most significant first. A digit is a part of a number:
///
///     x[low, high) = (x mod high) / low
///
/// The numbers are the indexes of the logical dims, and what pad, unfold and fold make of lists of
/// digits. `split` cuts digits, `fuse` concatenates lists, and `reorder` permutes them. Two
/// neighbours x[16, 64) and x[1, 16) are written as one digit x[1, 64), and a digit with one value
/// is left out. For the sizes 1, 64, 56, 56 and the element [n, c, h, w]:
///
///   | map                                            | physical dims, from dim 1 on            |
///   |------------------------------------------------|-----------------------------------------|
///   | map<split(1, [*, 16]), reorder(0, 1, 3, 4, 2)> | c[16, 64) | h | w | c[1, 16)            |
///   | map<split(1, [*, 16]), fuse(1, 2)>             | c | h | w                               |
///   | map<fuse(2, 3), split(2, [*, 112])>            | c | h[2, 56) | h[1, 2) w                |
///   | map<fuse(2, 3), split(2, [*, 32])>             | c | x[4, 392) | x[1, 4) w[1, 8)         |
///   | map<pad(1, to 48), split(1, [*, 48])>          | y[48, 96) | y[1, 48) | h | w            |
///
/// In the fourth row, the factor 32 takes from w its lowest digit, of 8 values, and a factor of 4
/// is left to take. The rest of w has 7 values, and 7 and 4 have no common divisor. So the rest of
/// w becomes one number with h: x is h w[8, 56). In the last row, y is c, padded to 96.
///
/// Most of the algebra is then bookkeeping: equality compares lists, an index expression reads
/// digits off, and there are no divisions to simplify away afterwards.
///
/// ### Sizes
///
/// Sizes are constants, or expressions over symbols where they are dynamic. What a primitive
/// demands of a size (that factors divide it, that a tile fits) is checked at once for a constant,
/// and is otherwise a *condition*: code that uses the layout proves it, tests it at run time, or
/// does not use the layout. Everything below holds for sizes that satisfy the conditions and are
/// at least 1. A tensor without elements has no layout.
///
/// ### Laws
///
/// For every layout, element e and cell c:
///
/// - Either c holds no element, and no case of getElement(c) holds, or exactly one case holds and
///   gives the element.
/// - Exactly one case of getCell(e) holds, and gives a cell of e. With unpad and fold possibly no
///   case holds, since they may drop an element, or its canonical cell.
/// - For each n below getCopyCounts() for which the guard of getCopy(e, n) holds, its index is a
///   cell of e. Each cell of e is given by exactly one such n.
/// - isBijective() implies that every cell holds an element, and that every element has one cell.
///   For static sizes and maps without unpad and fold, the reverse is true as well.
/// - The growth, where it is known, is the number of cells over the number of elements.
/// - For maps a and b, getElement of compose(a, b) is getElement of b followed by getElement of a.
///   Where neither map has unpad or fold, getCell of compose(a, b) is getCell of a followed by that
///   of b.
/// - The inverse applied to the physical shape gives the logical shape. For a map without unpad
///   and fold, compose(map, inverse) is the identity.
/// - a == b implies equal physical shapes and equal getElement. The reverse is true for static
///   sizes and maps of splits, reorders and fuses that cut between digits, as those of tilings do.
///   In other cases == may call equal layouts different; this costs a copy, never a wrong result.
/// - getNormalMap() applied to the same shape gives an equal layout. Equal layouts have the same
///   normal map.
///
/// ### How it is used
///
/// - *A result is stored.* The new iteration domain is the physical shape. Each parallel dim of the
///   expression is replaced by getElement(new dims); the guard says which cells hold an element.
/// - *An operand is read.* The index of the read is replaced by getCell(index), or by
///   getCellInWindows(index) for an unfolded dim that is read in sliding windows.
/// - *A constant is packed.* Each cell is copied from getElement(cell). A cell that holds no
///   element becomes padding.
/// - *A layout is propagated.* Its LayoutMap is applied to the shape of the other tensor. The
///   layout should be bijective there; if it is not, the growth says what it costs.
/// - *The layouts of a producer and a reader are compared.* They agree if == holds. Where memory
///   may be seen as a tensor of another shape, it is enough that hasSameBytes returns true.
///   Otherwise a conversion computes cell c of the reader from
///   producer.getCell(reader.getElement(c)).
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_ALGEBRA_TENSORLAYOUT_H
#define DIALECTS_LAYOUT_ALGEBRA_TENSORLAYOUT_H

#include "dialects/layout/Algebra/Digits.h"
#include "dialects/layout/Algebra/LayoutMap.h"

namespace mlir::tssa::layout {

/// A condition that dynamic sizes have to satisfy.
struct SizeCondition {
  AffineExpr expr; ///< over symbols: must be >= 0, or == 0 if `isEquality`
  bool isEquality = false;
  std::string reason; ///< the primitive and what it expects, for messages

  bool operator==(const SizeCondition &other) const {
    return expr == other.expr && isEquality == other.isEquality;
  }
};

/// An index that holds where all expressions of the guard are at least 0.
struct GuardedIndex {
  SmallVector<AffineExpr> index;
  SmallVector<AffineExpr> guard;
};

/// The number of cells per element, as a fraction in lowest terms.
struct Growth {
  int64_t cells = 1, elements = 1;

  bool operator==(const Growth &other) const {
    return cells == other.cells && elements == other.elements;
  }
  double asRatio() const { return static_cast<double>(cells) / static_cast<double>(elements); }
};

/// How a reader moves a window along a dim: the index of the read is `stride * window + offset`,
/// where 0 <= window < count and minOffset <= offset <= maxOffset. In a convolution, `window` is
/// the output position, and `offset` is the dilated position in the filter, minus the padding.
struct SlidingWindow {
  AffineExpr window, count, offset;
  int64_t stride = 1, minOffset = 0, maxOffset = 0;
};

/// The index of a read through unfolded dims, for sizes that satisfy the conditions.
struct WindowedIndex {
  SmallVector<AffineExpr> index;
  SmallVector<SizeCondition> conditions;
};

class TensorLayout {
public:
  /// Applies `map`. The sizes are constants or expressions over symbols. A map that does not fit is
  /// refused with the primitive, the dim and its size.
  static FailureOr<TensorLayout> get(const LayoutMap &map, ArrayRef<AffineExpr> shape,
                                     MLIRContext *context, Refuse refuse);

  /// Does the same for the shape of a type. A dynamic dim `i` has the size `s<i>`.
  static FailureOr<TensorLayout> get(const LayoutMap &map, ArrayRef<int64_t> shape,
                                     MLIRContext *context, Refuse refuse);

  const LayoutMap &getMap() const { return map; }
  ArrayRef<AffineExpr> getLogicalShape() const { return logicalShape; }
  ArrayRef<AffineExpr> getPhysicalShape() const { return physicalShape; }
  /// Returns the physical shape for a type, with kDynamic where a size is not constant.
  SmallVector<int64_t> getPhysicalTypeShape() const;
  /// Returns the conditions; there are none for static shapes.
  ArrayRef<SizeCondition> getConditions() const { return conditions; }

  /// Returns the number of cells per element, or nothing if it depends on dynamic sizes.
  std::optional<Growth> getGrowth() const { return growth; }
  bool isIdentity() const;
  /// Returns whether the layout only permutes elements: nothing is padded, copied or dropped.
  bool isBijective() const;

  /// Returns whether both layouts store tensors of one logical shape alike: the same cells in the
  /// same physical dims. Layouts with different conditions are compared where both hold.
  bool operator==(const TensorLayout &other) const;
  bool operator!=(const TensorLayout &other) const { return !(*this == other); }
  /// Returns whether memory holds the same bytes, even if the physical dims differ.
  bool hasSameBytes(const TensorLayout &other) const;

  /// Returns an equal map that consists of splits, then a reorder, then fuses. All equal layouts of
  /// a shape have the same such map. Returns nothing if something is padded or copied, if a split
  /// does not fall between digits, or if a factor is not constant.
  std::optional<LayoutMap> getNormalMap() const;

  /// Returns the canonical cell of an element that is in bounds: the cell in the first tile that
  /// holds the element. The cases are disjoint; there are several only where tiles overlap.
  SmallVector<GuardedIndex, 1> getCell(ArrayRef<AffineExpr> element) const;

  /// Returns a cell of an element that is in bounds, by one index expression for all elements, or
  /// nothing if there is none. Where tiles overlap, they are cut where the first element lies in
  /// the first tile: with a pad of 1, tiles of 6 indexes, 4 apart, give elements 0 to 3 from
  /// positions 1 to 4 of the first tile.
  std::optional<SmallVector<AffineExpr>> getCellOfAny(ArrayRef<AffineExpr> element) const;

  /// Returns the number of values of each entry of `copy` in `getCopy`.
  ArrayRef<int64_t> getCopyCounts() const { return copyCounts; }
  /// Returns the cell of an element that the numbers in `copy` select. The guard says whether there
  /// is such a cell.
  GuardedIndex getCopy(ArrayRef<AffineExpr> element, ArrayRef<AffineExpr> copy) const;

  /// Returns the cell that a read in sliding windows uses, without a search for the tile. `windows`
  /// has an entry for each logical dim, which is empty if the dim is not unfolded. An unfold must
  /// be of a whole logical dim, perhaps padded, with more than one index. For tiles of B indexes,
  /// S apart, and n = S / stride, the windows t n to (t + 1) n - 1 are read from tile t:
  ///
  ///     tile = window / n, position in it = stride * (window mod n) + offset
  ///
  /// This is refused unless
  /// - (W1) stride divides S,
  /// - (W2) no offset is negative, and the last of n windows ends within B indexes, after a pad
  ///   directly before the unfold has been added to the offsets,
  /// - (W3) there are tiles for all windows: count <= n * number of tiles.
  ///
  /// So tiles with B = stride (n - 1) + length of a window and S = stride n serve n windows each.
  /// If the index of the read may be out of bounds, the guard of the read has to exclude this.
  FailureOr<WindowedIndex> getCellInWindows(ArrayRef<AffineExpr> element,
                                            ArrayRef<std::optional<SlidingWindow>> windows,
                                            Refuse refuse) const;

  /// Returns the element of a cell. The cases are disjoint; there are several only with fold. A
  /// cell for which no case holds has no element.
  SmallVector<GuardedIndex, 1> getElement(ArrayRef<AffineExpr> cell) const;

  /// Returns the map that gives the logical tensor back. It is right for this shape only, since
  /// undoing `fuse`, `pad to` and `unfold` needs sizes. Fails if these sizes are dynamic, except
  /// that one size of each `fuse` may be dynamic.
  FailureOr<LayoutMap> invert(Refuse refuse) const;

private:
  friend class LayoutBuilder;

  LayoutMap map;
  MLIRContext *context = nullptr;
  SmallVector<AffineExpr> logicalShape, physicalShape;
  SmallVector<Primitive> inverse; ///< in the order of the map
  std::string whyNotInvertible;
  SmallVector<SizeCondition> conditions;
  std::optional<Growth> growth = Growth();
  NumberTable numbers;
  SmallVector<DigitList> dims; ///< of the physical tensor
  SmallVector<int64_t> copyCounts;
};

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_ALGEBRA_TENSORLAYOUT_H

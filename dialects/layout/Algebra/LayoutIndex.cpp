//===- LayoutIndex.cpp - index expressions of layouts -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From element to cell, each number is computed from digits of earlier numbers, starting at the
// indexes of the element. From cell to element, each number is put together from its digits,
// starting at the dims of the cell. In both directions an element may be in several tiles. A
// `Choice` picks a tile, and adds to the guard the condition under which this tile is right.
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Algebra/TensorLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa::layout;

namespace {
/// A tile and a position in it.
struct TilePosition {
  AffineExpr tile, offset;
};
using Guard = SmallVector<AffineExpr>;

/// Picks the tile of `number` in which index `x` of an unfolded dim is found. `which` is the
/// position of the unfold or fold among those of the layout. Returns a null tile if no tile is
/// found.
using Choice =
    function_ref<TilePosition(const Number &number, unsigned which, AffineExpr x, Guard &guard)>;
} // namespace

/// Adds `expr` >= 0 to the guard, unless it is a constant for which this holds.
static void addToGuard(Guard &guard, AffineExpr expr) {
  if (getConstant(expr).value_or(-1) < 0 && !llvm::is_contained(guard, expr))
    guard.push_back(expr);
}

/// Returns the first tile that holds `x`. This is tile 0, or a later tile that holds `x` in its
/// last `stride` positions: the tile before it ends before `x`. `isLater` selects the second case.
static TilePosition chooseFirstTile(const Number &number, bool isLater, AffineExpr x,
                                    Guard &guard) {
  MLIRContext *context = x.getContext();
  if (!isLater) {
    addToGuard(guard, number.tile - 1 - x);
    return {getAffineConstantExpr(0, context), x};
  }
  AffineExpr beyond = x - number.tile;
  addToGuard(guard, beyond);
  return {beyond.floorDiv(number.stride) + 1,
          beyond % number.stride + (number.tile - number.stride)};
}

static bool getBit(unsigned bits, unsigned which) { return (bits >> which) & 1; }

//===----------------------------------------------------------------------===//
// From element to cell
//===----------------------------------------------------------------------===//

namespace {
class CellBuilder {
public:
  CellBuilder(const NumberTable &numbers, ArrayRef<AffineExpr> element, Choice choose)
      : numbers(numbers), element(element), choose(choose), values(numbers.size()),
        context(element.empty() ? nullptr : element[0].getContext()) {}

  /// Returns false if a choice found no tile.
  bool build(ArrayRef<DigitList> dims, ArrayRef<AffineExpr> shape, GuardedIndex &result) {
    SmallVector<bool> used = numbers.findUsed(dims);
    unsigned unfolds = 0;
    for (unsigned i = 0; i < numbers.size(); ++i)
      if (used[i] && !compute(i, unfolds, result.guard))
        return false;
    for (auto [dim, size] : llvm::zip(dims, shape))
      result.index.push_back(combine(dim, size.getContext()));
    return true;
  }

private:
  bool compute(unsigned i, unsigned &unfolds, Guard &guard) {
    const Number &number = numbers[i];
    if (number.kind == Number::Kind::Index) {
      values[i] = element[number.dim];
      return true;
    }
    if (number.kind == Number::Kind::Offset) // computed with its tile
      return true;
    AffineExpr of = combine(number.of, context);
    switch (number.kind) {
    case Number::Kind::Pad:
      values[i] = of + number.low;
      break;
    case Number::Kind::Unpad:
      values[i] = of - number.low;
      addToGuard(guard, values[i]);
      addToGuard(guard, number.extent - 1 - values[i]);
      break;
    case Number::Kind::Tile: {
      TilePosition position = choose(number, unfolds++, of, guard);
      if (!position.tile)
        return false;
      values[i] = position.tile;
      values[i + 1] = position.offset;
      break;
    }
    case Number::Kind::Fold:
      values[i] = of * number.stride + combine(number.offset, context);
      addToGuard(guard, number.extent - 1 - values[i]);
      break;
    default:
      values[i] = of;
    }
    return true;
  }

  AffineExpr getDigit(const Digit &digit) const {
    AffineExpr value = values[digit.number];
    if (getConstant(digit.low) != 1)
      value = value.floorDiv(digit.low);
    return digit.high == numbers[digit.number].extent ? value : value % digit.getExtent();
  }

  AffineExpr combine(ArrayRef<Digit> list, MLIRContext *ctx) const {
    AffineExpr sum = getAffineConstantExpr(0, ctx), weight = getAffineConstantExpr(1, ctx);
    SmallVector<AffineExpr> terms;
    for (const Digit &digit : llvm::reverse(list)) {
      terms.push_back(getDigit(digit) * weight);
      weight = weight * digit.getExtent(); // in range: at most a size, which LayoutBuilder checks
    }
    for (AffineExpr term : llvm::reverse(terms))
      sum = sum + term;
    return sum;
  }

  const NumberTable &numbers;
  ArrayRef<AffineExpr> element;
  Choice choose;
  SmallVector<AffineExpr> values;
  MLIRContext *context;
};
} // namespace

SmallVector<GuardedIndex, 1> TensorLayout::getCell(ArrayRef<AffineExpr> element) const {
  SmallVector<GuardedIndex, 1> cases;
  for (unsigned bits = 0; bits < 1u << copyCounts.size(); ++bits) {
    auto choose = [&](const Number &number, unsigned which, AffineExpr x, Guard &guard) {
      return chooseFirstTile(number, getBit(bits, which), x, guard);
    };
    CellBuilder(numbers, element, choose).build(dims, physicalShape, cases.emplace_back());
  }
  return cases;
}

/// Returns the values that the index has of which `unfolded` makes tiles: the first one, and how
/// many follow each other.
static std::pair<int64_t, AffineExpr> getValues(const NumberTable &numbers,
                                                const Number &unfolded) {
  std::optional<unsigned> whole = numbers.findWhole(unfolded.of);
  if (whole && numbers[*whole].kind == Number::Kind::Pad)
    return {numbers[*whole].low, numbers[*whole].ofExtent};
  return {0, unfolded.ofExtent};
}

std::optional<SmallVector<AffineExpr>>
TensorLayout::getCellOfAny(ArrayRef<AffineExpr> element) const {
  auto choose = [&](const Number &number, unsigned, AffineExpr x, Guard &guard) -> TilePosition {
    auto [first, count] = getValues(numbers, number);
    std::optional<int64_t> values = getConstant(count), tiles = getConstant(number.extent);
    int64_t shift = std::min(first, number.tile - number.stride);
    if (!values || !tiles || (first + *values - 1 - shift) / number.stride >= *tiles)
      return {};
    return {(x - shift).floorDiv(number.stride), (x - shift) % number.stride + shift};
  };
  GuardedIndex result;
  if (!CellBuilder(numbers, element, choose).build(dims, physicalShape, result) ||
      !result.guard.empty())
    return std::nullopt;
  return std::move(result.index);
}

GuardedIndex TensorLayout::getCopy(ArrayRef<AffineExpr> element, ArrayRef<AffineExpr> copy) const {
  // The last tile that holds x has it in its first `stride` positions. In each earlier tile, the
  // position of x is larger by another `stride`.
  auto choose = [&](const Number &number, unsigned which, AffineExpr x, Guard &guard) {
    AffineExpr tile = x.floorDiv(number.stride) - copy[which];
    AffineExpr offset = x % number.stride + copy[which] * number.stride;
    addToGuard(guard, tile);
    addToGuard(guard, number.extent - 1 - tile);
    addToGuard(guard, number.tile - 1 - offset);
    return TilePosition{tile, offset};
  };
  GuardedIndex result;
  CellBuilder(numbers, element, choose).build(dims, physicalShape, result);
  return result;
}

//===----------------------------------------------------------------------===//
// Sliding windows
//===----------------------------------------------------------------------===//

/// If `unfolded` makes tiles of a whole logical dim, returns that dim. The dim may be padded; `low`
/// is set to the number of cells that the pad adds before it.
static std::optional<unsigned> findWindowedDim(const NumberTable &numbers, const Number &unfolded,
                                               int64_t &low) {
  std::optional<unsigned> whole = numbers.findWhole(unfolded.of);
  low = 0;
  if (whole && numbers[*whole].kind == Number::Kind::Pad) {
    low = numbers[*whole].low;
    whole = numbers.findWhole(numbers[*whole].of);
  }
  if (!whole || numbers[*whole].kind != Number::Kind::Index)
    return std::nullopt;
  return numbers[*whole].dim;
}

/// Returns n of TensorLayout::getCellInWindows, if (W1) and (W2) hold after `low` is added to the
/// offsets of the read.
static std::optional<int64_t> getWindowsPerTile(const Number &unfolded, const SlidingWindow &read,
                                                int64_t low, Refuse refuse) {
  auto fail = [&](const Twine &message) -> std::optional<int64_t> {
    refuse("a read in windows of stride " + Twine(read.stride) + " through tiles of size " +
           Twine(unfolded.tile) + " and stride " + Twine(unfolded.stride) + ": " + message);
    return std::nullopt;
  };
  int64_t first, last, end;
  if (read.stride < 1 || unfolded.stride % read.stride != 0)
    return fail("the stride of the tiles is not a multiple of the stride of the windows");
  if (read.minOffset > read.maxOffset || llvm::AddOverflow(read.minOffset, low, first) ||
      llvm::AddOverflow(read.maxOffset, low, last) ||
      llvm::AddOverflow(unfolded.stride - read.stride, last, end))
    return fail("expected offsets in rising order that fit in 64 bits");
  if (first < 0)
    return fail("the first window begins at index " + Twine(first) +
                ": pad the dim before it is unfolded");
  if (end >= unfolded.tile)
    return fail("the last window of a tile ends at index " + Twine(end));
  return unfolded.stride / read.stride;
}

FailureOr<WindowedIndex>
TensorLayout::getCellInWindows(ArrayRef<AffineExpr> element,
                               ArrayRef<std::optional<SlidingWindow>> windows,
                               Refuse refuse) const {
  WindowedIndex result;
  auto choose = [&](const Number &number, unsigned, AffineExpr, Guard &) -> TilePosition {
    int64_t low = 0;
    std::optional<unsigned> dim = findWindowedDim(numbers, number, low);
    if (!dim || *dim >= windows.size() || !windows[*dim]) {
      refuse("expected windows along one logical dim in the read of an unfolded dim");
      return {};
    }
    const SlidingWindow &read = *windows[*dim];
    std::optional<int64_t> perTile = getWindowsPerTile(number, read, low, refuse);
    if (!perTile)
      return {};
    AffineExpr spare = number.extent * *perTile - read.count; // (W3)
    if (getConstant(spare).value_or(0) < 0) {
      refuse("there are fewer tiles than the windows of the read need");
      return {};
    }
    if (!getConstant(spare))
      result.conditions.push_back({spare, false, "there are tiles for all windows of the read"});
    return {read.window.floorDiv(*perTile),
            (read.window % *perTile) * read.stride + (read.offset + low)};
  };
  GuardedIndex found;
  if (!CellBuilder(numbers, element, choose).build(dims, physicalShape, found))
    return failure();
  result.index = std::move(found.index);
  return result;
}

//===----------------------------------------------------------------------===//
// From cell to element
//===----------------------------------------------------------------------===//

namespace {
class ElementBuilder {
public:
  ElementBuilder(const NumberTable &numbers, MLIRContext *context, Choice choose)
      : numbers(numbers), choose(choose),
        values(numbers.size(), getAffineConstantExpr(0, context)) {}

  void build(ArrayRef<DigitList> dims, ArrayRef<AffineExpr> cell, unsigned rank,
             GuardedIndex &result) {
    for (auto [dim, index] : llvm::zip(dims, cell))
      takeApart(dim, index);
    SmallVector<bool> used = numbers.findUsed(dims);
    unsigned folds = 0;
    for (unsigned i = numbers.size(); i-- > 0;)
      if (used[i])
        takeApart(numbers[i], i, folds, result.guard);
    result.index.assign(values.begin(), values.begin() + rank);
  }

private:
  void takeApart(const Number &number, unsigned i, unsigned &folds, Guard &guard) {
    switch (number.kind) {
    case Number::Kind::Index:
    case Number::Kind::Offset: // taken apart with its tile
      return;
    case Number::Kind::Recut:
      return takeApart(number.of, values[i]);
    case Number::Kind::Pad: {
      AffineExpr of = values[i] - number.low;
      if (number.low > 0)
        addToGuard(guard, of);
      if (number.ofExtent + number.low != number.extent)
        addToGuard(guard, number.ofExtent - 1 - of);
      return takeApart(number.of, of);
    }
    case Number::Kind::Unpad:
      return takeApart(number.of, values[i] + number.low);
    case Number::Kind::Tile: {
      AffineExpr of = values[i] * number.stride + values[i + 1];
      if ((number.extent - 1) * number.stride + number.tile != number.ofExtent)
        addToGuard(guard, number.ofExtent - 1 - of);
      return takeApart(number.of, of);
    }
    case Number::Kind::Fold: {
      TilePosition position = choose(number, folds++, values[i], guard);
      takeApart(number.of, position.tile);
      return takeApart(number.offset, position.offset);
    }
    }
  }

  /// Takes `value` apart into the digits of `list`, and adds each digit to its number.
  void takeApart(ArrayRef<Digit> list, AffineExpr value) {
    AffineExpr weight = getAffineConstantExpr(1, value.getContext());
    for (size_t i = list.size(); i-- > 0;) {
      const Digit &digit = list[i];
      AffineExpr part = getConstant(weight) == 1 ? value : value.floorDiv(weight);
      if (i != 0)
        part = part % digit.getExtent();
      values[digit.number] = values[digit.number] + part * digit.low;
      weight = weight * digit.getExtent(); // in range: at most a size, which LayoutBuilder checks
    }
  }

  const NumberTable &numbers;
  Choice choose;
  SmallVector<AffineExpr> values;
};
} // namespace

SmallVector<GuardedIndex, 1> TensorLayout::getElement(ArrayRef<AffineExpr> cell) const {
  unsigned folds = 0;
  for (auto [i, used] : llvm::enumerate(numbers.findUsed(dims)))
    folds += used && numbers[i].kind == Number::Kind::Fold;
  SmallVector<GuardedIndex, 1> cases;
  for (unsigned bits = 0; bits < 1u << folds; ++bits) {
    auto choose = [&](const Number &number, unsigned which, AffineExpr x, Guard &guard) {
      return chooseFirstTile(number, getBit(bits, which), x, guard);
    };
    ElementBuilder(numbers, context, choose)
        .build(dims, cell, logicalShape.size(), cases.emplace_back());
  }
  return cases;
}

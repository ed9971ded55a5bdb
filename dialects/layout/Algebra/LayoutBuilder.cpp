//===- LayoutBuilder.cpp - applying primitives to a shape -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Algebra/LayoutBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tssa::layout;

using Kind = Primitive::Kind;

//===----------------------------------------------------------------------===//
// Functions that all primitives use
//===----------------------------------------------------------------------===//

static std::string print(AffineExpr expr) {
  std::string text;
  llvm::raw_string_ostream(text) << expr;
  return text;
}

LogicalResult LayoutBuilder::fail(const Twine &message) {
  refuse(primitive ? toString(*primitive) + ": " + message : message);
  return failure();
}

std::string LayoutBuilder::describeDim(int64_t dim) {
  return "dim " + std::to_string(dim) + " of size " + print(getSize(dim));
}

LogicalResult LayoutBuilder::demand(AffineExpr expr, bool isEquality, const Twine &reason) {
  if (std::optional<int64_t> constant = getConstant(expr))
    return (isEquality ? *constant == 0 : *constant >= 0) ? success() : fail(reason);
  SizeCondition condition = {expr, isEquality, toString(*primitive) + ": " + reason.str()};
  if (!llvm::is_contained(layout.conditions, condition))
    layout.conditions.push_back(condition);
  return success();
}

void LayoutBuilder::undoByNothing(const Twine &why) {
  undoBy(Primitive());
  if (layout.whyNotInvertible.empty())
    layout.whyNotInvertible = toString(*primitive) + ": " + why.str();
}

/// Multiplies the growth by `cells` / `elements`.
void LayoutBuilder::grow(AffineExpr cells, AffineExpr elements) {
  if (cells == elements || !layout.growth)
    return;
  std::optional<int64_t> above = getConstant(cells), below = getConstant(elements);
  if (!above || !below || sizes.hasOverflowed()) {
    layout.growth = std::nullopt;
    return;
  }
  // Common divisors are removed first, so that the products stay as small as possible.
  auto reduce = [](int64_t &a, int64_t &b) {
    int64_t divisor = std::gcd(a, b);
    a /= divisor;
    b /= divisor;
  };
  Growth &growth = *layout.growth;
  reduce(*above, *below);
  reduce(growth.cells, *below);
  reduce(*above, growth.elements);
  bool overflow = llvm::MulOverflow(growth.cells, *above, growth.cells);
  overflow |= llvm::MulOverflow(growth.elements, *below, growth.elements);
  if (overflow)
    layout.growth = std::nullopt;
}

void LayoutBuilder::replaceDims(int64_t count, ArrayRef<DigitList> by) {
  dims.erase(dims.begin() + primitive->dim, dims.begin() + primitive->dim + count);
  dims.insert(dims.begin() + primitive->dim, by.begin(), by.end());
}

/// Checks that the product of the constant sizes fits in 64 bits.
LogicalResult LayoutBuilder::checkSizes() {
  AffineExpr cells = sizes.constant(1);
  for (size_t dim = 0; dim < dims.size(); ++dim)
    if (AffineExpr size = getSize(dim); getConstant(size))
      cells = sizes.multiply(cells, size);
  if (sizes.hasOverflowed())
    return primitive ? fail("the number of cells does not fit in 64 bits")
                     : fail("expected a number of elements that fits in 64 bits for a layout");
  return success();
}

LogicalResult LayoutBuilder::start(ArrayRef<AffineExpr> shape) {
  const LayoutMap &map = layout.map;
  if (shape.size() > static_cast<size_t>(LayoutMap::kMaxRank))
    return fail("expected a tensor of at most 64 dims for a layout, got " + Twine(shape.size()));
  if (map.getRank() && *map.getRank() != static_cast<int64_t>(shape.size()))
    return fail("expected a tensor of " + Twine(*map.getRank()) + " dims for the layout, got " +
                Twine(shape.size()));
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (getConstant(size).value_or(1) < 1)
      return fail("expected sizes of at least 1 for a layout, got " + print(size) + " in dim " +
                  Twine(dim));
    Number number;
    number.extent = size;
    number.dim = dim;
    dims.push_back(numbers.getWhole(numbers.add(number)));
  }
  return checkSizes();
}

LogicalResult LayoutBuilder::apply(const Primitive &next) {
  primitive = &next;
  int64_t rank = dims.size(), end = next.dim + next.getNumDimsBefore();
  if (next.kind == Kind::Reorder && end != rank)
    return fail("expected all " + Twine(rank) + " dims, got " + Twine(end));
  if (end > rank)
    return fail("dim " + Twine(end - 1) + " does not exist: the tensor has " + Twine(rank) +
                " dims there");
  auto run = [&] {
    switch (next.kind) {
    case Kind::Split:
      return split();
    case Kind::Reorder:
      return reorder();
    case Kind::Fuse:
      return fuse();
    case Kind::Pad:
      return pad();
    case Kind::PadTo:
      return padTo();
    case Kind::Unpad:
      return unpad();
    case Kind::Unfold:
      return unfold();
    case Kind::Fold:
      return fold();
    }
    return success();
  };
  if (failed(run()))
    return failure();
  return checkSizes();
}

//===----------------------------------------------------------------------===//
// split, reorder, fuse
//===----------------------------------------------------------------------===//

LogicalResult LayoutBuilder::split() {
  AffineExpr size = getSize(primitive->dim), product = sizes.constant(1);
  bool hasRemainder = false;
  for (int64_t factor : primitive->values) {
    hasRemainder |= factor == Primitive::kRemainder;
    if (factor != Primitive::kRemainder)
      product = sizes.multiply(product, sizes.constant(factor));
  }
  if (sizes.hasOverflowed())
    return fail("the product of the factors does not fit in 64 bits");
  std::string dim = describeDim(primitive->dim);
  LogicalResult fits =
      hasRemainder ? (size.isMultipleOf(*getConstant(product))
                          ? success()
                          : demand(size % product, true,
                                   print(product) + " does not divide " + dim + ": pad it first"))
                   : demand(sizes.subtract(size, product), true,
                            "the factors multiply to " + print(product) + ", not to " + dim);
  if (failed(fits))
    return failure();
  SmallVector<AffineExpr> extents;
  for (int64_t factor : primitive->values)
    extents.push_back(factor == Primitive::kRemainder ? size.floorDiv(product)
                                                      : sizes.constant(factor));
  replaceDims(1, numbers.cut(dims[primitive->dim], extents, sizes));
  if (primitive->values.size() == 1)
    undoBy(Primitive::split(primitive->dim, {Primitive::kRemainder}));
  else
    undoBy(Primitive::fuse(primitive->dim, primitive->values.size()));
  return success();
}

LogicalResult LayoutBuilder::reorder() {
  SmallVector<DigitList> reordered;
  SmallVector<int64_t> inverse(dims.size());
  for (auto [to, from] : llvm::enumerate(primitive->values)) {
    reordered.push_back(dims[from]);
    inverse[from] = to;
  }
  dims = reordered;
  undoBy(Primitive::reorder(inverse));
  return success();
}

LogicalResult LayoutBuilder::fuse() {
  DigitList fused;
  SmallVector<int64_t> factors;
  for (int64_t dim = primitive->dim; dim < primitive->dim + value(0); ++dim) {
    factors.push_back(getConstant(getSize(dim)).value_or(Primitive::kRemainder));
    fused.append(dims[dim]);
  }
  replaceDims(value(0), numbers.normalize(fused));
  if (llvm::count(factors, Primitive::kRemainder) > 1)
    undoByNothing("cannot be undone, since more than one of the sizes is dynamic");
  else
    undoBy(Primitive::split(primitive->dim, factors));
  return success();
}

//===----------------------------------------------------------------------===//
// pad, unpad
//===----------------------------------------------------------------------===//

/// Returns `list`, which has `size` cells, padded to `padded` cells: `low` new cells come before
/// it, and the others after it.
DigitList LayoutBuilder::makePadded(DigitList list, int64_t low, AffineExpr size,
                                    AffineExpr padded) {
  grow(padded, size);
  if (size == padded)
    return list;
  Number number;
  number.kind = Number::Kind::Pad;
  number.extent = padded;
  number.of = list;
  number.ofExtent = size;
  number.low = low;
  if (std::optional<unsigned> whole = numbers.findWhole(list);
      whole && numbers[*whole].kind == Number::Kind::Pad) {
    number = numbers[*whole];
    number.extent = padded;
    number.low += low; // in range: less than `padded`, or refused by checkSizes
  }
  return numbers.getWhole(numbers.add(number));
}

LogicalResult LayoutBuilder::pad() {
  AffineExpr size = getSize(primitive->dim);
  AffineExpr padded =
      sizes.add(sizes.add(size, sizes.constant(value(0))), sizes.constant(value(1)));
  if (sizes.hasOverflowed())
    return fail("the size of " + describeDim(primitive->dim) + ", padded, does not fit in 64 bits");
  replaceDims(1, makePadded(dims[primitive->dim], value(0), size, padded));
  undoBy(Primitive::unpad(primitive->dim, value(0), value(1)));
  return success();
}

LogicalResult LayoutBuilder::padTo() {
  AffineExpr size = getSize(primitive->dim), padded = sizes.roundUp(size, value(0));
  if (sizes.hasOverflowed())
    return fail("the size of " + describeDim(primitive->dim) + ", padded, does not fit in 64 bits");
  replaceDims(1, makePadded(dims[primitive->dim], 0, size, padded));
  if (std::optional<int64_t> high = getConstant(padded - size))
    undoBy(Primitive::unpad(primitive->dim, 0, *high));
  else
    undoByNothing("cannot be undone, since the size is dynamic");
  return success();
}

/// Returns `list`, which has `size` cells, without its first `low` and its last `high` cells.
DigitList LayoutBuilder::makeUnpadded(DigitList list, int64_t low, int64_t high, AffineExpr size) {
  AffineExpr left = size - low - high;
  grow(left, size);
  if (size == left)
    return list;
  Number number;
  number.kind = Number::Kind::Unpad;
  number.extent = left;
  number.of = list;
  number.low = low;
  std::optional<unsigned> whole = numbers.findWhole(list);
  if (whole && numbers[*whole].kind == Number::Kind::Unpad) {
    number = numbers[*whole];
    number.extent = left;
    number.low += low; // in range: within the size that was unpadded
  } else if (whole && numbers[*whole].kind == Number::Kind::Pad) {
    const Number &padded = numbers[*whole];
    std::optional<int64_t> after = getConstant(padded.extent - padded.ofExtent - padded.low - high);
    if (padded.low == low && after == 0)
      return padded.of;
    if (padded.low >= low && after && *after >= 0) {
      number = padded;
      number.extent = left;
      number.low -= low;
    }
  }
  return numbers.getWhole(numbers.add(number));
}

LogicalResult LayoutBuilder::unpad() {
  AffineExpr size = getSize(primitive->dim);
  AffineExpr cut = sizes.add(sizes.constant(value(0)), sizes.constant(value(1)));
  AffineExpr left = sizes.subtract(size, cut);
  if (sizes.hasOverflowed())
    return fail("the number of cells to drop does not fit in 64 bits");
  if (failed(demand(sizes.subtract(left, sizes.constant(1)), false,
                    "leaves nothing of " + describeDim(primitive->dim))))
    return failure();
  replaceDims(1, makeUnpadded(dims[primitive->dim], value(0), value(1), size));
  undoBy(Primitive::pad(primitive->dim, value(0), value(1)));
  return success();
}

//===----------------------------------------------------------------------===//
// unfold, fold
//===----------------------------------------------------------------------===//

LogicalResult LayoutBuilder::unfold() {
  AffineExpr size = getSize(primitive->dim);
  int64_t tile = value(0), stride = value(1);
  if (failed(demand(sizes.subtract(size, sizes.constant(tile)), false,
                    "a tile does not fit into " + describeDim(primitive->dim))))
    return failure();
  if (std::optional<int64_t> constant = getConstant(size))
    undoBy(Primitive::fold(primitive->dim, *constant, stride));
  else
    undoByNothing("cannot be undone, since the size is dynamic");
  if (getConstant(size) == tile) {
    replaceDims(1, {DigitList(), dims[primitive->dim]});
    return success();
  }
  if (stride < tile)
    return unfoldOverlapping(size);
  // Tiles that do not overlap are a split of the dim, padded to a multiple of the tile.
  AffineExpr padded = sizes.roundUp(size, tile);
  if (sizes.hasOverflowed())
    return fail("the number of cells does not fit in 64 bits");
  DigitList list = makePadded(dims[primitive->dim], 0, size, padded);
  AffineExpr extents[] = {padded.floorDiv(tile), sizes.constant(tile)};
  replaceDims(1, numbers.cut(list, extents, sizes));
  return success();
}

LogicalResult LayoutBuilder::unfoldOverlapping(AffineExpr size) {
  int64_t tile = value(0), stride = value(1);
  Number number;
  number.kind = Number::Kind::Tile;
  number.of = dims[primitive->dim];
  number.ofExtent = size;
  number.tile = tile;
  number.stride = stride;
  AffineExpr rounded =
      sizes.add(sizes.subtract(size, sizes.constant(tile)), sizes.constant(stride - 1));
  number.extent = sizes.add(rounded.floorDiv(stride), sizes.constant(1));
  grow(sizes.multiply(number.extent, sizes.constant(tile)), size);
  DigitList tiles = numbers.getWhole(numbers.add(number));
  number.kind = Number::Kind::Offset;
  number.extent = sizes.constant(tile);
  DigitList offsets = numbers.getWhole(numbers.add(number));
  replaceDims(1, {tiles, offsets});
  return success();
}

/// Checks that `tiles` and `tile` are the number and the size of the tiles that unfolding a dim of
/// the fold's size gives.
LogicalResult LayoutBuilder::checkFold(AffineExpr tiles, AffineExpr tile) {
  int64_t size = value(0), stride = value(1);
  std::optional<int64_t> numTiles = getConstant(tiles), length = getConstant(tile);
  if (!numTiles || !length)
    return fail("expected tiles of constant number and size, got " + describeDim(primitive->dim) +
                " and " + describeDim(primitive->dim + 1));
  if (stride > *length || *length > size)
    return fail("expected a tile of at least " + Twine(stride) + " and at most " + Twine(size) +
                ", got " + describeDim(primitive->dim + 1));
  int64_t expected = llvm::divideCeil(uint64_t(size - *length), uint64_t(stride)) + 1;
  if (*numTiles != expected)
    return fail("expected " + Twine(expected) + " tiles, got " + describeDim(primitive->dim));
  return success();
}

/// If the two lists are the tiles and the offsets of one unfold that the fold undoes, returns the
/// index of its Tile in the table; otherwise nothing.
std::optional<unsigned> LayoutBuilder::findUnfolded(ArrayRef<Digit> tiles,
                                                    ArrayRef<Digit> offsets) {
  std::optional<unsigned> tile = numbers.findWhole(tiles), offset = numbers.findWhole(offsets);
  if (!tile || !offset || *offset != *tile + 1 || numbers[*tile].kind != Number::Kind::Tile)
    return std::nullopt;
  const Number &number = numbers[*tile];
  if (number.stride != value(1) || getConstant(number.ofExtent) != value(0))
    return std::nullopt;
  return tile;
}

DigitList LayoutBuilder::makeFolded(DigitList tiles, DigitList offsets, int64_t tile) {
  int64_t size = value(0), stride = value(1);
  if (std::optional<unsigned> unfolded = findUnfolded(tiles, offsets))
    return numbers[*unfolded].of;
  if (size == tile || stride == tile) {
    DigitList fused = tiles;
    fused.append(offsets);
    AffineExpr padded = sizes.roundUp(sizes.constant(size), tile);
    return makeUnpadded(numbers.normalize(fused), 0, *getConstant(padded) - size, padded);
  }
  Number number;
  number.kind = Number::Kind::Fold;
  number.extent = sizes.constant(size);
  number.of = tiles;
  number.offset = offsets;
  number.tile = tile;
  number.stride = stride;
  return numbers.getWhole(numbers.add(number));
}

LogicalResult LayoutBuilder::fold() {
  AffineExpr tiles = getSize(primitive->dim), tile = getSize(primitive->dim + 1);
  if (failed(checkFold(tiles, tile)))
    return failure();
  int64_t length = *getConstant(tile);
  if (length > value(1) && length < value(0))
    grow(sizes.constant(value(0)), sizes.multiply(tiles, tile));
  replaceDims(2, makeFolded(dims[primitive->dim], dims[primitive->dim + 1], length));
  undoBy(Primitive::unfold(primitive->dim, length, value(1)));
  return success();
}

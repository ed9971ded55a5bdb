//===- LayoutReference.cpp - layouts by moving elements -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutReference.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tssa::layout;

using Kind = Primitive::Kind;

int64_t tssa::layout::countIndexes(ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

void tssa::layout::forEachIndex(ArrayRef<int64_t> shape,
                                llvm::function_ref<void(ArrayRef<int64_t>)> fn) {
  std::vector<int64_t> index(shape.size(), 0);
  for (int64_t i = 0, end = countIndexes(shape); i < end; ++i) {
    fn(index);
    for (size_t dim = shape.size(); dim-- > 0;) {
      if (++index[dim] < shape[dim])
        break;
      index[dim] = 0;
    }
  }
}

static int64_t linearize(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  int64_t linear = 0;
  for (auto [i, size] : llvm::zip_equal(index, shape))
    linear = linear * size + i;
  return linear;
}

//===----------------------------------------------------------------------===//
// Moving elements
//===----------------------------------------------------------------------===//

Cells::Cells(ArrayRef<int64_t> shape) : shape(shape.vec()), elements(countIndexes(shape)) {
  std::iota(elements.begin(), elements.end(), 0);
}

/// Gives the cells another shape. `source` turns the index of a new cell into that of an old
/// one; where that does not exist, there is no element.
void Cells::fill(std::vector<int64_t> newShape, Source source) {
  std::vector<int64_t> filled;
  forEachIndex(newShape, [&](ArrayRef<int64_t> cell) {
    std::vector<int64_t> old = cell.vec();
    source(old);
    bool exists = llvm::all_of(llvm::zip_equal(old, shape), [](auto pair) {
      return std::get<0>(pair) >= 0 && std::get<0>(pair) < std::get<1>(pair);
    });
    filled.push_back(exists ? elements[linearize(old, shape)] : -1);
  });
  shape = std::move(newShape);
  elements = std::move(filled);
}

/// The factors of a split of `size`, with a number in place of `*`.
static std::vector<int64_t> fillInRemainder(ArrayRef<int64_t> values, int64_t size) {
  std::vector<int64_t> factors = values.vec();
  int64_t known = 1;
  for (int64_t factor : factors)
    known *= factor == Primitive::kRemainder ? 1 : factor;
  llvm::replace(factors, Primitive::kRemainder, size / known);
  return factors;
}

void Cells::apply(const Primitive &primitive) {
  int64_t k = primitive.dim;
  ArrayRef<int64_t> values = primitive.values;
  std::vector<int64_t> next = shape;
  auto replace = [&](int64_t count, ArrayRef<int64_t> by) {
    next.erase(next.begin() + k, next.begin() + k + count);
    next.insert(next.begin() + k, by.begin(), by.end());
  };
  switch (primitive.kind) {
  case Kind::Split:
    replace(1, fillInRemainder(values, shape[k]));
    shape = next;
    return;
  case Kind::Fuse:
    replace(values[0], countIndexes(ArrayRef(shape).slice(k, values[0])));
    shape = next;
    return;
  case Kind::Reorder:
    for (auto [to, from] : llvm::enumerate(values))
      next[to] = shape[from];
    return fill(next, [&](std::vector<int64_t> &index) {
      std::vector<int64_t> cell = index;
      for (auto [to, from] : llvm::enumerate(values))
        index[from] = cell[to];
      return 0;
    });
  case Kind::Pad:
    next[k] += values[0] + values[1];
    return fill(next, [&](std::vector<int64_t> &index) { return index[k] -= values[0]; });
  case Kind::PadTo:
    next[k] = llvm::alignTo(next[k], values[0]);
    return fill(next, [&](std::vector<int64_t> &) { return 0; });
  case Kind::Unpad:
    next[k] -= values[0] + values[1];
    return fill(next, [&](std::vector<int64_t> &index) { return index[k] += values[0]; });
  case Kind::Unfold:
    replace(1, {int64_t(llvm::divideCeil(shape[k] - values[0], values[1])) + 1, values[0]});
    return fill(next, [&](std::vector<int64_t> &index) {
      index[k] = index[k] * values[1] + index[k + 1];
      index.erase(index.begin() + k + 1);
      return 0;
    });
  case Kind::Fold: {
    int64_t tile = shape[k + 1];
    replace(2, values[0]);
    return fill(next, [&](std::vector<int64_t> &index) {
      int64_t x = index[k], t = 0;
      while (x - t * values[1] >= tile)
        ++t;
      index[k] = t;
      index.insert(index.begin() + k + 1, x - t * values[1]);
      return 0;
    });
  }
  }
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

int64_t tssa::layout::evaluate(AffineExpr expr, ArrayRef<int64_t> dims, ArrayRef<int64_t> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = evaluate(binary.getLHS(), dims, symbols);
  int64_t rhs = evaluate(binary.getRHS(), dims, symbols);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::Mod:
    return llvm::mod(lhs, rhs);
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(lhs, rhs);
  default:
    return llvm::divideCeilSigned(lhs, rhs);
  }
}

std::optional<std::vector<int64_t>> tssa::layout::evaluate(const GuardedIndex &index,
                                                           ArrayRef<int64_t> dims,
                                                           ArrayRef<int64_t> symbols) {
  for (AffineExpr expr : index.guard)
    if (evaluate(expr, dims, symbols) < 0)
      return std::nullopt;
  std::vector<int64_t> values;
  for (AffineExpr expr : index.index)
    values.push_back(evaluate(expr, dims, symbols));
  return values;
}

SmallVector<AffineExpr> tssa::layout::makeDims(MLIRContext *context, size_t count, size_t first) {
  SmallVector<AffineExpr> dims;
  for (size_t i = 0; i < count; ++i)
    dims.push_back(getAffineDimExpr(first + i, context));
  return dims;
}

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

bool tssa::layout::hasUnpad(const LayoutMap &map) {
  return llvm::any_of(map.getPrimitives(),
                      [](const Primitive &primitive) { return primitive.kind == Kind::Unpad; });
}

namespace {
class LawCheck {
public:
  LawCheck(const TensorLayout &layout, const Cells &cells, ArrayRef<int64_t> shape,
           ArrayRef<int64_t> symbols)
      : layout(layout), cells(cells), shape(shape), symbols(symbols),
        context(layout.getPhysicalShape().empty() ? nullptr
                                                  : layout.getPhysicalShape()[0].getContext()),
        cellsOf(countIndexes(shape)) {
    for (auto [i, element] : llvm::enumerate(cells.elements))
      if (element >= 0)
        cellsOf[element].push_back(i);
  }

  void run() {
    for (auto [size, expected] : llvm::zip_equal(layout.getPhysicalShape(), cells.shape))
      EXPECT_EQ(evaluate(size, {}, symbols), expected);
    checkElements();
    checkCanonicalCells();
    checkCopies();
    checkGrowth();
  }

private:
  std::optional<int64_t> findOnly(ArrayRef<GuardedIndex> cases, ArrayRef<int64_t> dims,
                                  ArrayRef<int64_t> of) {
    std::optional<int64_t> found;
    for (const GuardedIndex &each : cases) {
      std::optional<std::vector<int64_t>> index = evaluate(each, dims, symbols);
      if (!index)
        continue;
      EXPECT_FALSE(found) << "two cases hold";
      for (auto [i, size] : llvm::zip_equal(*index, of)) {
        EXPECT_GE(i, 0);
        EXPECT_LT(i, size);
      }
      found = linearize(*index, of);
    }
    return found;
  }

  void checkElements() {
    auto cases = layout.getElement(makeDims(context, cells.shape.size()));
    int64_t cell = 0;
    forEachIndex(cells.shape, [&](ArrayRef<int64_t> index) {
      EXPECT_EQ(findOnly(cases, index, shape).value_or(-1), cells.elements[cell++]);
    });
  }

  void checkCanonicalCells() {
    auto cases = layout.getCell(makeDims(context, shape.size()));
    int64_t element = 0;
    forEachIndex(shape, [&](ArrayRef<int64_t> index) {
      std::optional<int64_t> cell = findOnly(cases, index, cells.shape);
      // Of several cells, the canonical one may be dropped.
      if (!cell) {
        EXPECT_TRUE(hasUnpad(layout.getMap()));
        EXPECT_TRUE(cellsOf[element].empty() || !layout.getCopyCounts().empty());
      }
      if (cell) {
        EXPECT_EQ(cells.elements[*cell], element);
      }
      ++element;
    });
  }

  void checkCopies() {
    std::vector<int64_t> box(shape.begin(), shape.end());
    llvm::append_range(box, layout.getCopyCounts());
    size_t copies = layout.getCopyCounts().size();
    GuardedIndex copy =
        layout.getCopy(makeDims(context, shape.size()), makeDims(context, copies, shape.size()));
    std::vector<std::vector<int64_t>> found(cellsOf.size());
    forEachIndex(box, [&](ArrayRef<int64_t> index) {
      if (std::optional<int64_t> cell = findOnly(copy, index, cells.shape))
        found[linearize(index.drop_back(copies), shape)].push_back(*cell);
    });
    for (std::vector<int64_t> &each : found)
      llvm::sort(each);
    EXPECT_EQ(found, cellsOf);
  }

  void checkGrowth() {
    int64_t numCells = cells.elements.size(), numElements = cellsOf.size();
    if (std::optional<Growth> growth = layout.getGrowth()) {
      EXPECT_EQ(growth->cells * numElements, growth->elements * numCells);
    } else {
      EXPECT_FALSE(symbols.empty());
    }
    bool isPermutation =
        numCells == numElements && llvm::all_of(cellsOf, [](auto &of) { return of.size() == 1; });
    if (layout.isBijective()) {
      EXPECT_TRUE(isPermutation);
    }
    if (layout.isIdentity()) {
      EXPECT_EQ(cells, Cells(shape));
    }
    if (symbols.empty() && !hasUnpad(layout.getMap())) {
      EXPECT_EQ(layout.isBijective(), isPermutation);
    }
  }

  const TensorLayout &layout;
  const Cells &cells;
  ArrayRef<int64_t> shape, symbols;
  MLIRContext *context;
  std::vector<std::vector<int64_t>> cellsOf;
};
} // namespace

void tssa::layout::checkLaws(const TensorLayout &layout, const Cells &cells,
                             ArrayRef<int64_t> shape, ArrayRef<int64_t> symbols) {
  LawCheck(layout, cells, shape, symbols).run();
}

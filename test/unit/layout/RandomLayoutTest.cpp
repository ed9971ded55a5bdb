//===- RandomLayoutTest.cpp - the laws of layouts, at random -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutReference.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>
#include <random>

using namespace mlir;
using namespace mlir::tssa::layout;

using Kind = Primitive::Kind;

namespace {

class RandomLayoutTest : public ::testing::Test {
protected:
  int64_t below(int64_t bound) {
    return std::uniform_int_distribution<int64_t>(0, bound - 1)(random);
  }

  std::vector<int64_t> makeShape() {
    std::vector<int64_t> shape(1 + below(4));
    do
      for (int64_t &size : shape)
        size = 1 + below(8);
    while (countIndexes(shape) > 120);
    return shape;
  }

  int64_t makeDivisor(int64_t size) {
    int64_t divisor = 1 + below(size);
    return size % divisor == 0 ? divisor : 1;
  }

  std::vector<int64_t> makeOrder(int64_t rank) {
    std::vector<int64_t> order(rank);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    return order;
  }

  Primitive makeSplit(int64_t dim, int64_t size) {
    int64_t inner = makeDivisor(size), middle = makeDivisor(size / inner);
    std::vector<int64_t> factors = {size / inner / middle, middle, inner};
    if (below(4))
      factors[below(3)] = Primitive::kRemainder;
    return Primitive::split(dim, factors);
  }

  /// A primitive that fits `shape`.
  Primitive make(ArrayRef<int64_t> shape) {
    int64_t rank = shape.size(), k = below(rank), size = shape[k];
    switch (below(9)) {
    case 0:
    case 1:
      return makeSplit(k, size);
    case 2:
      return Primitive::reorder(makeOrder(rank));
    case 3:
    case 4:
      return k + 1 < rank ? Primitive::fuse(k, 2 + below(rank - k - 1)) : makeSplit(k, size);
    case 5:
      return Primitive::pad(k, below(3), below(3));
    case 6:
      return Primitive::padTo(k, 1 + below(6));
    case 7:
      return size > 2 ? Primitive::unpad(k, below(2), below(2)) : Primitive::pad(k, 0, 0);
    default: {
      int64_t tile = 1 + below(size);
      return Primitive::unfold(k, tile, 1 + below(tile));
    }
    }
  }

  /// A list that fits, and the cells after it; no more of them than can be looked at.
  LayoutMap makeList(Cells &cells) {
    SmallVector<Primitive> primitives;
    for (int64_t length = below(7); length > 0; --length) {
      Primitive next = make(cells.shape);
      Cells after = cells;
      after.apply(next);
      if (after.elements.size() > 400 || after.shape.size() > 8)
        continue;
      cells = after;
      primitives.push_back(next);
    }
    FailureOr<LayoutMap> map = LayoutMap::get(primitives, messages.take());
    EXPECT_TRUE(succeeded(map)) << messages.last;
    return *map;
  }

  /// Any primitive, with numbers that are small, and sometimes as large as can be.
  Primitive makeWild() {
    auto number = [&]() -> int64_t {
      constexpr int64_t large[] = {INT64_MIN, INT64_MIN + 1, -2,           -1,        0,
                                   1 << 16,   1ll << 31,     3037000500ll, 1ll << 62, INT64_MAX};
      return below(4) ? below(9) : large[below(std::size(large))];
    };
    Primitive primitive;
    primitive.kind = static_cast<Kind>(below(8));
    primitive.dim = below(3) ? below(3) : number();
    bool isList = primitive.kind == Kind::Split || primitive.kind == Kind::Reorder;
    bool isOne = primitive.kind == Kind::Fuse || primitive.kind == Kind::PadTo;
    int64_t count = isList ? 1 + below(3) : isOne ? 1 : 2;
    if (primitive.kind == Kind::Reorder)
      primitive.dim = 0;
    for (int64_t i = 0; i < count; ++i)
      primitive.values.push_back(primitive.kind == Kind::Reorder ? below(count) : number());
    return primitive;
  }

  /// Whether a list that fits never has more cells than can be looked at.
  bool isSmall(ArrayRef<Primitive> primitives, ArrayRef<int64_t> shape) {
    for (size_t length = 0; length <= primitives.size(); ++length) {
      FailureOr<LayoutMap> map = LayoutMap::get(primitives.take_front(length), messages.take());
      auto layout = TensorLayout::get(*map, shape, &context, messages.take());
      int64_t cells = 1;
      for (int64_t size : layout->getPhysicalTypeShape()) {
        EXPECT_GE(size, 1) << *map;
        EXPECT_FALSE(llvm::MulOverflow(cells, size, cells)) << *map;
      }
      if (cells > 400)
        return false;
    }
    return true;
  }

  std::mt19937_64 random{20261123};
  MLIRContext context;
  Messages messages;
};

TEST_F(RandomLayoutTest, Laws) {
  for (int i = 0; i < 10000; ++i) {
    std::vector<int64_t> shape = makeShape();
    Cells cells(shape);
    LayoutMap map = makeList(cells);
    FailureOr<TensorLayout> layout = TensorLayout::get(map, shape, &context, messages.take());
    ASSERT_TRUE(succeeded(layout)) << map << messages.last;
    checkLaws(*layout, cells, shape);
    std::string text;
    llvm::raw_string_ostream(text) << map;
    EXPECT_EQ(*LayoutMap::parse(text, messages.take()), map);
    EXPECT_EQ(*LayoutMap::fromIntegers(map.toIntegers(), messages.take()), map);
    ASSERT_FALSE(HasFailure()) << "list " << i << ": " << map;
  }
}

/// Applying a composition is applying one map after the other, and so are its index expressions.
TEST_F(RandomLayoutTest, Composition) {
  for (int i = 0; i < 2000; ++i) {
    std::vector<int64_t> shape = makeShape();
    Cells cells(shape);
    LayoutMap first = makeList(cells);
    std::vector<int64_t> between = cells.shape;
    LayoutMap second = makeList(cells);
    auto apply = [&](const LayoutMap &map, ArrayRef<int64_t> to) {
      FailureOr<TensorLayout> layout = TensorLayout::get(map, to, &context, messages.take());
      EXPECT_TRUE(succeeded(layout)) << map << messages.last;
      return *layout;
    };
    FailureOr<LayoutMap> both = LayoutMap::compose(first, second, messages.take());
    if (failed(both)) {
      EXPECT_NE(messages.last.find("at most 6 unfolds"), std::string::npos) << messages.last;
      continue;
    }
    TensorLayout whole = apply(*both, shape), a = apply(first, shape), b = apply(second, between);
    checkLaws(whole, cells, shape);
    auto lookUp = [](ArrayRef<GuardedIndex> cases, ArrayRef<int64_t> at) {
      for (const GuardedIndex &each : cases)
        if (auto index = evaluate(each, at))
          return *index;
      return std::vector<int64_t>();
    };
    auto wholeElement = whole.getElement(makeDims(&context, cells.shape.size()));
    auto elementA = a.getElement(makeDims(&context, between.size()));
    auto elementB = b.getElement(makeDims(&context, cells.shape.size()));
    forEachIndex(cells.shape, [&](ArrayRef<int64_t> cell) {
      std::vector<int64_t> middle = lookUp(elementB, cell);
      if (!middle.empty())
        middle = lookUp(elementA, middle);
      EXPECT_EQ(lookUp(wholeElement, cell), middle);
    });
    ASSERT_FALSE(HasFailure()) << first << " and " << second;
    if (hasUnpad(*both))
      continue;
    auto wholeCell = whole.getCell(makeDims(&context, shape.size()));
    auto cellA = a.getCell(makeDims(&context, shape.size()));
    auto cellB = b.getCell(makeDims(&context, between.size()));
    forEachIndex(shape, [&](ArrayRef<int64_t> element) {
      EXPECT_EQ(lookUp(wholeCell, element), lookUp(cellB, lookUp(cellA, element)));
    });
    ASSERT_FALSE(HasFailure()) << first << " and " << second;
  }
}

/// A tensor is the same after a map and its inverse, also in the middle of other primitives.
TEST_F(RandomLayoutTest, Inverse) {
  for (int i = 0; i < 3000; ++i) {
    std::vector<int64_t> shape = makeShape();
    Cells cells(shape);
    LayoutMap map = makeList(cells);
    if (hasUnpad(map))
      continue;
    auto layout = TensorLayout::get(map, shape, &context, messages.take());
    FailureOr<LayoutMap> inverse = layout->invert(messages.take());
    ASSERT_TRUE(succeeded(inverse)) << map << messages.last;
    Cells back = cells;
    for (const Primitive &primitive : inverse->getPrimitives())
      back.apply(primitive);
    EXPECT_EQ(back, Cells(shape));
    auto other = TensorLayout::get(*inverse, cells.shape, &context, messages.take());
    ASSERT_TRUE(succeeded(other)) << *inverse << messages.last;
    // Alone, the inverse takes the numbers of the cells of the map for elements.
    Cells numbers(cells.shape);
    for (const Primitive &primitive : inverse->getPrimitives())
      numbers.apply(primitive);
    auto cases = other->getElement(makeDims(&context, shape.size()));
    int64_t cell = 0;
    forEachIndex(shape, [&](ArrayRef<int64_t> index) {
      int holding = 0;
      for (const GuardedIndex &each : cases)
        if (auto found = evaluate(each, index)) {
          int64_t linear = 0;
          for (auto [at, size] : llvm::zip_equal(*found, cells.shape))
            linear = linear * size + at;
          EXPECT_EQ(linear, numbers.elements[cell]);
          ++holding;
        }
      EXPECT_EQ(holding, 1);
      ++cell;
    });
    FailureOr<LayoutMap> both = LayoutMap::compose(map, *inverse, messages.take());
    if (succeeded(both)) {
      EXPECT_TRUE(TensorLayout::get(*both, shape, &context, messages.take())->isIdentity());
    }
    ASSERT_FALSE(HasFailure()) << map;
  }
}

/// Whatever the numbers, a map is refused with the primitive that is wrong, or right.
TEST_F(RandomLayoutTest, WildNumbers) {
  unsigned accepted = 0, refused = 0;
  for (int i = 0; i < 50000; ++i) {
    std::vector<int64_t> shape = makeShape();
    SmallVector<Primitive> primitives;
    for (int64_t length = 1 + below(3); length > 0; --length)
      primitives.push_back(makeWild());
    if (below(50) == 0)
      shape = {below(2) ? INT64_MAX : 1ll << 62};
    messages.last.clear();
    FailureOr<LayoutMap> map = LayoutMap::get(primitives, messages.take());
    FailureOr<TensorLayout> layout = failure();
    if (succeeded(map))
      layout = TensorLayout::get(*map, shape, &context, messages.take());
    if (failed(layout)) {
      bool namesOne = llvm::any_of(primitives, [&](const Primitive &each) {
        return StringRef(messages.last).starts_with(toString(each) + ": ");
      });
      EXPECT_TRUE(namesOne || StringRef(messages.last).starts_with("expected")) << messages.last;
      ++refused;
      continue;
    }
    ++accepted;
    if (!isSmall(primitives, shape))
      continue;
    bool hasFold = llvm::any_of(primitives, [](auto &each) { return each.kind == Kind::Fold; });
    Cells cells(shape);
    for (const Primitive &primitive : primitives)
      cells.apply(primitive);
    if (!hasFold)
      checkLaws(*layout, cells, shape);
    ASSERT_FALSE(HasFailure()) << *map;
  }
  EXPECT_GT(accepted, 2000u);
  EXPECT_GT(refused, 2000u);
}

/// With dynamic sizes there is less to check, but as much that must not overflow.
TEST_F(RandomLayoutTest, WildNumbersOfDynamicShapes) {
  unsigned accepted = 0;
  for (int i = 0; i < 50000; ++i) {
    std::vector<int64_t> shape = makeShape();
    for (int64_t &size : shape)
      if (below(2))
        size = ShapedType::kDynamic;
    SmallVector<Primitive> primitives;
    for (int64_t length = 1 + below(4); length > 0; --length)
      primitives.push_back(makeWild());
    FailureOr<LayoutMap> map = LayoutMap::get(primitives, messages.take());
    if (failed(map))
      continue;
    FailureOr<TensorLayout> layout = TensorLayout::get(*map, shape, &context, messages.take());
    if (failed(layout))
      continue;
    ++accepted;
    SmallVector<AffineExpr> element = makeDims(&context, shape.size());
    size_t rank = layout->getPhysicalShape().size(), copies = layout->getCopyCounts().size();
    for (const GuardedIndex &each : layout->getCell(element))
      EXPECT_EQ(each.index.size(), rank);
    EXPECT_EQ(layout->getCopy(element, makeDims(&context, copies, 10)).index.size(), rank);
    for (const GuardedIndex &each : layout->getElement(makeDims(&context, rank)))
      EXPECT_EQ(each.index.size(), shape.size());
    EXPECT_TRUE(*layout == *layout);
    if (FailureOr<LayoutMap> inverse = layout->invert(messages.take()); succeeded(inverse)) {
      // What undoes a dynamic size may not fit into 64 bits where the size itself does.
      (void)TensorLayout::get(*inverse, layout->getPhysicalShape(), &context, messages.take());
    }
  }
  EXPECT_GT(accepted, 2000u);
}

} // namespace

//===- TensorLayoutTest.cpp - the laws of layouts, by enumeration -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutReference.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <numeric>

using namespace mlir;
using namespace mlir::tssa::layout;

namespace {

constexpr int64_t kRemainder = Primitive::kRemainder;

class TensorLayoutTest : public ::testing::Test {
protected:
  LayoutMap parse(StringRef text) {
    FailureOr<LayoutMap> map = LayoutMap::parse(text, messages.take());
    EXPECT_TRUE(succeeded(map)) << messages.last;
    return succeeded(map) ? *map : LayoutMap();
  }
  LayoutMap list(ArrayRef<Primitive> primitives) {
    FailureOr<LayoutMap> map = LayoutMap::get(primitives, messages.take());
    EXPECT_TRUE(succeeded(map)) << messages.last;
    return succeeded(map) ? *map : LayoutMap();
  }
  TensorLayout apply(const LayoutMap &map, ArrayRef<int64_t> shape) {
    FailureOr<TensorLayout> layout = TensorLayout::get(map, shape, &context, messages.take());
    EXPECT_TRUE(succeeded(layout)) << messages.last;
    return succeeded(layout) ? *layout : *TensorLayout::get({}, shape, &context, messages.take());
  }
  TensorLayout apply(StringRef text, ArrayRef<int64_t> shape) { return apply(parse(text), shape); }

  /// The index expressions, with d0, d1, ... for those of the other end.
  std::string print(ArrayRef<GuardedIndex> cases) {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleave(
        cases, os,
        [&](const GuardedIndex &each) {
          llvm::interleaveComma(each.index, os);
          for (AffineExpr expr : each.guard)
            os << " | " << expr << " >= 0";
        },
        " or ");
    return text;
  }
  std::string printCell(const TensorLayout &layout) {
    return print(layout.getCell(makeDims(&context, layout.getLogicalShape().size())));
  }
  std::string printElement(const TensorLayout &layout) {
    return print(layout.getElement(makeDims(&context, layout.getPhysicalShape().size())));
  }
  void expectRefusal(StringRef text, ArrayRef<int64_t> shape, const std::string &message) {
    EXPECT_TRUE(failed(TensorLayout::get(parse(text), shape, &context, messages.take())));
    EXPECT_EQ(messages.last, message);
  }

  MLIRContext context;
  Messages messages;
};

//===----------------------------------------------------------------------===//
// Enumeration
//===----------------------------------------------------------------------===//

/// The primitives that fit a shape, with small numbers.
std::vector<Primitive> listPrimitives(ArrayRef<int64_t> shape) {
  std::vector<Primitive> all;
  int64_t rank = shape.size();
  for (int64_t k = 0; k < rank; ++k) {
    for (int64_t factor = 1; factor <= shape[k]; ++factor)
      if (shape[k] % factor == 0)
        all.insert(all.end(), {Primitive::split(k, {kRemainder, factor}),
                               Primitive::split(k, {factor, kRemainder}),
                               Primitive::split(k, {factor, shape[k] / factor})});
    for (int64_t count = 2; k + count <= rank; ++count)
      all.push_back(Primitive::fuse(k, count));
    for (auto [low, high] : {std::pair(0, 1), {1, 0}, {2, 1}})
      all.push_back(Primitive::pad(k, low, high));
    for (int64_t multiple : {2, 3, 4})
      all.push_back(Primitive::padTo(k, multiple));
    for (auto [low, high] : {std::pair(0, 1), {1, 0}, {1, 1}})
      if (low + high < shape[k])
        all.push_back(Primitive::unpad(k, low, high));
    for (int64_t tile = 1; tile <= shape[k]; ++tile)
      for (int64_t stride = 1; stride <= tile; ++stride)
        all.push_back(Primitive::unfold(k, tile, stride));
  }
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  while (rank <= 4 && std::next_permutation(order.begin(), order.end()))
    all.push_back(Primitive::reorder(order));
  return all;
}

/// Calls `fn` for all lists of at most `length` primitives that fit `cells`.
void forEachList(const Cells &cells, unsigned length, std::vector<Primitive> &primitives,
                 llvm::function_ref<void(ArrayRef<Primitive>, const Cells &)> fn) {
  fn(primitives, cells);
  if (length == 0)
    return;
  for (const Primitive &primitive : listPrimitives(cells.shape)) {
    Cells next = cells;
    next.apply(primitive);
    primitives.push_back(primitive);
    forEachList(next, length - 1, primitives, fn);
    primitives.pop_back();
  }
}

void forEachList(ArrayRef<int64_t> shape, unsigned length,
                 llvm::function_ref<void(ArrayRef<Primitive>, const Cells &)> fn) {
  std::vector<Primitive> primitives;
  forEachList(Cells(shape), length, primitives, fn);
}

/// A shape, and how long the lists are that are tried on it.
struct SmallShape {
  std::vector<int64_t> shape;
  unsigned length;
};
const SmallShape kSmallShapes[] = {
    {{}, 1},     {{1}, 3},    {{2}, 3},    {{3}, 3},    {{4}, 2},       {{5}, 2},
    {{6}, 2},    {{1, 3}, 2}, {{2, 2}, 2}, {{2, 3}, 2}, {{3, 2}, 2},    {{4, 3}, 2},
    {{5, 4}, 1}, {{6, 6}, 1}, {{7}, 2},    {{12}, 1},   {{2, 1, 3}, 2}, {{2, 3, 2}, 1}};

TEST_F(TensorLayoutTest, LawsOnSmallShapes) {
  unsigned count = 0;
  for (const SmallShape &small : kSmallShapes) {
    const std::vector<int64_t> &shape = small.shape;
    forEachList(shape, small.length, [&](ArrayRef<Primitive> primitives, const Cells &cells) {
      LayoutMap map = list(primitives);
      checkLaws(apply(map, shape), cells, shape);
      ++count;
      if (HasFailure())
        FAIL() << map;
    });
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(count, 20000u);
  RecordProperty("lists", count);
}

TEST_F(TensorLayoutTest, InverseOnSmallShapes) {
  for (const SmallShape &small : kSmallShapes) {
    const std::vector<int64_t> &shape = small.shape;
    forEachList(
        shape, std::min(small.length, 2u), [&](ArrayRef<Primitive> primitives, const Cells &) {
          LayoutMap map = list(primitives);
          if (hasUnpad(map))
            return;
          TensorLayout layout = apply(map, shape);
          FailureOr<LayoutMap> inverse = layout.invert(messages.take());
          ASSERT_TRUE(succeeded(inverse)) << map << messages.last;
          TensorLayout back = apply(*inverse, layout.getPhysicalTypeShape());
          EXPECT_EQ(back.getPhysicalTypeShape(), SmallVector<int64_t>(ArrayRef(shape))) << map;
          FailureOr<LayoutMap> both = LayoutMap::compose(map, *inverse, messages.take());
          EXPECT_TRUE(apply(*both, shape).isIdentity()) << *both;
        });
    ASSERT_FALSE(HasFailure());
  }
}

/// Whether a list has only these kinds.
bool isPermutation(ArrayRef<Primitive> primitives) {
  return llvm::all_of(primitives, [](const Primitive &each) {
    return llvm::is_contained(
        {Primitive::Kind::Split, Primitive::Kind::Reorder, Primitive::Kind::Fuse}, each.kind);
  });
}

TEST_F(TensorLayoutTest, EqualityOnSmallShapes) {
  for (const SmallShape &small : kSmallShapes) {
    const std::vector<int64_t> &shape = small.shape;
    // One layout for each way in which cells can hold elements.
    std::map<std::pair<std::vector<int64_t>, std::vector<int64_t>>, TensorLayout> known;
    std::vector<std::pair<TensorLayout, Cells>> some;
    forEachList(shape, small.length, [&](ArrayRef<Primitive> primitives, const Cells &cells) {
      TensorLayout layout = apply(list(primitives), shape);
      if (some.size() < 60 || primitives.size() < 2)
        some.push_back({layout, cells});
      if (!isPermutation(primitives))
        return;
      auto [entry, isNew] = known.try_emplace({cells.shape, cells.elements}, layout);
      EXPECT_TRUE(isNew || entry->second == layout)
          << entry->second.getMap() << " and " << layout.getMap();
    });
    for (auto &[left, leftCells] : some)
      for (auto &[right, rightCells] : some) {
        EXPECT_TRUE(!(left == right) || leftCells == rightCells)
            << left.getMap() << " and " << right.getMap();
        EXPECT_TRUE(!left.hasSameBytes(right) || leftCells.elements == rightCells.elements)
            << left.getMap() << " and " << right.getMap();
      }
    ASSERT_FALSE(HasFailure());
  }
}

TEST_F(TensorLayoutTest, NormalMapOnSmallShapes) {
  unsigned count = 0;
  for (const SmallShape &small : kSmallShapes) {
    std::map<std::pair<std::vector<int64_t>, std::vector<int64_t>>, LayoutMap> known;
    forEachList(small.shape, std::min(small.length, 2u),
                [&](ArrayRef<Primitive> primitives, const Cells &cells) {
                  TensorLayout layout = apply(list(primitives), small.shape);
                  std::optional<LayoutMap> normal = layout.getNormalMap();
                  if (!normal)
                    return;
                  ++count;
                  EXPECT_EQ(apply(*normal, small.shape), layout)
                      << layout.getMap() << " and " << *normal;
                  EXPECT_LE(normal->isEmpty(), layout.isIdentity());
                  auto entry = known.try_emplace({cells.shape, cells.elements}, *normal).first;
                  EXPECT_EQ(entry->second, *normal);
                });
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(count, 1000u);
}

TEST_F(TensorLayoutTest, NormalMap) {
  auto normalize = [&](StringRef text, ArrayRef<int64_t> shape) {
    std::string printed = "none";
    if (std::optional<LayoutMap> normal = apply(text, shape).getNormalMap()) {
      printed.clear();
      llvm::raw_string_ostream(printed) << *normal;
    }
    return printed;
  };
  EXPECT_EQ(normalize("map<split(1, [4, 16]), reorder(0, 1, 3, 4, 2)>", {1, 64, 56, 56}),
            "map<split(1, [*, 16]), reorder(0, 1, 3, 4, 2)>");
  EXPECT_EQ(normalize("map<split(0, [*, 8]), fuse(0, 1)>", {64, 2}), "map<>");
  EXPECT_EQ(normalize("map<split(1, [*, 1]), fuse(0, 1)>", {64, 2}),
            "map<split(0, [*, 1]), reorder(0, 2, 1), fuse(0, 1)>");
  EXPECT_EQ(normalize("map<split(0, [*, 8]), reorder(1, 0)>", {ShapedType::kDynamic}),
            "map<split(0, [*, 8]), reorder(1, 0)>");
  EXPECT_EQ(normalize("map<pad(0, 1, 0)>", {64}), "none");
}

//===----------------------------------------------------------------------===//
// Worked examples
//===----------------------------------------------------------------------===//

TEST_F(TensorLayoutTest, WorkedExamples) {
  SmallVector<int64_t> shape = {2, 64, 56, 56};
  TensorLayout blocked = apply("map<split(1, [*, 16]), reorder(0, 1, 3, 4, 2)>", shape);
  EXPECT_EQ(blocked.getPhysicalTypeShape(), (SmallVector<int64_t>{2, 4, 56, 56, 16}));
  EXPECT_EQ(printCell(blocked), "d0, d1 floordiv 16, d2, d3, d1 mod 16");
  EXPECT_EQ(printElement(blocked), "d0, d1 * 16 + d4, d2, d3");

  TensorLayout spatial = apply("map<fuse(1, 2, 3), split(1, [*, 4]), reorder(0, 2, 1)>", shape);
  EXPECT_EQ(spatial.getPhysicalTypeShape(), (SmallVector<int64_t>{2, 4, 50176}));
  EXPECT_EQ(printCell(spatial), "d0, d3 mod 4, d1 * 784 + d2 * 14 + d3 floordiv 4");
  EXPECT_EQ(printElement(spatial),
            "d0, d2 floordiv 784, (d2 floordiv 14) mod 56, d1 + (d2 mod 14) * 4");

  TensorLayout recut = apply("map<fuse(2, 3), split(2, [*, 32])>", shape);
  EXPECT_EQ(recut.getPhysicalTypeShape(), (SmallVector<int64_t>{2, 64, 98, 32}));
  EXPECT_EQ(printCell(recut), "d0, d1, (d2 * 7 + d3 floordiv 8) floordiv 4, "
                              "((d2 * 7 + d3 floordiv 8) mod 4) * 8 + d3 mod 8");

  TensorLayout padded = apply("map<pad(1, to 48), split(1, [*, 48])>", shape);
  EXPECT_EQ(padded.getPhysicalTypeShape(), (SmallVector<int64_t>{2, 2, 48, 56, 56}));
  EXPECT_EQ(printCell(padded), "d0, d1 floordiv 48, d1 mod 48, d2, d3");
  EXPECT_EQ(printElement(padded), "d0, d1 * 48 + d2, d3, d4 | -(d1 * 48 + d2) + 63 >= 0");
  EXPECT_EQ(*padded.getGrowth(), (Growth{3, 2}));

  TensorLayout tiles = apply("map<pad(2, 1, 1), unfold(2, 16, 14)>", shape);
  EXPECT_EQ(tiles.getPhysicalTypeShape(), (SmallVector<int64_t>{2, 64, 4, 16, 56}));
  EXPECT_EQ(printElement(tiles),
            "d0, d1, d2 * 14 + d3 - 1, d4 | d2 * 14 + d3 - 1 >= 0 | -(d2 * 14 + d3 - 1) + 55 >= 0");
  EXPECT_EQ(printCell(tiles),
            "d0, d1, 0, d2 + 1, d3 | -(d2 + 1) + 15 >= 0 or d0, d1, (d2 - 15) floordiv "
            "14 + 1, (d2 - 15) mod 14 + 2, d3 | d2 - 15 >= 0");
  EXPECT_EQ(tiles.getCopyCounts(), ArrayRef<int64_t>({2}));
  EXPECT_EQ(*tiles.getGrowth(), (Growth{8, 7}));
}

TEST_F(TensorLayoutTest, CanonicalCellsAreInTheFirstTile) {
  TensorLayout layout = apply("map<unfold(0, 3, 2)>", {5});
  auto cases = layout.getCell(makeDims(&context, 1));
  std::vector<std::vector<int64_t>> expected = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}};
  for (int64_t i = 0; i < 5; ++i)
    for (const GuardedIndex &each : cases)
      if (auto cell = evaluate(each, {i})) {
        EXPECT_EQ(*cell, expected[i]);
      }
}

TEST_F(TensorLayoutTest, OneCellOfEachElement) {
  // Tiles are cut at the first element, or as close to it as tiles overlap.
  for (StringRef map : {"map<pad(0, 1, 1), unfold(0, 6, 4)>", "map<pad(0, 3, 3), unfold(0, 6, 4)>",
                        "map<unfold(0, 4, 2), reorder(1, 0)>", "map<split(0, [*, 4])>"}) {
    TensorLayout layout = apply(map, {12});
    auto index = layout.getCellOfAny(makeDims(&context, 1));
    if (map.contains("reorder")) {
      EXPECT_FALSE(index) << "the last elements are in the last tile only";
      continue;
    }
    ASSERT_TRUE(index) << map.str();
    auto elements = layout.getElement(makeDims(&context, 2));
    for (int64_t i = 0; i < 12; ++i) {
      auto cell = evaluate(GuardedIndex{*index, {}}, {i});
      ASSERT_TRUE(cell);
      EXPECT_EQ(evaluate(elements.front(), *cell), std::vector<int64_t>{i}) << map.str();
    }
  }
}

TEST_F(TensorLayoutTest, Equality) {
  SmallVector<int64_t> shape = {4, 96, 10};
  auto equal = [&](StringRef left, StringRef right) {
    return apply(left, shape) == apply(right, shape);
  };
  EXPECT_TRUE(equal("map<split(1, [*, 4, 8])>", "map<split(1, [3, *]), split(2, [*, 8])>"));
  EXPECT_TRUE(equal("map<split(1, [*])>", "map<>"));
  EXPECT_TRUE(equal("map<reorder(1, 0, 2), split(0, [*, 8])>",
                    "map<split(1, [*, 8]), reorder(1, 2, 0, 3)>"));
  EXPECT_TRUE(equal("map<pad(2, to 8), pad(2, 0, 2)>", "map<pad(2, 0, 8)>"));
  EXPECT_TRUE(equal("map<pad(2, 1, 2), unpad(2, 1, 2)>", "map<>"));
  EXPECT_TRUE(equal("map<unfold(2, 6, 2), fold(2, 10, 2)>", "map<>"));
  EXPECT_TRUE(equal("map<unfold(2, 4, 4)>", "map<pad(2, to 4), split(2, [*, 4])>"));
  EXPECT_TRUE(equal("map<fuse(1, 2), split(1, [*, 64]), fuse(1, 2), split(1, [96, 10])>", "map<>"));
  EXPECT_FALSE(equal("map<split(1, [*, 8])>", "map<split(1, [*, 16])>"));
  EXPECT_FALSE(equal("map<pad(2, 1, 2)>", "map<pad(2, 2, 1)>"));
  EXPECT_FALSE(equal("map<unfold(2, 6, 2)>", "map<unfold(2, 6, 4)>"));
  EXPECT_FALSE(equal("map<unfold(2, 6, 2), fold(2, 10, 3)>", "map<>"));
  EXPECT_FALSE(apply("map<fuse(0, 1)>", {2, 1}) == apply("map<>", {2}));
  EXPECT_TRUE(apply("map<fuse(0, 1)>", shape).hasSameBytes(apply("map<>", shape)));
  EXPECT_TRUE(apply("map<reorder(0, 2, 1)>", {1, 8, 1}).hasSameBytes(apply("map<>", {1, 8, 1})));
  EXPECT_FALSE(apply("map<reorder(0, 2, 1)>", shape).hasSameBytes(apply("map<>", shape)));
}

//===----------------------------------------------------------------------===//
// Dynamic sizes
//===----------------------------------------------------------------------===//

TEST_F(TensorLayoutTest, DynamicSizes) {
  constexpr int64_t kDynamic = ShapedType::kDynamic;
  TensorLayout layout =
      apply("map<pad(1, to 4), split(1, [*, 4]), split(0, [*, 2])>", {kDynamic, kDynamic, 3});
  EXPECT_EQ(layout.getPhysicalTypeShape(), (SmallVector<int64_t>{kDynamic, 2, kDynamic, 4, 3}));
  ASSERT_EQ(layout.getConditions().size(), 1u);
  EXPECT_EQ(layout.getConditions()[0].expr, getAffineSymbolExpr(0, &context) % 2);
  EXPECT_TRUE(layout.getConditions()[0].isEquality);
  EXPECT_EQ(layout.getConditions()[0].reason,
            "split(0, [*, 2]): 2 does not divide dim 0 of size s0: pad it first");
  EXPECT_FALSE(layout.getGrowth());
  EXPECT_EQ(*apply("map<pad(1, 1, 1)>", {kDynamic, 4}).getGrowth(), (Growth{3, 2}));
  EXPECT_TRUE(apply("map<split(0, [4, *]), fuse(0, 1)>", {kDynamic}).isIdentity());

  EXPECT_TRUE(failed(layout.invert(messages.take())));
  EXPECT_EQ(messages.last, "pad(1, to 4): cannot be undone, since the size is dynamic");
  TensorLayout fused = apply("map<reorder(1, 0), fuse(0, 1)>", {kDynamic, 3});
  FailureOr<LayoutMap> inverse = fused.invert(messages.take());
  ASSERT_TRUE(succeeded(inverse));
  EXPECT_EQ(*inverse, parse("map<split(0, [3, *]), reorder(1, 0)>"));
}

/// All lists with dynamic sizes say the same as with the sizes that they turn out to have.
TEST_F(TensorLayoutTest, DynamicSizesOnSmallShapes) {
  unsigned tried = 0;
  for (const SmallShape &small : kSmallShapes) {
    const std::vector<int64_t> &shape = small.shape;
    if (shape.size() > 2)
      continue;
    SmallVector<int64_t> dynamic(shape.size(), ShapedType::kDynamic);
    forEachList(
        shape, std::min(small.length, 2u), [&](ArrayRef<Primitive> primitives, const Cells &cells) {
          LayoutMap map = list(primitives);
          FailureOr<TensorLayout> layout =
              TensorLayout::get(map, dynamic, &context, messages.take());
          ASSERT_TRUE(succeeded(layout)) << map << messages.last;
          for (const SizeCondition &condition : layout->getConditions()) {
            int64_t value = evaluate(condition.expr, {}, shape);
            EXPECT_TRUE(condition.isEquality ? value == 0 : value >= 0) << map << condition.reason;
          }
          checkLaws(*layout, cells, shape, shape);
          ++tried;
          if (HasFailure())
            FAIL() << map;
        });
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(tried, 5000u);
}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

TEST_F(TensorLayoutTest, Refusals) {
  expectRefusal("map<split(1, [*, 16])>", {2, 30},
                "split(1, [*, 16]): 16 does not divide dim 1 of size 30: pad it first");
  expectRefusal("map<split(1, [2, 16])>", {2, 30},
                "split(1, [2, 16]): the factors multiply to 32, not to dim 1 of size 30");
  expectRefusal("map<split(2, [*, 16])>", {2, 30},
                "split(2, [*, 16]): dim 2 does not exist: the tensor has 2 dims there");
  expectRefusal("map<fuse(0, 1), fuse(0, 1)>", {2, 30},
                "fuse(0, 1): dim 1 does not exist: the tensor has 1 dims there");
  expectRefusal("map<reorder(1, 0)>", {2, 30, 4},
                "expected a tensor of 2 dims for the layout, got 3");
  expectRefusal("map<unpad(0, 1, 1)>", {2}, "unpad(0, 1, 1): leaves nothing of dim 0 of size 2");
  expectRefusal("map<unfold(0, 5, 2)>", {4},
                "unfold(0, 5, 2): a tile does not fit into dim 0 of size 4");
  expectRefusal("map<fold(0, 9, 2)>", {3, 4},
                "fold(0, 9, 2): expected 4 tiles, got dim 0 of size 3");
  expectRefusal("map<fold(0, 5, 2)>", {4, 4},
                "fold(0, 5, 2): expected 2 tiles, got dim 0 of size 4");
  expectRefusal("map<fold(0, 3, 2)>", {3, 4},
                "fold(0, 3, 2): expected a tile of at least 2 and at most 3, got dim 1 of size 4");
  expectRefusal("map<fold(0, 3, 2)>", {ShapedType::kDynamic, 4},
                "fold(0, 3, 2): expected tiles of constant number and size, got dim 0 of size s0 "
                "and dim 1 of size 4");
  expectRefusal("map<>", {2, 0}, "expected sizes of at least 1 for a layout, got 0 in dim 1");
  expectRefusal("map<pad(0, 4611686018427387904, 4611686018427387904)>", {2},
                "pad(0, 4611686018427387904, 4611686018427387904): the size of dim 0 of size 2, "
                "padded, does not fit in 64 bits");
  expectRefusal("map<pad(0, to 4611686018427387904)>", {2, 2},
                "pad(0, to 4611686018427387904): the number of cells does not fit in 64 bits");
  expectRefusal("map<split(0, [*, 4611686018427387904, 2])>", {2},
                "split(0, [*, 4611686018427387904, 2]): the product of the factors does not fit in "
                "64 bits");
}

} // namespace

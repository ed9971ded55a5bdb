//===- LayoutMapTest.cpp - lists of layout primitives -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Algebra/LayoutMap.h"
#include "LayoutReference.h"

using namespace mlir;
using namespace mlir::tssa::layout;

namespace {

class LayoutMapTest : public ::testing::Test {
protected:
  void expectRefusal(StringRef text, const std::string &message) {
    EXPECT_TRUE(failed(LayoutMap::parse(text, messages.take()))) << text.str();
    EXPECT_EQ(messages.last, message);
  }
  LayoutMap parse(StringRef text) {
    FailureOr<LayoutMap> map = LayoutMap::parse(text, messages.take());
    EXPECT_TRUE(succeeded(map)) << messages.last;
    return succeeded(map) ? *map : LayoutMap();
  }

  Messages messages;
};

TEST_F(LayoutMapTest, TextRoundTrip) {
  for (StringRef text : {
           "map<>",
           "map<split(1, [*, 16]), reorder(0, 1, 3, 4, 2)>",
           "map<split(0, [4, *, 2]), split(3, [2, 2]), split(0, [*])>",
           "map<fuse(0, 1, 2), pad(0, 1, 2), pad(0, to 16)>",
           "map<unfold(2, 18, 16), fold(2, 50, 16), unpad(2, 0, 3)>",
       }) {
    std::string printed;
    llvm::raw_string_ostream(printed) << parse(text);
    EXPECT_EQ(printed, text.str());
    EXPECT_EQ(*LayoutMap::fromIntegers(parse(text).toIntegers(), messages.take()), parse(text));
  }
  EXPECT_EQ(parse("map< split ( 1 , [ * , 16 ] ) >"), parse("map<split(1,[*,16])>"));
}

TEST_F(LayoutMapTest, Rank) {
  EXPECT_EQ(parse("map<split(1, [*, 16])>").getRank(), std::nullopt);
  EXPECT_EQ(parse("map<split(1, [*, 16]), reorder(0, 1, 3, 4, 2)>").getRank(), 4);
  EXPECT_EQ(parse("map<fuse(1, 2, 3), unfold(0, 2, 2), reorder(0, 2, 1)>").getRank(), 4);
}

TEST_F(LayoutMapTest, Composition) {
  auto compose = [&](const LayoutMap &first, const LayoutMap &second) {
    FailureOr<LayoutMap> both = LayoutMap::compose(first, second, messages.take());
    EXPECT_TRUE(succeeded(both)) << messages.last;
    return succeeded(both) ? *both : LayoutMap();
  };
  LayoutMap a = parse("map<split(1, [*, 16])>"), b = parse("map<reorder(2, 0, 1)>"),
            c = parse("map<fuse(0, 1)>");
  EXPECT_EQ(compose(a, b), parse("map<split(1, [*, 16]), reorder(2, 0, 1)>"));
  EXPECT_EQ(compose(compose(a, b), c), compose(a, compose(b, c)));
  EXPECT_EQ(compose(a, LayoutMap()), a);
  EXPECT_EQ(compose(LayoutMap(), a), a);
  EXPECT_TRUE(failed(LayoutMap::compose(b, parse("map<reorder(1, 0)>"), messages.take())));
  EXPECT_EQ(messages.last, "reorder(1, 0): expected all 3 dims, got 2");
}

TEST_F(LayoutMapTest, RefusedTexts) {
  expectRefusal("", "expected 'map' at character 1 of ''");
  expectRefusal("map", "expected '<' at character 4 of 'map'");
  expectRefusal("map<split(1, [*, 16])> x", "expected the end at character 24 of 'map<split(1, [*, "
                                            "16])> x'");
  expectRefusal("map<swap(1, 2)>", "expected split, reorder, fuse, pad, unpad, unfold or fold, got "
                                   "'swap' at character 9 of 'map<swap(1, 2)>'");
  expectRefusal("map<split(1, 16)>", "expected '[' at character 14 of 'map<split(1, 16)>'");
  expectRefusal("map<split(1, [-1])>",
                "expected factors of at least 1, got -1 at character 17 of 'map<split(1, [-1])>'");
  expectRefusal("map<pad(0, 9223372036854775808, 0)>",
                "expected an integer of 64 bits at character 31 of 'map<pad(0, "
                "9223372036854775808, 0)>'");
  expectRefusal("map<fuse(0, 2)>", "expected adjacent dims in rising order, got 2 after 0 at "
                                   "character 14 of 'map<fuse(0, 2)>'");
  expectRefusal("map<pad(0, to)>", "expected an integer of 64 bits at character 14 of 'map<pad(0, "
                                   "to)>'");
}

TEST_F(LayoutMapTest, RefusedNumbers) {
  expectRefusal("map<split(1, [*, *])>", "split(1, [*, *]): expected at most one factor '*'");
  expectRefusal("map<split(64, [*])>", "split(64, [*]): expected a dim from 0 to 63, got 64");
  expectRefusal("map<split(-1, [*])>", "split(-1, [*]): expected a dim from 0 to 63, got -1");
  expectRefusal("map<reorder(0, 2)>", "reorder(0, 2): expected a permutation of all dims");
  expectRefusal("map<fuse(0)>", "fuse(0): expected 2 to 64 adjacent dims");
  expectRefusal("map<pad(0, -1, 0)>",
                "pad(0, -1, 0): expected the counts of cells to be at least 0");
  expectRefusal("map<unpad(0, 0, -1)>",
                "unpad(0, 0, -1): expected the counts of cells to be at least 0");
  expectRefusal("map<pad(0, to 0)>", "pad(0, to 0): expected a multiple of at least 1");
  expectRefusal("map<unfold(0, 2, 3)>",
                "unfold(0, 2, 3): expected a stride from 1 to the size of a "
                "tile, so that no element is left out");
  expectRefusal("map<fold(0, 4, 0)>", "fold(0, 4, 0): expected a size and a stride of at least 1");
}

TEST_F(LayoutMapTest, RefusedRanks) {
  expectRefusal("map<reorder(1, 0), split(2, [*, 2])>",
                "split(2, [*, 2]): dim 2 does not exist: the tensor has 2 dims there");
  expectRefusal("map<split(2, [*, 2]), reorder(1, 0, 2)>",
                "reorder(1, 0, 2): expected at least 4 dims, got 3");
  expectRefusal("map<split(0, [*, 2, 2]), reorder(1, 0)>",
                "reorder(1, 0): expected at least 3 dims, got 2");
  std::string text = "map<";
  for (int i = 0; i < 64; ++i)
    text += "split(0, [*, 2]), ";
  expectRefusal(text + "split(0, [*, 2])>",
                "expected at most 64 primitives in a layout map, got 65");
  expectRefusal(text + "split(0, [*])>", "expected at most 64 primitives in a layout map, got 65");
  EXPECT_TRUE(failed(LayoutMap::parse(StringRef(text).drop_back(2).str() + ">", messages.take())));
  EXPECT_EQ(messages.last, "split(0, [*, 2]): expected at most 64 dims");
  text = "map<";
  for (int i = 0; i < 6; ++i)
    text += "unfold(0, 2, 1), ";
  expectRefusal(text + "unfold(0, 2, 1)>",
                "unfold(0, 2, 1): expected at most 6 unfolds and folds in a layout map");
}

TEST_F(LayoutMapTest, RefusedIntegers) {
  const std::vector<int64_t> lists[] = {
      {0},        {0, 0},       {0, 0, 1},    {-1, 0, 0},           {8, 0, 0},
      {0, 0, -1}, {0, 0, 2, 4}, {3, 0, 1, 1}, {0, 0, INT64_MAX, 1}, {2, 0, 2, 2, 2}};
  for (const std::vector<int64_t> &list : lists) {
    messages.last.clear();
    EXPECT_TRUE(failed(LayoutMap::fromIntegers(list, messages.take())));
    EXPECT_FALSE(messages.last.empty());
  }
}

} // namespace

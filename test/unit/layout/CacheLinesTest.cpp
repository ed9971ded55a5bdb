//===- CacheLinesTest.cpp - the lines that loops bring into a cache -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/CacheLines.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tssa::layout;

namespace {

constexpr int64_t line = 64;

double countDistinctOf(std::initializer_list<std::pair<int64_t, int64_t>> list) {
  SmallVector<std::pair<int64_t, int64_t>> terms(list);
  return countDistinct(terms);
}

double countLines(const Stream &stream, SmallVector<int64_t> extents) {
  return findTouchedLines(stream, extents, line).count;
}

TEST(CacheLines, DistinctSums) {
  EXPECT_EQ(countDistinctOf({}), 1);
  EXPECT_EQ(countDistinctOf({{1, 3}, {100, 4}}), 12);
  // Windows overlap: 4 rows and 3 taps are 6 positions; at stride 2 they are 9.
  EXPECT_EQ(countDistinctOf({{1, 3}, {1, 4}}), 6);
  EXPECT_EQ(countDistinctOf({{2, 4}, {1, 3}}), 9);
  // A window of three rows of an image, each of six positions.
  EXPECT_EQ(countDistinctOf({{1, 4}, {1, 3}, {56, 3}}), 18);
}

TEST(CacheLines, TouchedLines) {
  Stream matrix{{1024, 1}, 4, false};
  EXPECT_EQ(countLines(matrix, {1, 1}), 1);
  EXPECT_NEAR(countLines(matrix, {1, 32}), 2, 0.01);
  EXPECT_NEAR(countLines(matrix, {8, 32}), 8 * 2, 0.01);
  // Between rows of another length, a vector may lie in two lines.
  Stream odd{{1025, 1}, 4, false};
  EXPECT_NEAR(countLines(odd, {8, 16}), 8 * 1.94, 0.1);
  // Rows that follow each other are one block.
  Stream narrow{{32, 1}, 4, false};
  EXPECT_NEAR(countLines(narrow, {8, 32}), 16, 0.1);
  // In the order of the loops, even columns are dense; the type decides how many fit.
  Stream ordered{{1, 1024}, 8, true};
  EXPECT_EQ(countLines(ordered, {1, 64}), 8);
  Stream invariant{{0, 1}, 4, false};
  EXPECT_EQ(countLines(invariant, {1000, 1}), 1);
}

/// A product of 64 x 256 and 256 x 64 elements in tiles of 4 x 16: dims m, n and k. Rows of the
/// second factor are 112 elements apart, so that they lie in all sets.
struct Product {
  SmallVector<Stream> streams = {{{256, 0, 1}, 4, false}, {{0, 1, 112}, 4, false}};
  SmallVector<int64_t> tile = {4, 16, 1};
  SmallVector<TileLoop> loops = {{2, 256}, {1, 4}, {0, 16}}; // k, n, m

  double count(int64_t bytes) const {
    return findMissedLines(streams, tile, loops, {bytes, 8, line}).count;
  }
};

TEST(CacheLines, AllFits) {
  // Each element comes in once: 64 x 256 elements of each factor, one line after the other.
  EXPECT_NEAR(Product().count(1 << 20), 2 * 64 * 256 / 16, 10);
}

TEST(CacheLines, OuterLoopsBringAgain) {
  // The tile's 256 x 16 of the second factor fit, all of the factor does not: it comes in for each
  // of the sixteen rows of tiles, and the first factor for each column of tiles but where it stays.
  double missed = Product().count(48 << 10);
  EXPECT_GT(missed, 16 * 64 * 256 / 16);
  EXPECT_LT(missed, 17 * 64 * 256 / 16 * 1.1);
  // Nothing fits: each step brings in what it reads.
  EXPECT_GT(Product().count(64), missed);
}

TEST(CacheLines, SetsAreShared) {
  // Sixteen columns of a matrix whose rows are 4096 bytes long: all lines of a column share a set.
  SmallVector<TileLoop> loops = {{0, 64}, {1, 16}}; // rows, then columns
  auto count = [&](int64_t rowElements) {
    Stream matrix{{rowElements, 1}, 4, false};
    return findMissedLines(matrix, {1, 1}, loops, {32 << 10, 8, line}).count;
  };
  EXPECT_NEAR(count(1040), 64, 64);
  EXPECT_GE(count(1024), 64 * 16);
  // Rows of 1024 bytes lie in four sets of eight lines, of which a part is free.
  EXPECT_GE(count(256), 64 * 16);
  Stream column{{1024, 0}, 4, false};
  EXPECT_EQ(findMissedLines(column, {1, 1}, loops, {32 << 10, 8, line}).alone, 16 * 64);
}

} // namespace

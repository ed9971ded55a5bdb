//===- BufferPoolTest.cpp - memory kept between runs ---------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Runtime/BufferPool.h"
#include "gtest/gtest.h"

using namespace tssa::runtime;

namespace {

constexpr uint64_t mebibyte = 1 << 20;

/// Returns the address of a piece of `size` bytes, which is given back at once.
void *visit(GrownPool &pool, uint64_t size) {
  GrownPool::Piece piece;
  EXPECT_TRUE(pool.acquire(size, piece));
  EXPECT_EQ(piece.getSize(), size);
  return piece.getData();
}

TEST(GrownPoolTest, TakesTheSmallestIdlePieceThatFits) {
  GrownPool pool;
  void *places[3];
  {
    GrownPool::Piece pieces[3];
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(pool.acquire((i + 1) * mebibyte, pieces[i]));
      places[i] = pieces[i].getData();
    }
  }
  EXPECT_EQ(visit(pool, mebibyte + 1), places[1]);
  EXPECT_EQ(visit(pool, mebibyte), places[0]);
  EXPECT_EQ(visit(pool, 3 * mebibyte), places[2]);
}

TEST(GrownPoolTest, PiecesInUseAreDistinct) {
  GrownPool pool;
  visit(pool, mebibyte);
  GrownPool::Piece first, second;
  ASSERT_TRUE(pool.acquire(mebibyte, first));
  ASSERT_TRUE(pool.acquire(mebibyte, second));
  EXPECT_NE(first.getData(), second.getData());
}

TEST(GrownPoolTest, IdleMemoryIsBoundedByWhatWasAskedForAtOnce) {
  GrownPool pool;
  visit(pool, 2 * mebibyte);
  EXPECT_EQ(pool.getIdleBytes(), 2 * mebibyte);
  visit(pool, 3 * mebibyte);
  EXPECT_EQ(pool.getIdleBytes(), 5 * mebibyte);
  visit(pool, 4 * mebibyte); // 9 MiB are more than twice 4: the oldest is freed
  EXPECT_EQ(pool.getIdleBytes(), 7 * mebibyte);
  visit(pool, 3 * mebibyte);
  EXPECT_EQ(pool.getIdleBytes(), 7 * mebibyte);
  visit(pool, 1); // small pieces are not kept
  EXPECT_EQ(pool.getIdleBytes(), 7 * mebibyte);
  pool.clear();
  EXPECT_EQ(pool.getIdleBytes(), 0u);
}

TEST(GrownPoolTest, MovesGiveBackOnce) {
  GrownPool pool;
  GrownPool::Piece piece;
  ASSERT_TRUE(pool.acquire(mebibyte, piece));
  void *place = piece.getData();
  GrownPool::Piece moved = std::move(piece);
  EXPECT_EQ(moved.getData(), place);
  moved = GrownPool::Piece();
  EXPECT_EQ(visit(pool, mebibyte), place);
}

TEST(GrownPoolTest, RefusesWhatCannotBeHad) {
  GrownPool pool;
  visit(pool, mebibyte);
  GrownPool::Piece piece;
  EXPECT_FALSE(pool.acquire(uint64_t(INT64_MAX), piece));
  EXPECT_EQ(piece.getSize(), 0u);
  EXPECT_TRUE(pool.acquire(mebibyte, piece)); // though what was idle has been given up
}

} // namespace

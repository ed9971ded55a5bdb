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

/// Returns the address of an allocation of `size` bytes, which is given back at once.
void *visit(DynamicPool &pool, uint64_t size) {
  DynamicPool::Allocation allocation;
  EXPECT_TRUE(pool.acquire(size, allocation));
  EXPECT_EQ(allocation.getSize(), size);
  return allocation.getData();
}

TEST(DynamicPoolTest, TakesTheSmallestIdleAllocationThatFits) {
  DynamicPool pool;
  void *addresses[3];
  {
    DynamicPool::Allocation allocations[3];
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(pool.acquire((i + 1) * mebibyte, allocations[i]));
      addresses[i] = allocations[i].getData();
    }
  }
  EXPECT_EQ(visit(pool, mebibyte + 1), addresses[1]);
  EXPECT_EQ(visit(pool, mebibyte), addresses[0]);
  EXPECT_EQ(visit(pool, 3 * mebibyte), addresses[2]);
}

TEST(DynamicPoolTest, AllocationsInUseAreDistinct) {
  DynamicPool pool;
  visit(pool, mebibyte);
  DynamicPool::Allocation first, second;
  ASSERT_TRUE(pool.acquire(mebibyte, first));
  ASSERT_TRUE(pool.acquire(mebibyte, second));
  EXPECT_NE(first.getData(), second.getData());
}

TEST(DynamicPoolTest, IdleMemoryIsBoundedByWhatWasAskedForAtOnce) {
  DynamicPool pool;
  visit(pool, 2 * mebibyte);
  EXPECT_EQ(pool.getIdleBytes(), 2 * mebibyte);
  visit(pool, 3 * mebibyte);
  EXPECT_EQ(pool.getIdleBytes(), 5 * mebibyte);
  visit(pool, 4 * mebibyte); // 9 MiB are more than twice 4: the oldest is freed
  EXPECT_EQ(pool.getIdleBytes(), 7 * mebibyte);
  visit(pool, 3 * mebibyte);
  EXPECT_EQ(pool.getIdleBytes(), 7 * mebibyte);
  visit(pool, 1); // small allocations are not kept
  EXPECT_EQ(pool.getIdleBytes(), 7 * mebibyte);
  pool.clear();
  EXPECT_EQ(pool.getIdleBytes(), 0u);
}

TEST(DynamicPoolTest, MovesGiveBackOnce) {
  DynamicPool pool;
  DynamicPool::Allocation allocation;
  ASSERT_TRUE(pool.acquire(mebibyte, allocation));
  void *place = allocation.getData();
  DynamicPool::Allocation moved = std::move(allocation);
  EXPECT_EQ(moved.getData(), place);
  moved = DynamicPool::Allocation();
  EXPECT_EQ(visit(pool, mebibyte), place);
}

TEST(DynamicPoolTest, RefusesWhatCannotBeHad) {
  DynamicPool pool;
  visit(pool, mebibyte);
  DynamicPool::Allocation allocation;
  EXPECT_FALSE(pool.acquire(uint64_t(INT64_MAX), allocation));
  EXPECT_EQ(allocation.getSize(), 0u);
  EXPECT_TRUE(pool.acquire(mebibyte, allocation)); // though what was idle has been given up
}

} // namespace

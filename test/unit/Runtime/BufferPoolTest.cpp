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

/// Returns new memory of `size` bytes from `pool`.
Buffer allocate(ResultPool &pool, uint64_t size) {
  Buffer buffer;
  EXPECT_TRUE(pool.allocate(size, buffer));
  EXPECT_EQ(buffer.getSize(), size);
  return buffer;
}

TEST(ResultPoolTest, TakesIdleMemoryOfAboutTheSize) {
  auto pool = std::make_shared<ResultPool>();
  pool->keep(8 * mebibyte);
  void *small, *large;
  {
    Buffer first = allocate(*pool, 4 * mebibyte), second = allocate(*pool, 3 * mebibyte);
    large = first.getData();
    small = second.getData();
  }
  Buffer taken, other;
  EXPECT_FALSE(pool->take(4 * mebibyte + 1, taken)); // too large
  EXPECT_FALSE(pool->take(2 * mebibyte, taken));     // too small
  ASSERT_TRUE(pool->take(3 * mebibyte - 1, taken));
  EXPECT_EQ(taken.getData(), small);
  EXPECT_EQ(taken.getSize(), 3 * mebibyte - 1);
  EXPECT_EQ(pool->getIdleBytes(), 4 * mebibyte);
  EXPECT_FALSE(pool->take(3 * mebibyte, other)); // in use
  ASSERT_TRUE(pool->take(4 * mebibyte, other));
  EXPECT_EQ(other.getData(), large);
  taken = Buffer();
  ASSERT_TRUE(pool->take(3 * mebibyte, taken)); // all of it, though less was used last
  EXPECT_EQ(taken.getData(), small);
}

TEST(ResultPoolTest, FreesTheOldestBeyondWhatIsKept) {
  auto pool = std::make_shared<ResultPool>();
  allocate(*pool, mebibyte);
  EXPECT_EQ(pool->getIdleBytes(), 0u);
  pool->keep(6 * mebibyte);
  pool->keep(mebibyte); // less than before
  allocate(*pool, mebibyte);
  allocate(*pool, 2 * mebibyte);
  allocate(*pool, 3 * mebibyte);
  EXPECT_EQ(pool->getIdleBytes(), 6 * mebibyte);
  allocate(*pool, mebibyte);
  EXPECT_EQ(pool->getIdleBytes(), 6 * mebibyte);
  EXPECT_FALSE(pool->trim(6 * mebibyte));
  EXPECT_TRUE(pool->trim(6 * mebibyte - 1));
  EXPECT_EQ(pool->getIdleBytes(), 4 * mebibyte);
  allocate(*pool, 1); // small buffers are not kept
  EXPECT_EQ(pool->getIdleBytes(), 4 * mebibyte);
}

TEST(ResultPoolTest, MovesGiveBackOnce) {
  auto pool = std::make_shared<ResultPool>();
  pool->keep(4 * mebibyte);
  Buffer buffer = allocate(*pool, mebibyte), moved = std::move(buffer);
  buffer = Buffer();
  EXPECT_EQ(pool->getIdleBytes(), 0u);
  moved = Buffer();
  EXPECT_EQ(pool->getIdleBytes(), mebibyte);
  ASSERT_TRUE(pool->take(mebibyte, buffer));
  ASSERT_TRUE(buffer.allocate(2 * mebibyte)); // which is not from the pool
  EXPECT_EQ(pool->getIdleBytes(), mebibyte);
  buffer = Buffer();
  EXPECT_EQ(pool->getIdleBytes(), mebibyte);
}

TEST(ResultPoolTest, RefusesWhatCannotBeHad) {
  auto pool = std::make_shared<ResultPool>();
  pool->keep(mebibyte);
  allocate(*pool, mebibyte);
  Buffer buffer;
  EXPECT_FALSE(pool->allocate(uint64_t(INT64_MAX), buffer));
  EXPECT_EQ(buffer.getSize(), 0u);
  EXPECT_EQ(pool->getIdleBytes(), 0u); // what was idle has been given up
}

TEST(ResultPoolTest, BuffersMayOutliveTheSession) {
  auto pool = std::make_shared<ResultPool>();
  pool->keep(4 * mebibyte);
  Buffer first = allocate(*pool, mebibyte), second = allocate(*pool, mebibyte);
  pool->close();
  first = Buffer();
  EXPECT_EQ(pool->getIdleBytes(), 0u);
  pool.reset();
  static_cast<char *>(second.getData())[mebibyte - 1] = 1;
}

} // namespace

//===- ScratchPartsTest.cpp ----------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Runtime/ScratchParts.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

using namespace tssa::runtime;

static constexpr uint64_t bytes = ScratchParts::alignment;

TEST(ScratchParts, DifferAndComeBack) {
  alignas(bytes) char memory[3 * bytes];
  ScratchParts parts(memory, 3, bytes);
  std::set<void *> taken{parts.acquire(), parts.acquire(), parts.acquire()};
  EXPECT_EQ(taken, (std::set<void *>{memory, memory + bytes, memory + 2 * bytes}));
  parts.release(memory + bytes);
  EXPECT_EQ(parts.acquire(), memory + bytes);
}

// More threads than parts: no two use a part at once, and all of them get one.
TEST(ScratchParts, ThreadsWait) {
  alignas(bytes) char memory[2 * bytes] = {};
  ScratchParts parts(memory, 2, bytes);
  std::atomic<bool> isShared{false};
  std::vector<std::thread> threads;
  for (int number = 0; number < 5; ++number)
    threads.emplace_back([&, number] {
      for (int i = 0; i < 2000; ++i) {
        int *own = static_cast<int *>(parts.acquire());
        *own = number;
        std::this_thread::yield();
        if (*own != number)
          isShared = true;
        parts.release(own);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_FALSE(isShared);
}

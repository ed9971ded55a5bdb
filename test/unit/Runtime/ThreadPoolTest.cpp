//===- ThreadPoolTest.cpp ------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Runtime/ThreadPool.h"

#include "lib/Runtime/HostCores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <sys/wait.h>
#include <unistd.h>

using namespace tssa::runtime;

/// Checks that each of `n` iterations runs exactly once.
static void expectEachOnce(ThreadPool &pool, int64_t n, int64_t grain) {
  struct Context {
    std::vector<int> hits;
    int64_t grain;
    std::atomic<bool> tooSmall{false};
  } context;
  context.hits.resize(size_t(n));
  context.grain = std::min(grain, n);
  pool.parallelFor(
      n, grain,
      [](void *data, int64_t begin, int64_t end) {
        Context &context = *static_cast<Context *>(data);
        if (end - begin < context.grain)
          context.tooSmall = true;
        for (; begin < end; ++begin)
          ++context.hits[size_t(begin)];
      },
      &context);
  for (int hits : context.hits)
    ASSERT_EQ(hits, 1);
  EXPECT_FALSE(context.tooSmall);
}

TEST(ThreadPool, EveryIterationOnce) {
  for (unsigned threads : {1u, 2u, 3u, 8u}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.getThreadCount(), threads);
    for (int64_t n : {0, 1, 2, 3, 7, 64, 1000})
      for (int64_t grain : {0, 1, 2, 10, 5000})
        expectEachOnce(pool, n, grain);
  }
}

TEST(ThreadPool, ConcurrentCallers) {
  ThreadPool pool(3);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 8; ++caller)
    callers.emplace_back([&pool, caller] {
      for (int i = 0; i < 2000; ++i)
        expectEachOnce(pool, 1 + (i * 7 + caller) % 41, 1);
    });
  for (std::thread &caller : callers)
    caller.join();
}

TEST(ThreadPool, MoreCallersThanPlaces) {
  ThreadPool pool(2);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 40; ++caller)
    callers.emplace_back([&pool] {
      for (int i = 0; i < 100; ++i)
        expectEachOnce(pool, 9, 1);
    });
  for (std::thread &caller : callers)
    caller.join();
}

TEST(ThreadPool, NestedLoops) {
  ThreadPool pool(4);
  struct Context {
    ThreadPool *pool;
    std::atomic<int64_t> sum{0};
  } context{&pool, {}};
  pool.parallelFor(
      10, 1,
      [](void *data, int64_t begin, int64_t end) {
        Context &outer = *static_cast<Context *>(data);
        for (; begin < end; ++begin)
          outer.pool->parallelFor(
              100, 1,
              [](void *data, int64_t begin, int64_t end) {
                static_cast<Context *>(data)->sum += end - begin;
              },
              data);
      },
      &context);
  EXPECT_EQ(context.sum, 1000);
}

/// Records the thread that ran each of n iterations, and the number of chunks.
struct Trace {
  std::vector<std::thread::id> threads;
  std::atomic<int> chunks{0};
  std::chrono::microseconds work{0}; ///< per chunk

  Trace(ThreadPool &pool, int64_t n, int64_t grain, std::chrono::microseconds work)
      : threads(size_t(n)), work(work) {
    pool.parallelFor(
        n, grain,
        [](void *data, int64_t begin, int64_t end) {
          Trace &trace = *static_cast<Trace *>(data);
          ++trace.chunks;
          for (; begin < end; ++begin)
            trace.threads[size_t(begin)] = std::this_thread::get_id();
          std::this_thread::sleep_for(trace.work);
        },
        this);
  }

  bool hasHelp() const {
    return std::any_of(threads.begin(), threads.end(),
                       [](std::thread::id id) { return id != std::this_thread::get_id(); });
  }
};

TEST(ThreadPool, ChunksAreAMultipleOfTheThreads) {
  for (unsigned threads : {2u, 3u, 8u}) {
    ThreadPool pool(threads);
    for (int64_t n = threads; n < 100; ++n)
      for (int64_t grain : {1, 2, 3}) {
        int chunks = Trace(pool, n, grain, {}).chunks;
        if (chunks == 1) // no worker was awake
          continue;
        EXPECT_LE(chunks, n / grain);
        EXPECT_TRUE(chunks < int(threads) || chunks % int(threads) == 0) << chunks;
      }
  }
}

TEST(ThreadPool, EqualLoopsHaveEqualShares) {
  // The chunks sleep, so that the worker has time to start with its own.
  ThreadPool pool(2);
  int alike = 0;
  for (int i = 0; i < 20; ++i) {
    Trace trace(pool, 64, 1, std::chrono::milliseconds(1));
    EXPECT_EQ(trace.threads.front(), std::this_thread::get_id());
    alike += trace.threads[32] != trace.threads[0];
  }
  EXPECT_GE(alike, 15);
}

TEST(ThreadPool, NobodyIsWokenForLittleWork) {
  ThreadPool pool(2);
  auto sleep = [] { std::this_thread::sleep_for(std::chrono::milliseconds(50)); };
  std::chrono::milliseconds work(5);
  sleep();
  EXPECT_FALSE(Trace(pool, 4, 1, work).hasHelp());
  EXPECT_TRUE(Trace(pool, 4000, 1, work).hasHelp());
  sleep();
  if (getQuota() || getAllowedCores().size() < 2)
    return; // Workers would not stay awake.
  // In a run they do not help either, until its loops together are much work.
  ThreadPool::Run run(&pool);
  EXPECT_FALSE(Trace(pool, 4, 1, work).hasHelp());
  bool hasHelp = false;
  for (int i = 0; i < 8; ++i)
    hasHelp |= Trace(pool, 4, 1, work).hasHelp();
  EXPECT_TRUE(hasHelp);
}

TEST(ThreadPool, WorkersSleepWhenARunIsStuck) {
  ThreadPool pool(2);
  ThreadPool::Run run(&pool);
  EXPECT_TRUE(Trace(pool, 1000, 1, std::chrono::milliseconds(5)).hasHelp());
  auto getTime = [] {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
  };
  double before = getTime();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_LT(getTime() - before, 0.03);
}

TEST(ThreadPool, RunsAndLoopsAtOnce) {
  ThreadPool pool(3);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&pool] {
      for (int i = 0; i < 200; ++i) {
        ThreadPool::Run run(&pool);
        for (int n = 1; n < 40; n += 3)
          expectEachOnce(pool, n, 1);
      }
    });
  for (std::thread &caller : callers)
    caller.join();
}

TEST(ThreadPool, WakesParkedWorkers) {
  ThreadPool pool(2);
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    expectEachOnce(pool, 100, 1);
  }
}

TEST(ThreadPool, SerialInTheChildOfAFork) {
  ThreadPool pool(3);
  expectEachOnce(pool, 100, 1);
  pid_t child = fork();
  if (child == 0) {
    int64_t sum = 0;
    pool.parallelFor(
        100, 1,
        [](void *data, int64_t begin, int64_t end) {
          *static_cast<int64_t *>(data) += end - begin;
        },
        &sum);
    _exit(sum == 100 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(ThreadPool, SharedBySize) {
  std::shared_ptr<ThreadPool> two = ThreadPool::getShared(2, false);
  EXPECT_EQ(two, ThreadPool::getShared(2, false));
  EXPECT_NE(two, ThreadPool::getShared(3, false));
  EXPECT_GE(getDefaultThreadCount(), 1u);
}

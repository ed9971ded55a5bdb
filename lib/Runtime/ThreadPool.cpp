//===- ThreadPool.cpp ----------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Runtime/ThreadPool.h"

#include "HostCores.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <new>
#include <optional>
#include <pthread.h>
#include <sched.h>
#include <system_error>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace tssa::runtime;

using Clock = std::chrono::steady_clock;

// The layout of Share::claims: the generation in the upper half, then the end, then the next chunk.
static constexpr unsigned endShift = 16, generationShift = 32;
static constexpr uint64_t chunkMask = 0xffff;
/// The number of chunks per thread. There are several, so that a slow thread can take fewer.
static constexpr int64_t chunksPerThread = 4;
/// The number of pause instructions for which a worker waits awake. They take about 30
/// microseconds, which is longer than the gap between two kernels of a run.
static constexpr unsigned defaultSpins = 2000;
/// The number of pause instructions between two readings of the clock.
static constexpr unsigned spinsPerLook = 64;
/// The time for which a worker waits awake for the next loop while a run is in progress.
static constexpr std::chrono::milliseconds awakeLimit(1);
/// Sleeping workers are woken only for at least this number of grains: waking a worker takes the
/// caller some microseconds, and the worker starts late.
static constexpr int64_t grainsPerWake = 16;

static void pause() {
#if defined(__x86_64__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

/// Returns the mutex of the list of shared pools. A fork acquires it, so that it is free in the
/// child.
static std::mutex &sharedMutex() {
  static std::mutex mutex;
  return mutex;
}

static std::atomic<unsigned> forkCount{0};

unsigned tssa::runtime::countForks() {
  static const int registered =
      pthread_atfork([] { sharedMutex().lock(); }, [] { sharedMutex().unlock(); },
                     [] {
                       sharedMutex().unlock();
                       forkCount.fetch_add(1);
                     });
  (void)registered;
  return forkCount.load();
}

void ThreadPool::Loop::runChunk(int64_t chunk) const {
  int64_t size = n / chunks, rest = n % chunks;
  auto begin = [&](int64_t number) { return number * size + number * rest / chunks; };
  body(context, begin(chunk), begin(chunk + 1));
}

bool ThreadPool::Share::claim(bool isOwner, Loop &loop, int64_t &chunk) {
  uint64_t word = claims.load(std::memory_order_acquire);
  while (true) {
    uint64_t next = word & chunkMask, end = word >> endShift & chunkMask;
    if (next >= end)
      return false;
    loop.n = n.load(std::memory_order_relaxed);
    loop.chunks = chunks.load(std::memory_order_relaxed);
    loop.body = body.load(std::memory_order_relaxed);
    loop.context = context.load(std::memory_order_relaxed);
    chunk = int64_t(isOwner ? next : end - 1);
    uint64_t left = isOwner ? word + 1 : word - (uint64_t(1) << endShift);
    if (claims.compare_exchange_weak(word, left, std::memory_order_acq_rel,
                                     std::memory_order_acquire))
      return true;
  }
}

void ThreadPool::Share::publish(const Loop &loop, int64_t begin, int64_t end) {
  n.store(loop.n, std::memory_order_relaxed);
  chunks.store(loop.chunks, std::memory_order_relaxed);
  body.store(loop.body, std::memory_order_relaxed);
  context.store(loop.context, std::memory_order_relaxed);
  uint64_t generation = (claims.load(std::memory_order_relaxed) >> generationShift) + 1;
  claims.store(generation << generationShift | uint64_t(end) << endShift | uint64_t(begin),
               std::memory_order_release);
}

void ThreadPool::Slot::publish(const Loop &loop, size_t threads) {
  int64_t count = std::min(int64_t(threads), loop.chunks);
  finished.store(0, std::memory_order_relaxed);
  numShares.store(size_t(count), std::memory_order_relaxed);
  for (int64_t i = 0; i < count; ++i)
    shares[size_t(i)].publish(loop, loop.chunks * i / count, loop.chunks * (i + 1) / count);
}

void ThreadPool::Slot::runShare(size_t number, bool isOwner) {
  Loop loop;
  int64_t chunk, done = 0;
  for (; shares[number].claim(isOwner, loop, chunk); ++done)
    loop.runChunk(chunk);
  if (done)
    finish(done, loop.chunks);
}

void ThreadPool::Slot::runShares(size_t own) {
  runShare(own, /*isOwner=*/true);
  size_t count = numShares.load(std::memory_order_relaxed);
  for (size_t i = 1; i <= count; ++i)
    if (size_t number = (own + i) % count; number != own)
      runShare(number, /*isOwner=*/false);
}

void ThreadPool::Slot::finish(int64_t count, int64_t total) {
  if (finished.fetch_add(count) + count == total && callerParked.load()) {
    std::lock_guard<std::mutex> lock(mutex);
    allFinished.notify_one();
  }
}

void ThreadPool::Slot::waitForAll(int64_t total, unsigned spins) {
  auto done = [&] { return finished.load() == total; };
  for (unsigned i = 0; i < spins; ++i) {
    if (done())
      return;
    pause();
  }
  std::unique_lock<std::mutex> lock(mutex);
  callerParked.store(true);
  allFinished.wait(lock, done);
  callerParked.store(false);
}

ThreadPool::ThreadPool(unsigned threads, bool pin) : forks(countForks()) {
  threads = std::max(1u, threads);
  std::vector<int> cores = getAllowedCores();
  // With more threads than cores, spinning takes time from the threads that are waited for. It
  // also counts against a CPU quota.
  spins = threads <= cores.size() && !getQuota() ? defaultSpins : 0;
  for (Slot &slot : slots)
    slot.shares = std::make_unique<Share[]>(threads);
  workers.reserve(threads - 1);
  for (unsigned i = 1; i < threads; ++i) {
    try {
      workers.emplace_back(&ThreadPool::work, this, i);
    } catch (const std::system_error &) {
      break; // A limit on the number of threads is reached. The pool works with fewer workers.
    } catch (const std::bad_alloc &) {
      break; // The pool works with fewer workers.
    }
    if (pin && !cores.empty())
      pinThread(workers.back().native_handle(), cores[i % cores.size()]);
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(sleepMutex);
    stopping.store(true);
  }
  wake.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

std::shared_ptr<ThreadPool> ThreadPool::getShared(unsigned threads, bool pin) {
  static std::map<std::pair<unsigned, bool>, std::weak_ptr<ThreadPool>> pools;
  if (threads == 0)
    threads = getDefaultThreadCount();
  std::lock_guard<std::mutex> lock(sharedMutex());
  std::weak_ptr<ThreadPool> &entry = pools[{threads, pin}];
  std::shared_ptr<ThreadPool> pool = entry.lock();
  if (!pool || pool->forks != forkCount.load()) {
    // A child process would wait for ever for the workers, which exist only in its parent. So a
    // child process does not destroy the pool.
    pool = std::shared_ptr<ThreadPool>(new ThreadPool(threads, pin), [](ThreadPool *made) {
      if (countForks() == made->forks)
        delete made;
    });
    entry = pool;
  }
  return pool;
}

ThreadPool::Run::Run(ThreadPool *pool) : pool(pool) {
  if (pool && pool->runs.fetch_add(1) == 0)
    pool->missed.store(0, std::memory_order_relaxed);
}

ThreadPool::Run::~Run() {
  if (pool)
    pool->runs.fetch_sub(1);
}

void ThreadPool::work(size_t index) {
  uint64_t seen = 0;
  while (!stopping.load(std::memory_order_relaxed)) {
    uint64_t now = epoch.load();
    if (now != seen) {
      seen = now;
      for (Slot &slot : slots)
        slot.runShares(index);
      continue;
    }
    if (waitAwake(seen))
      continue;
    std::unique_lock<std::mutex> lock(sleepMutex);
    sleepers.fetch_add(1);
    wake.wait(lock, [&] { return hasNews(seen); });
    sleepers.fetch_sub(1);
  }
}

/// Waits awake for work. Returns false if the worker should sleep.
bool ThreadPool::waitAwake(uint64_t seen) {
  std::optional<Clock::time_point> limit;
  for (unsigned idle = 0; idle < spins;) {
    for (unsigned i = 0; i < spinsPerLook; ++i) {
      if (hasNews(seen))
        return true;
      pause();
    }
    // The system may have moved the worker to the caller's core. The caller could not run there
    // while the worker waits awake.
    if (sched_getcpu() == callerCore.load(std::memory_order_relaxed))
      return false;
    idle += spinsPerLook;
    if (runs.load(std::memory_order_relaxed) == 0)
      continue;
    Clock::time_point now = Clock::now();
    if (!limit)
      limit = now + awakeLimit;
    if (now < *limit)
      idle = 0;
  }
  return false;
}

/// Returns the number of workers that are worth waking for a loop. Woken workers stay awake for
/// later loops, so the number also depends on the work that the run has done so far while workers
/// slept.
int64_t ThreadPool::chooseWakes(int64_t chunks, int64_t grains) {
  int64_t asleep = sleepers.load();
  int64_t wakes = std::min(asleep, chunks - 1 - (int64_t(workers.size()) - asleep));
  if (wakes <= 0)
    return 0;
  if (spins > 0 && runs.load(std::memory_order_relaxed) > 0)
    grains += missed.fetch_add(grains, std::memory_order_relaxed);
  if (grains < grainsPerWake)
    return 0;
  missed.store(0, std::memory_order_relaxed);
  return wakes;
}

/// Announces a loop to the workers that are awake, and wakes `wakes` workers that sleep.
void ThreadPool::announce(int64_t wakes) {
  epoch.fetch_add(1);
  if (wakes <= 0)
    return;
  callerCore.store(sched_getcpu(), std::memory_order_relaxed);
  // Because of the empty critical section, a worker that is about to wait either sees the new epoch
  // or is notified.
  {
    std::lock_guard<std::mutex> lock(sleepMutex);
  }
  if (wakes >= int64_t(workers.size()))
    return wake.notify_all();
  for (; wakes > 0; --wakes)
    wake.notify_one();
}

ThreadPool::Slot *ThreadPool::takeSlot() {
  for (Slot &slot : slots)
    if (!slot.taken.load(std::memory_order_relaxed) &&
        !slot.taken.exchange(true, std::memory_order_acquire))
      return &slot;
  return nullptr;
}

int64_t ThreadPool::countChunks(int64_t n, int64_t grain) const {
  int64_t threads = getThreadCount();
  int64_t chunks =
      std::min({n / std::max<int64_t>(grain, 1), threads * chunksPerThread, int64_t(chunkMask)});
  return chunks > threads ? chunks - chunks % threads : chunks;
}

void ThreadPool::parallelFor(int64_t n, int64_t grain, tssa_body body, void *context) {
  if (n <= 0)
    return;
  Loop loop{n, countChunks(n, grain), body, context};
  if (loop.chunks <= 1 || workers.empty() || forkCount.load() != forks)
    return body(context, 0, n);
  int64_t wakes = chooseWakes(loop.chunks, n / std::max<int64_t>(grain, 1));
  bool isAlone = wakes == 0 && sleepers.load() == workers.size();
  Slot *slot = isAlone ? nullptr : takeSlot();
  if (!slot)
    return body(context, 0, n);
  slot->publish(loop, getThreadCount());
  announce(wakes);
  slot->runShares(0);
  slot->waitForAll(loop.chunks, spins);
  slot->numShares.store(0, std::memory_order_relaxed);
  slot->taken.store(false, std::memory_order_release);
}

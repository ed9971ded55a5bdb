//===- ThreadPool.cpp ----------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Runtime/ThreadPool.h"

#include "HostCores.h"

#include <algorithm>
#include <map>
#include <new>
#include <pthread.h>
#include <system_error>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace tssa::runtime;

// Slot::claims: generation in the upper half, then count, then next chunk.
static constexpr unsigned countShift = 16, generationShift = 32;
static constexpr uint64_t chunkMask = 0xffff;
/// More chunks than threads, so that a slow thread takes fewer.
static constexpr int64_t chunksPerThread = 4;
/// About 30 microseconds: longer than the gap between two kernels of a run.
static constexpr unsigned defaultSpins = 2000;

static void pause() {
#if defined(__x86_64__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

/// Held while the list of shared pools is used. A fork waits for it: the child gets it
/// free.
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
  int64_t size = n / chunks, larger = n % chunks;
  int64_t begin = chunk * size + std::min(chunk, larger);
  body(context, begin, begin + size + (chunk < larger));
}

bool ThreadPool::Slot::claim(Loop &loop, int64_t &chunk) {
  uint64_t word = claims.load(std::memory_order_acquire);
  while (true) {
    loop.chunks = int64_t(word >> countShift & chunkMask);
    chunk = int64_t(word & chunkMask);
    if (chunk >= loop.chunks)
      return false;
    loop.n = n.load(std::memory_order_relaxed);
    loop.body = body.load(std::memory_order_relaxed);
    loop.context = context.load(std::memory_order_relaxed);
    if (claims.compare_exchange_weak(word, word + 1, std::memory_order_acq_rel,
                                     std::memory_order_acquire))
      return true;
  }
}

void ThreadPool::Slot::publish(const Loop &loop) {
  finished.store(0, std::memory_order_relaxed);
  n.store(loop.n, std::memory_order_relaxed);
  body.store(loop.body, std::memory_order_relaxed);
  context.store(loop.context, std::memory_order_relaxed);
  uint64_t generation = (claims.load(std::memory_order_relaxed) >> generationShift) + 1;
  claims.store(generation << generationShift | uint64_t(loop.chunks) << countShift,
               std::memory_order_release);
}

void ThreadPool::Slot::finishOne(int64_t total) {
  if (finished.fetch_add(1) + 1 == total && callerParked.load()) {
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
  // Spinning steals time from the very threads one waits for when there are
  // more threads than cores, and is charged to the quota when there is one.
  spins = threads <= cores.size() && !getQuota() ? defaultSpins : 0;
  workers.reserve(threads - 1);
  for (unsigned i = 1; i < threads; ++i) {
    try {
      workers.emplace_back(&ThreadPool::work, this, i);
    } catch (const std::system_error &) {
      break; // A limit on threads: fewer workers are only slower.
    } catch (const std::bad_alloc &) {
      break; // As much as a limit on threads.
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
    // The workers of a pool live in the process that made it, and a child would wait
    // for them: it leaves the pool as it is.
    pool = std::shared_ptr<ThreadPool>(new ThreadPool(threads, pin), [](ThreadPool *made) {
      if (countForks() == made->forks)
        delete made;
    });
    entry = pool;
  }
  return pool;
}

/// Runs chunks of every loop until there is none to claim.
void ThreadPool::runClaimed(size_t first) {
  for (size_t i = 0; i < numSlots; ++i) {
    Slot &slot = slots[(first + i) % numSlots];
    Loop loop;
    int64_t chunk;
    while (slot.claim(loop, chunk)) {
      loop.runChunk(chunk);
      slot.finishOne(loop.chunks);
    }
  }
}

void ThreadPool::work(size_t index) {
  uint64_t seen = 0;
  while (!stopping.load(std::memory_order_relaxed)) {
    uint64_t now = epoch.load();
    if (now != seen) {
      seen = now;
      runClaimed(index);
      continue;
    }
    auto news = [&] { return epoch.load() != seen || stopping.load(); };
    unsigned i = 0;
    while (i < spins && !news()) {
      pause();
      ++i;
    }
    if (i < spins)
      continue;
    std::unique_lock<std::mutex> lock(sleepMutex);
    sleepers.fetch_add(1);
    wake.wait(lock, news);
    sleepers.fetch_sub(1);
  }
}

void ThreadPool::wakeWorkers(int64_t count) {
  epoch.fetch_add(1);
  unsigned asleep = sleepers.load();
  if (asleep == 0)
    return;
  // The empty critical section orders this with a worker about to wait.
  {
    std::lock_guard<std::mutex> lock(sleepMutex);
  }
  if (count >= asleep)
    return wake.notify_all();
  for (; count > 0; --count)
    wake.notify_one();
}

ThreadPool::Slot *ThreadPool::takeSlot() {
  for (Slot &slot : slots)
    if (!slot.taken.load(std::memory_order_relaxed) &&
        !slot.taken.exchange(true, std::memory_order_acquire))
      return &slot;
  return nullptr;
}

void ThreadPool::parallelFor(int64_t n, int64_t grain, tssa_body body, void *context) {
  if (n <= 0)
    return;
  Loop loop;
  loop.n = n;
  loop.chunks = std::min({n / std::max<int64_t>(grain, 1),
                          int64_t(getThreadCount()) * chunksPerThread, int64_t(chunkMask)});
  loop.body = body;
  loop.context = context;
  Slot *slot = nullptr;
  if (loop.chunks > 1 && !workers.empty() && forkCount.load() == forks)
    slot = takeSlot();
  if (!slot)
    return body(context, 0, n);
  slot->publish(loop);
  wakeWorkers(loop.chunks - 1);
  Loop claimed;
  int64_t chunk;
  while (slot->claim(claimed, chunk)) {
    loop.runChunk(chunk);
    slot->finishOne(loop.chunks);
  }
  slot->waitForAll(loop.chunks, spins);
  slot->taken.store(false, std::memory_order_release);
}

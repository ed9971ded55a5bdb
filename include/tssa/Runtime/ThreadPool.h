//===- ThreadPool.h - claim-and-help parallel loops ----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A parallel loop is cut into chunks, and every thread has a share of them that is
/// the same for equal loops: what it works on stays in its core's cache. A thread
/// claims the chunks of its own share first, then helps others. The caller does so
/// too, and so takes every chunk no worker has started; it waits only for chunks that
/// a worker has begun. A worker that the operating system does not schedule therefore
/// costs nothing: the worst case is the serial time.
///
/// Between the loops of a run workers stay awake; after it they sleep.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_THREADPOOL_H
#define TSSA_RUNTIME_THREADPOOL_H

#include "tssa/abi.h"

#include <array>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace tssa::runtime {

/// Threads worth using here: allowed physical cores, but no more than a cgroup's
/// CPU quota pays for. At least 1.
unsigned getDefaultThreadCount();

/// How often this process, since it first asked, came out of a fork as the child.
unsigned countForks();

class ThreadPool {
public:
  /// `threads` counts the caller: `threads - 1` workers are started. With `pin`,
  /// each worker stays on one allowed core.
  explicit ThreadPool(unsigned threads, bool pin = false);
  /// Only in the process that made it.
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// The process's pool of that size; made on first use, gone with its last
  /// owner. 0 threads means `getDefaultThreadCount()`.
  static std::shared_ptr<ThreadPool> getShared(unsigned threads, bool pin);

  unsigned getThreadCount() const { return unsigned(workers.size()) + 1; }

  /// Runs `body` over [0, n) in chunks of at least `grain` iterations, a multiple of
  /// the number of threads where there are as many, and returns when all are done. Any
  /// number of threads may call at once; a body may call again. `grain` iterations are
  /// what pays for a thread that is awake: workers that sleep are woken for much more
  /// only. After a fork, the child runs loops serially.
  void parallelFor(int64_t n, int64_t grain, tssa_body body, void *context);

  /// While one of these is alive, workers wait awake for the next loop: not longer than
  /// a millisecond at a time, and not at all where that takes time from the caller.
  class Run {
  public:
    explicit Run(ThreadPool *pool); ///< null: does nothing
    ~Run();
    Run(const Run &) = delete;
    Run &operator=(const Run &) = delete;

  private:
    ThreadPool *pool;
  };

private:
  /// What a thread needs to know of a loop.
  struct Loop {
    int64_t n = 0;
    int64_t chunks = 0;
    tssa_body body = nullptr;
    void *context = nullptr;
    void runChunk(int64_t chunk) const;
  };

  /// A thread's part of a running loop, in a cache line of its own. `claims` is the
  /// loop's generation, the end of the chunks that are not claimed and the first of
  /// them, in one word: who takes one away owns a chunk of exactly that generation. The
  /// other fields change only when all chunks are finished, so what was read of them
  /// before belongs to it too.
  struct alignas(64) Share {
    std::atomic<uint64_t> claims{0};
    std::atomic<int64_t> n{0};
    std::atomic<int64_t> chunks{0};
    std::atomic<tssa_body> body{nullptr};
    std::atomic<void *> context{nullptr};

    /// The owner claims from the front, helpers from the back.
    bool claim(bool isOwner, Loop &loop, int64_t &chunk);
    void publish(const Loop &loop, int64_t begin, int64_t end);
  };

  /// A place for one running loop. What callers write, what all threads count and what
  /// hardly ever changes are in cache lines of their own.
  struct alignas(64) Slot {
    std::atomic<bool> taken{false};
    std::atomic<size_t> numShares{0};             ///< 0 while there is no loop
    alignas(64) std::atomic<int64_t> finished{0}; ///< chunks
    alignas(64) std::unique_ptr<Share[]> shares;  ///< one per thread
    std::atomic<bool> callerParked{false};
    std::mutex mutex;
    std::condition_variable allFinished;

    void publish(const Loop &loop, size_t threads);
    /// Claims and runs all chunks of a share.
    void runShare(size_t number, bool isOwner);
    /// Those of share `own` first.
    void runShares(size_t own);
    void finish(int64_t count, int64_t total);
    void waitForAll(int64_t total, unsigned spins);
  };
  static constexpr size_t numSlots = 16;

  std::array<Slot, numSlots> slots;
  std::vector<std::thread> workers;
  unsigned spins;
  unsigned forks; ///< of this process when the pool was made

  alignas(64) std::atomic<uint64_t> epoch{0}; ///< grows with every loop
  alignas(64) std::atomic<unsigned> sleepers{0};
  std::atomic<unsigned> runs{0};
  std::atomic<int64_t> missed{0};  ///< grains that ran in this run while workers slept
  std::atomic<int> callerCore{-1}; ///< where workers were woken from
  std::atomic<bool> stopping{false};
  std::mutex sleepMutex;
  std::condition_variable wake;

  void work(size_t index);
  bool waitAwake(uint64_t seen);
  bool hasNews(uint64_t seen) const { return epoch.load() != seen || stopping.load(); }
  int64_t countChunks(int64_t n, int64_t grain) const;
  int64_t chooseWakes(int64_t chunks, int64_t grains);
  void announce(int64_t wakes);
  Slot *takeSlot();
};

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_THREADPOOL_H

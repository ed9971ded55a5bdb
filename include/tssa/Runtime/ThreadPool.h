//===- ThreadPool.h - claim-and-help parallel loops ----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A parallel loop is cut into chunks that threads claim from a counter. The
/// caller claims too, and so takes every chunk no worker has started; it waits
/// only for chunks that a worker has begun. A worker that the operating system
/// does not schedule therefore costs nothing: the worst case is the serial time.
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

  /// Runs `body` over [0, n) in chunks of at least `grain` iterations and returns
  /// when all are done. Any number of threads may call at once; a body may call
  /// again. After a fork, the child runs loops serially.
  void parallelFor(int64_t n, int64_t grain, tssa_body body, void *context);

private:
  /// What a worker needs to know of a loop.
  struct Loop {
    int64_t n = 0;
    int64_t chunks = 0;
    tssa_body body = nullptr;
    void *context = nullptr;
    void runChunk(int64_t chunk) const;
  };

  /// A place for one running loop. `claims` is the loop's generation, its number
  /// of chunks and the next unclaimed one, in one word: who advances it owns a
  /// chunk of exactly that generation. The other fields change only when all
  /// chunks are finished, so what was read of them before belongs to it too.
  struct alignas(64) Slot {
    std::atomic<uint64_t> claims{0};
    std::atomic<int64_t> n{0};
    std::atomic<tssa_body> body{nullptr};
    std::atomic<void *> context{nullptr};
    std::atomic<bool> taken{false};
    alignas(64) std::atomic<int64_t> finished{0};
    std::atomic<bool> callerParked{false};
    std::mutex mutex;
    std::condition_variable allFinished;

    bool claim(Loop &loop, int64_t &chunk);
    void publish(const Loop &loop);
    void finishOne(int64_t chunks);
    void waitForAll(int64_t chunks, unsigned spins);
  };
  static constexpr size_t numSlots = 16;

  std::array<Slot, numSlots> slots;
  std::vector<std::thread> workers;
  unsigned spins;
  unsigned forks; ///< of this process when the pool was made

  alignas(64) std::atomic<uint64_t> epoch{0}; ///< grows with every loop
  std::atomic<unsigned> sleepers{0};
  std::atomic<bool> stopping{false};
  std::mutex sleepMutex;
  std::condition_variable wake;

  void work(size_t index);
  void runClaimed(size_t first);
  void wakeWorkers(int64_t count);
  Slot *takeSlot();
};

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_THREADPOOL_H

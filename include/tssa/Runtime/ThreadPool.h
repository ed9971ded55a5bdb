//===- ThreadPool.h - claim-and-help parallel loops ----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A parallel loop is split into chunks. Each thread has a share of the chunks. A thread gets the
/// same share in equal loops, so that the data of the share stay in the cache of the thread's core.
/// A thread first claims the chunks of its own share, then helps with the shares of other threads.
/// The caller takes part as well, so it runs every chunk that no worker has claimed and waits only
/// for chunks that a worker has started. A worker that the operating system does not schedule
/// therefore costs nothing, and the worst case is the serial time.
///
/// Workers stay awake between the loops of a run and sleep after the run.
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

/// Returns the default number of threads: the physical cores that this process may use,
/// but no more than the cgroup's CPU quota allows, and at least 1.
unsigned getDefaultThreadCount();

/// Returns the number of forks between this process and the ancestor that called this function
/// first. A child process thus gets a different number than its parent.
unsigned countForks();

class ThreadPool {
public:
  /// Starts `threads - 1` workers; the caller is the remaining thread. With `pin`, each
  /// worker stays on one allowed core.
  explicit ThreadPool(unsigned threads, bool pin = false);
  /// Must be called in the process that created the pool.
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// Returns the pool of this process for `threads` and `pin`. The pool is created on first use and
  /// destroyed with its last owner. `threads` 0 stands for `getDefaultThreadCount()`.
  static std::shared_ptr<ThreadPool> getShared(unsigned threads, bool pin);

  unsigned getThreadCount() const { return unsigned(workers.size()) + 1; }

  /// Runs `body` over [0, n) in chunks of at least `grain` iterations and returns when all
  /// are done. If there are enough iterations, the number of chunks is a multiple of the
  /// number of threads. Any number of threads may call this at once, and `body` may call it, too.
  /// `grain` iterations are enough work for a worker that is awake; sleeping workers are woken only
  /// for much more work. After a fork, the child runs loops serially.
  void parallelFor(int64_t n, int64_t grain, tssa_body body, void *context);

  /// A scope in which workers wait awake for the next loop: for at most a millisecond at a
  /// time, and not at all if waiting would take CPU time from the caller.
  class Run {
  public:
    explicit Run(ThreadPool *pool); ///< `pool` may be null
    ~Run();
    Run(const Run &) = delete;
    Run &operator=(const Run &) = delete;

  private:
    ThreadPool *pool;
  };

private:
  /// A loop, as the threads that run it see it.
  struct Loop {
    int64_t n = 0;
    int64_t chunks = 0;
    tssa_body body = nullptr;
    void *context = nullptr;
    void runChunk(int64_t chunk) const;
  };

  /// A thread's share of a running loop, in a separate cache line. `claims` is one word with three
  /// parts: the generation of the loop, and the end and the begin of the range of unclaimed chunks.
  /// A thread that removes a chunk from this range therefore owns a chunk of this generation. The
  /// other fields change only when all chunks are finished, so values that a thread reads from them
  /// before its claim belong to the same generation.
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

  /// A slot for one running loop. Fields that callers write, the counter that all threads
  /// write, and fields that rarely change are in separate cache lines.
  struct alignas(64) Slot {
    std::atomic<bool> taken{false};
    std::atomic<size_t> numShares{0};             ///< 0 while there is no loop
    alignas(64) std::atomic<int64_t> finished{0}; ///< chunks
    alignas(64) std::unique_ptr<Share[]> shares;  ///< one per thread
    std::atomic<bool> callerParked{false};
    std::mutex mutex;
    std::condition_variable allFinished;

    void publish(const Loop &loop, size_t threads);
    /// Claims and runs the chunks of share `number` until none is left.
    void runShare(size_t number, bool isOwner);
    /// Claims and runs the chunks of all shares, beginning with share `own`.
    void runShares(size_t own);
    void finish(int64_t count, int64_t total);
    void waitForAll(int64_t total, unsigned spins);
  };
  static constexpr size_t numSlots = 16;

  std::array<Slot, numSlots> slots;
  std::vector<std::thread> workers;
  unsigned spins;
  unsigned forks; ///< countForks() when the pool was created

  alignas(64) std::atomic<uint64_t> epoch{0}; ///< increases with every loop
  alignas(64) std::atomic<unsigned> sleepers{0};
  std::atomic<unsigned> runs{0};
  std::atomic<int64_t> missed{0};  ///< grains executed in this run while workers slept
  std::atomic<int> callerCore{-1}; ///< the core of the thread that last woke workers
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

//===- Grid.cpp - schedules blocks and threads ----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Grid.h"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace tssa::runtime;
using namespace tssa::runtime::emulator;

//===----------------------------------------------------------------------===//
// Calls of the kernel
//===----------------------------------------------------------------------===//

struct Grid::Calls {
  static Thread &toThread(const tssa_emulator *emulator) {
    return *static_cast<Thread *>(const_cast<tssa_emulator *>(emulator));
  }

  /// Implements a call that the kernel makes: does `work` on the grid of the calling thread, and
  /// leaves the fiber if `work` finds a fault.
  template <typename Work> static uint64_t call(const tssa_emulator *emulator, Work work) {
    Thread &thread = toThread(emulator);
    uint64_t result = work(*thread.grid, thread);
    thread.grid->stopAfterFault();
    return result;
  }

  static void access(const tssa_emulator *emulator, const void *address, int32_t site) {
    call(emulator, [=](Grid &grid, Thread &thread) {
      uint32_t bytes = static_cast<uint32_t>(grid.kernel.sites[site].bytes);
      grid.access(thread, reinterpret_cast<uintptr_t>(address), bytes, site);
      return 0;
    });
  }
  static void accessRange(const tssa_emulator *emulator, const void *address, uint64_t bytes,
                          int32_t site) {
    call(emulator, [=](Grid &grid, Thread &thread) {
      if (bytes != 0)
        grid.access(thread, reinterpret_cast<uintptr_t>(address), bytes, site);
      return 0;
    });
  }
  static void barrier(const tssa_emulator *emulator, int32_t site) {
    call(emulator, [=](Grid &grid, Thread &thread) {
      grid.barrier(thread, site);
      return 0;
    });
  }
  static uint64_t synchronize(const tssa_emulator *emulator, uint32_t mask, uint64_t value,
                              int32_t site) {
    return call(emulator, [=](Grid &grid, Thread &thread) {
      return grid.synchronize(thread, mask, value, site);
    });
  }
  static void warpBarrier(const tssa_emulator *emulator, uint32_t mask, int32_t site) {
    synchronize(emulator, mask, 0, site);
  }
  static uint64_t shuffle(const tssa_emulator *emulator, uint32_t mask, uint32_t value,
                          uint32_t lane, uint32_t clamp, int32_t site) {
    Thread &thread = toThread(emulator);
    thread.lane = lane;
    thread.clamp = clamp;
    return synchronize(emulator, mask, value, site);
  }
  static uint32_t vote(const tssa_emulator *emulator, uint32_t mask, uint32_t predicate,
                       int32_t site) {
    return static_cast<uint32_t>(synchronize(emulator, mask, predicate != 0, site));
  }
  static uint32_t reduce(const tssa_emulator *emulator, uint32_t mask, uint32_t value,
                         int32_t site) {
    return static_cast<uint32_t>(synchronize(emulator, mask, value, site));
  }
  static void copy(const tssa_emulator *emulator, void *to, const void *from, uint32_t bytes,
                   int32_t source, int32_t site) {
    call(emulator, [=](Grid &grid, Thread &thread) {
      grid.copy(thread, {static_cast<char *>(to), static_cast<const char *>(from), bytes,
                         thread.numGroups, source, site});
      return 0;
    });
  }
  static void commitCopies(const tssa_emulator *emulator, int32_t) {
    ++toThread(emulator).numGroups;
  }
  static void awaitCopies(const tssa_emulator *emulator, uint32_t groups, int32_t) {
    call(emulator, [=](Grid &grid, Thread &thread) {
      grid.awaitCopies(thread, groups);
      return 0;
    });
  }
  static void loadMatrices(const tssa_emulator *emulator, const void *row, uint32_t *fragments,
                           uint32_t count, int32_t site) {
    call(emulator, [=](Grid &grid, Thread &thread) {
      thread.row = row;
      thread.fragments = fragments;
      grid.loadMatrices(thread, count, site);
      return 0;
    });
  }
  static void multiplyMatrices(const tssa_emulator *emulator, uint32_t *fragments, int32_t site) {
    call(emulator, [=](Grid &grid, Thread &thread) {
      thread.fragments = fragments;
      grid.multiplyMatrices(thread, site);
      return 0;
    });
  }
  static void report(const tssa_emulator *emulator, int32_t site, const char *what) {
    call(emulator, [=](Grid &grid, Thread &thread) {
      grid.fail(thread, site, what);
      return 0;
    });
  }
  static void divide(const tssa_emulator *emulator, int32_t site) {
    report(emulator, site, "has no result: it divides by zero, or the least integer by -1");
  }
  static void trap(const tssa_emulator *emulator, int32_t site) {
    report(emulator, site, "is reached");
  }

  static void install(tssa_emulator &emulator) {
    emulator.access = access;
    emulator.access_range = accessRange;
    emulator.barrier = barrier;
    emulator.warp_barrier = warpBarrier;
    emulator.shuffle = shuffle;
    emulator.vote = vote;
    emulator.match = synchronize;
    emulator.reduce = reduce;
    emulator.divide = divide;
    emulator.trap = trap;
    emulator.copy = copy;
    emulator.commit_copies = commitCopies;
    emulator.await_copies = awaitCopies;
    emulator.load_matrices = loadMatrices;
    emulator.multiply_matrices = multiplyMatrices;
  }
};

//===----------------------------------------------------------------------===//
// Fibers
//===----------------------------------------------------------------------===//

FiberPool &FiberPool::get() {
  thread_local FiberPool pool;
  return pool;
}

Fiber *FiberPool::take() {
  if (idle.empty()) {
    all.push_back(std::make_unique<Fiber>());
    idle.reserve(all.size()); // so that `give` does not fail
    return all.back().get();
  }
  Fiber *fiber = idle.back();
  idle.pop_back();
  return fiber;
}

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

static constexpr uint64_t sharedAlignment = 1024;

static uint64_t roundUp(uint64_t bytes) {
  return (bytes + sharedAlignment - 1) / sharedAlignment * sharedAlignment;
}

Grid::Grid(const EmulatedLaunch &launch, const Options &options)
    : launch(launch), kernel(*launch.kernel), options(options), memory(launch, options.checkRaces),
      pool(FiberPool::get()) {
  random.seed(static_cast<std::minstd_rand::result_type>(options.seed + 1));
  sharedBytes = static_cast<uint64_t>(kernel.static_shared_bytes + launch.sharedBytes);
  // The sum cannot overflow, because the hardware's limit is far lower. The additional byte makes
  // the pointer unique.
  shared.reset(std::aligned_alloc(sharedAlignment, roundUp(sharedBytes + 1)));
  if (!shared)
    throw std::bad_alloc();
  std::memset(shared.get(), 0xFF, roundUp(sharedBytes + 1));
  sharedShift = getGranuleShift(kernel, [](const tssa_emulator_site &site) {
    return isAccess(site) && site.space != TSSA_EMU_GLOBAL;
  });
  sharedCells = Cells((sharedBytes >> sharedShift) + 1);
  prepareThreads();
}

Grid::~Grid() {
  for (Thread &thread : threads)
    if (thread.fiber)
      pool.give(thread.fiber);
}

void Grid::prepareThreads() {
  threads.resize(launch.threads);
  warps.resize((launch.threads + 31) / 32);
  if (options.count)
    logs.resize(warps.size());
  ready.reserve(threads.size());
  for (size_t i = 0; i < threads.size(); ++i) {
    Thread &thread = threads[i];
    Calls::install(thread);
    thread.thread = static_cast<uint32_t>(i);
    thread.threads = static_cast<uint32_t>(launch.threads);
    thread.blocks = static_cast<uint32_t>(launch.blocks);
    thread.shared = shared.get();
    thread.grid = this;
    warps[i / 32].lanes |= uint32_t(1) << i % 32;
  }
}

Status Grid::run() {
  counters.launches = 1;
  std::vector<uint32_t> order(static_cast<size_t>(launch.blocks));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  for (uint32_t block : order) {
    if (shouldStop())
      report(TSSA_CANCELLED, "the run was stopped");
    else
      runBlock(block);
    if (!status.ok())
      return status;
  }
  return Status::success();
}

void Grid::runBlock(uint32_t block) {
  firstStamp = ++stamp;
  begunBlocks.emplace_back(stamp, block);
  ++counters.blocks;
  counters.threads += threads.size();
  numFinished = numAtBarrier = 0;
  ready.resize(threads.size());
  std::iota(ready.begin(), ready.end(), 0);
  for (Thread &thread : threads) {
    thread.block = block;
    thread.finished = false;
    thread.copies.clear();
    thread.numGroups = 0;
  }
  for (Warp &warp : warps)
    warp.waiting = warp.epoch = 0;
  while (status.ok()) {
    if (ready.empty())
      flushLogs();
    if (ready.empty())
      break;
    size_t pick = random() % ready.size();
    Thread &next = threads[ready[pick]];
    ready[pick] = ready.back();
    ready.pop_back();
    resume(next);
  }
  if (status.ok() && numFinished != threads.size())
    reportStuck();
}

void Grid::resume(Thread &thread) {
  if (!thread.fiber) {
    thread.fiber = pool.take();
    thread.fiber->prepare(runThread, &thread);
  }
  running = &thread;
  thread.fiber->resume();
  if (!thread.finished)
    return;
  ++numFinished;
  pool.give(thread.fiber);
  thread.fiber = nullptr;
}

void Grid::runThread(void *argument) {
  Thread &thread = *static_cast<Thread *>(argument);
  thread.grid->kernel.run(&thread, thread.grid->launch.params);
  thread.finished = true;
  thread.fiber->leave();
}

void Grid::suspend(Thread &thread, int32_t site) {
  thread.waitsAt = site;
  thread.fiber->leave();
}

void Grid::release(Thread &thread) {
  thread.waitsAt = -1;
  ready.push_back(thread.thread);
}

void Grid::log(Thread &thread, int32_t site, bool isShared, uintptr_t address, uint64_t bytes) {
  AccessLog &log = logs[thread.thread / 32];
  if (log.isFull(thread.getLane())) {
    full.push_back(thread.thread);
    thread.fiber->leave();
  }
  log.add(thread.getLane(), site, isShared, address, static_cast<uint32_t>(bytes));
}

/// Called if no thread is ready: flushes the logs, so that the threads that wait for a flush can
/// continue.
void Grid::flushLogs() {
  for (AccessLog &log : logs)
    log.flush(counters);
  std::swap(ready, full);
}

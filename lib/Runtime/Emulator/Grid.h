//===- Grid.h - the execution of one launch --------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A launch runs block by block. The threads of a block are fibers that run in a
/// random order, each until it waits or ends:
///
///     ready --resume--> running --barrier, shuffle, vote--> waiting --last arrives--> ready
///                          |---- end ----> finished
///
/// If no thread is ready and not all have finished, then either some threads wait for their
/// access logs to be flushed, or the block is stuck, which is an error. The kernel calls the
/// grid through the tssa_emulator of the calling thread.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_EMULATOR_GRID_H
#define TSSA_LIB_RUNTIME_EMULATOR_GRID_H

#include "AccessLog.h"
#include "Emulator.h"
#include "Fiber.h"
#include "GlobalMemory.h"

#include <random>

namespace tssa::runtime::emulator {

class Grid;

/// An asynchronous copy to shared memory that its thread has not waited for.
struct Copy {
  char *to;
  const char *from;
  uint32_t bytes; ///< of `from`; zeros fill the rest of the site's bytes
  uint64_t group; ///< number of groups that the thread had committed before
  int32_t source; ///< the site of the load
  int32_t site;
};

/// A thread of the current block.
struct Thread : tssa_emulator {
  Grid *grid = nullptr;
  Fiber *fiber = nullptr; ///< null before the thread starts and after it has finished
  bool finished = false;
  int32_t waitsAt = -1; ///< the site at which it waits, or -1

  // The operands and the result of the warp operation at which the thread waits.
  uint32_t mask = 0;
  uint64_t value = 0;
  uint32_t lane = 0, clamp = 0; ///< of a shuffle
  uint64_t result = 0;
  const void *row = nullptr;     ///< of a load of matrices
  uint32_t *fragments = nullptr; ///< of matrices: the thread's words

  std::vector<Copy> copies; ///< in flight, the oldest first
  uint64_t numGroups = 0;   ///< of copies that the thread has committed in this block

  unsigned getLane() const { return thread % 32; }
};

struct Warp {
  uint32_t lanes = 0;   ///< mask of the lanes that exist
  uint32_t waiting = 0; ///< mask of the lanes that wait at a warp operation
  uint16_t epoch = 0;   ///< number of barriers of the whole warp that the warp has passed
};

/// The idle fibers of an operating system thread, which its next launches reuse.
class FiberPool {
public:
  static FiberPool &get();
  Fiber *take();
  void give(Fiber *fiber) { idle.push_back(fiber); }

private:
  std::vector<std::unique_ptr<Fiber>> all;
  std::vector<Fiber *> idle;
};

class Grid {
public:
  Grid(const EmulatedLaunch &launch, const Options &options);
  ~Grid();
  Status run();
  const Counters &getCounters() const { return counters; }

private:
  const EmulatedLaunch &launch;
  const tssa_emulated_kernel &kernel;
  const Options &options;
  GlobalMemory memory;
  Counters counters;
  Status status; ///< the first fault

  std::minstd_rand random;
  FiberPool &pool;
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::vector<AccessLog> logs; ///< one per warp; empty if accesses are not counted
  std::vector<uint32_t> full;  ///< threads that wait until their log is flushed
  std::vector<uint32_t> ready;
  Thread *running = nullptr;
  uint32_t numFinished = 0, numAtBarrier = 0;

  /// The current stamp (see Shadow.h), the first stamp of the current block, and the first stamps
  /// of all blocks, from which messages derive the block of an access.
  uint32_t stamp = 0, firstStamp = 0;
  std::vector<std::pair<uint32_t, uint32_t>> begunBlocks; ///< first stamp, block

  struct Free {
    void operator()(void *pointer) const { std::free(pointer); }
  };
  std::unique_ptr<void, Free> shared;
  uint64_t sharedBytes;
  unsigned sharedShift; ///< log2 of a granule's bytes
  Cells sharedCells;

  // Schedule
  void prepareThreads();
  void runBlock(uint32_t block);
  void resume(Thread &thread);
  void suspend(Thread &thread, int32_t site);
  void release(Thread &thread);
  static void runThread(void *thread);
  void log(Thread &thread, int32_t site, bool isShared, uintptr_t address, uint64_t bytes);
  void flushLogs();
  bool shouldStop() const { return options.shouldStop && options.shouldStop(); }

  // Accesses
  /// Counts an access. Returns false if the launch has been stopped.
  bool countAccess();
  void access(Thread &thread, uintptr_t address, uint64_t bytes, int32_t site);
  void accessShared(Thread &thread, uintptr_t address, uint64_t bytes, int32_t site);
  void accessGlobal(Thread &thread, uintptr_t address, uint64_t bytes, int32_t site);
  Region *findRegion(uintptr_t address, uint64_t bytes, int32_t site);
  void touchGlobal(Region &region, const Thread &thread, uintptr_t address, uint64_t bytes,
                   int32_t site);
  void failBounds(const Thread &thread, uintptr_t address, int32_t site);
  void failAlignment(const Thread &thread, uintptr_t address, int32_t site);
  void failUnwritten(const Thread &thread, uintptr_t address, int32_t site);
  void failInFlight(const Thread &thread, uintptr_t address, int32_t site);
  void failRace(const Thread &thread, uintptr_t address, int32_t site, const Cell &cell);
  std::string describeAddress(uintptr_t address, int32_t site) const;
  Range getShared() const;
  Moment getMoment(const Thread &thread) const;

  // Asynchronous copies
  void copy(Thread &thread, const Copy &copy);
  void awaitCopies(Thread &thread, uint32_t groups);
  void finishCopy(Thread &thread, const Copy &copy);
  template <typename Work> void forEachCell(const Copy &copy, Work work);

  // Operations of several threads
  void barrier(Thread &thread, int32_t site);
  uint64_t synchronize(Thread &thread, uint32_t mask, uint64_t value, int32_t site);
  void finish(const Warp &warp, Thread *lanes, uint32_t mask, int32_t site);
  void shuffle(Thread *lanes, uint32_t mask, int32_t site);
  void vote(Thread *lanes, uint32_t mask, int32_t site);
  void match(Thread *lanes, uint32_t mask, int32_t site);
  void reduce(Thread *lanes, uint32_t mask, int32_t site);

  // Operations of whole warps on matrices
  void loadMatrices(Thread &thread, uint32_t count, int32_t site);
  void multiplyMatrices(Thread &thread, int32_t site);
  bool checkWholeWarp(const Thread &thread, int32_t site);
  void distributeMatrices(Thread *lanes, int32_t site);
  void multiply(Thread *lanes, int32_t site);

  // Faults
  /// Reports that the operation of `thread` at `site` is a fault. The emulator function that
  /// the kernel has called must then end with `stopAfterFault`.
  void fail(const Thread &thread, int32_t site, const std::string &what);
  /// Leaves the running fiber for ever if there was a fault. The fiber's stack must have no
  /// objects whose destructors matter, because it is not unwound.
  void stopAfterFault() {
    if (!status.ok())
      running->fiber->leave();
  }
  void report(tssa_code code, const std::string &what);
  void reportStuck();
  std::string describeSite(int32_t site) const;
  std::string describeThread(const Thread &thread) const;
  std::string describeParty(const AccessRecord &record, bool write) const;
  std::string describeRace(const Cell &cell, AccessKind kind, const Moment &now) const;

  /// The emulator functions that kernels call.
  struct Calls;
};

} // namespace tssa::runtime::emulator

#endif // TSSA_LIB_RUNTIME_EMULATOR_GRID_H

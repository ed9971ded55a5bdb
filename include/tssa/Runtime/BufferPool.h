//===- BufferPool.h - memory kept between runs ---------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Free memory of past runs, reused by later ones: the pages of fresh memory cost as much as a
/// good part of what is computed in them. All functions may be called by several threads.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_BUFFERPOOL_H
#define TSSA_RUNTIME_BUFFERPOOL_H

#include "tssa/Runtime/Tensor.h"
#include <mutex>
#include <vector>

namespace tssa::runtime {

/// Arenas: a run takes one, and a larger one serves it as well.
class ArenaPool {
public:
  ArenaPool();
  /// The smallest idle allocation of at least `size` bytes, or a new one.
  bool acquire(uint64_t size, Buffer &buffer);
  void release(Buffer buffer);
  void clear();

private:
  static constexpr size_t maxIdle = 8;
  std::mutex mutex;
  std::vector<Buffer> idle; ///< ascending sizes
};

/// What programs ask for while they run: many pieces, whose sizes depend on data. With what is
/// idle, the pool holds at most twice as many bytes as were asked for at once.
class DynamicPool {
public:
  /// Memory of a pool, which takes it back and must outlive it.
  class Allocation {
  public:
    Allocation() = default;
    Allocation(Allocation &&other) noexcept;
    Allocation &operator=(Allocation &&other) noexcept;
    ~Allocation();
    void *getData() const { return buffer.getData(); }
    /// The bytes that were asked for; more may be there.
    uint64_t getSize() const { return size; }

  private:
    friend DynamicPool;
    DynamicPool *pool = nullptr;
    Buffer buffer;
    uint64_t size = 0;
  };

  DynamicPool();
  /// The smallest idle allocation of at least `size` bytes, or a new one; false when memory cannot
  /// be had.
  bool acquire(uint64_t size, Allocation &allocation);
  uint64_t getIdleBytes();
  void clear();

private:
  static constexpr size_t maxIdle = 64;
  /// Smaller pieces are left to the allocator, which keeps their pages anyway.
  static constexpr uint64_t leastBytes = 64 << 10;

  bool allocate(uint64_t size, Buffer &buffer);
  void release(Buffer buffer, uint64_t size);
  bool takeIdle(uint64_t size, Buffer &buffer);
  void dropSurplus();

  std::mutex mutex;
  std::vector<Buffer> idle; ///< the oldest first
  /// Of idle pieces, of pieces in use, asked for of those now, and at most so far.
  uint64_t idleBytes = 0, usedBytes = 0, askedBytes = 0, mostAskedBytes = 0;
};

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_BUFFERPOOL_H

//===- BufferPool.h - memory kept between runs ---------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Pools that keep the memory of past runs for later runs, because the first access to new pages
/// may take as long as a large part of the computation. All functions are thread-safe.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_BUFFERPOOL_H
#define TSSA_RUNTIME_BUFFERPOOL_H

#include "tssa/Runtime/Tensor.h"
#include <memory>
#include <mutex>
#include <vector>

namespace tssa::runtime {

/// A pool of arenas. A run takes one arena, which may be larger than it needs.
class ArenaPool {
public:
  ArenaPool();
  /// Sets `buffer` to the smallest idle arena of at least `size` bytes, or to a new one.
  /// Returns false if the memory cannot be allocated.
  bool acquire(uint64_t size, Buffer &buffer);
  void release(Buffer buffer);
  void clear();

private:
  static constexpr size_t maxIdle = 8;
  std::mutex mutex;
  std::vector<Buffer> idle; ///< ascending sizes
};

/// A pool for memory that programs allocate dynamically (tssa_host::grow): many allocations,
/// whose sizes depend on data. Used and idle memory together are at most twice the largest number
/// of bytes that were requested at one time.
class DynamicPool {
public:
  /// Memory from a pool. The destructor returns the memory to the pool, which must still exist.
  class Allocation {
  public:
    Allocation() = default;
    Allocation(Allocation &&other) noexcept;
    Allocation &operator=(Allocation &&other) noexcept;
    ~Allocation();
    void *getData() const { return buffer.getData(); }
    /// Returns the number of bytes that were requested; the memory may be larger.
    uint64_t getSize() const { return size; }

  private:
    friend DynamicPool;
    DynamicPool *pool = nullptr;
    Buffer buffer;
    uint64_t size = 0;
  };

  DynamicPool();
  /// Sets `allocation` to the smallest idle memory of at least `size` bytes, or to new memory.
  /// Returns false if the memory cannot be allocated.
  bool acquire(uint64_t size, Allocation &allocation);
  uint64_t getIdleBytes();
  void clear();

private:
  static constexpr size_t maxIdle = 64;
  /// Smaller allocations bypass the pool, because malloc keeps their pages for reuse.
  static constexpr uint64_t leastBytes = 64 << 10;

  bool allocate(uint64_t size, Buffer &buffer);
  void release(Buffer buffer, uint64_t size);
  bool takeIdle(uint64_t size, Buffer &buffer);
  void dropSurplus();

  std::mutex mutex;
  std::vector<Buffer> idle; ///< the oldest first
  /// The sizes in bytes of all idle buffers and of all buffers in use; the number of bytes that
  /// were requested for the buffers in use, and the largest value of this number so far.
  uint64_t idleBytes = 0, usedBytes = 0, askedBytes = 0, mostAskedBytes = 0;
};

/// A pool for the results of a session. A result that the caller frees returns its memory to the
/// pool, for the results of later runs. The idle memory is at most that of the results of one run.
/// The pool lives as long as the session and the buffers that are from it.
class ResultPool : public std::enable_shared_from_this<ResultPool> {
public:
  ResultPool();
  /// Sets `buffer` to the smallest idle memory of `size` bytes to a quarter more. Returns false if
  /// there is none.
  bool take(uint64_t size, Buffer &buffer);
  /// Sets `buffer` to new memory. Returns false if it cannot be allocated, even though all idle
  /// memory has been freed.
  bool allocate(uint64_t size, Buffer &buffer);
  /// Keeps up to `bytes` of idle memory from now on; the pool keeps the most that was said so far.
  void keep(uint64_t bytes);
  /// Frees the oldest idle memory until no more than `bytes` are idle. Returns whether that freed
  /// anything.
  bool trim(uint64_t bytes);
  /// Frees all idle memory, and the memory that is returned later.
  void close();
  uint64_t getIdleBytes();

private:
  friend Buffer;
  static constexpr size_t maxIdle = 64;
  /// Smaller buffers bypass the pool, because malloc keeps their pages for reuse.
  static constexpr uint64_t leastBytes = 64 << 10;

  void release(Buffer buffer);
  void dropOldest();

  const unsigned forks; ///< when the pool was created
  std::mutex mutex;
  std::vector<Buffer> idle; ///< the oldest first
  uint64_t idleBytes = 0, keptBytes = 0;
  bool closed = false;
};

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_BUFFERPOOL_H

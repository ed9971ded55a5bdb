//===- ScratchParts.h - memory of threads that run kernels ---------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_SCRATCHPARTS_H
#define TSSA_LIB_RUNTIME_SCRATCHPARTS_H

#include <atomic>
#include <cstdint>
#include <memory>

namespace tssa::runtime {

/// The scratch memory of a run, in equal parts. Each is used by one thread at a time. Any number of
/// threads may call `acquire`, since those of an embedder are not known: with more threads than
/// parts, some wait until a part is free.
class ScratchParts {
public:
  /// The alignment of parts, and of their sizes.
  static constexpr uint64_t alignment = 64;

  /// `memory` has `count` parts of `bytes` bytes.
  ScratchParts(void *memory, unsigned count, uint64_t bytes);
  uint64_t getBytes() const { return bytes; } ///< of a part

  /// Returns a part that no other thread has: that of the thread's core, if it is free, because it
  /// is in the core's cache.
  void *acquire();
  void release(void *part);

private:
  /// In a cache line of its own.
  struct alignas(64) Use {
    std::atomic<bool> taken{false};
  };

  char *memory;
  unsigned count;
  uint64_t bytes;
  std::unique_ptr<Use[]> uses;

  bool take(unsigned number);
};

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_SCRATCHPARTS_H

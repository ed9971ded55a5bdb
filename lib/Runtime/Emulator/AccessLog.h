//===- AccessLog.h - counts memory transactions of warps -------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A GPU runs the lanes of a warp together, but the emulator runs them one after the other.
/// The log records the accesses of each lane. `flush` groups the nth accesses of all lanes at
/// one call site of the kernel, because they are one instruction of the warp on a GPU. For
/// each group it counts
///
///   in global memory, the sectors of 32 bytes that the group touches;
///   in shared memory, the cycles beyond the first.
///
/// Shared memory has 32 banks of 4 bytes. Each bank serves one word per cycle to all lanes that
/// read it. A cycle serves at most 128 bytes, so accesses of 8 bytes are served for half a warp
/// at a time, and accesses of 16 bytes for a quarter of a warp.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_EMULATOR_ACCESSLOG_H
#define TSSA_LIB_RUNTIME_EMULATOR_ACCESSLOG_H

#include "EmulatedLaunch.h"

#include <array>

namespace tssa::runtime::emulator {

/// The log of one warp.
class AccessLog {
public:
  /// The constructor may throw std::bad_alloc; `add` does not.
  AccessLog();
  /// Returns whether the lane must wait for `flush` before it can add an access.
  bool isFull(unsigned lane) const { return lanes[lane].size() == capacity; }
  void add(unsigned lane, int32_t site, bool isShared, uintptr_t address, uint32_t bytes) {
    lanes[lane].push_back({site, isShared, bytes, address});
  }
  void flush(Counters &counters);

private:
  static constexpr size_t capacity = 1024;
  struct Access {
    int32_t site;
    bool isShared;
    uint32_t bytes;
    uintptr_t address;
  };
  std::array<std::vector<Access>, 32> lanes;

  static void countGlobal(const std::vector<Access> &accesses, Counters &counters);
  static void countShared(const std::vector<Access> &accesses, Counters &counters);
};

} // namespace tssa::runtime::emulator

#endif // TSSA_LIB_RUNTIME_EMULATOR_ACCESSLOG_H

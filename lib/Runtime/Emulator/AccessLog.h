//===- AccessLog.h - accesses as the memory sees them ----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A GPU runs the lanes of a warp together, the emulator one after the other. The log
/// remembers what each lane accessed; its `flush` puts the nth accesses of all lanes at
/// the same place in the kernel together, which is what one instruction of the warp
/// asks of the memory, and counts
///
///   in global memory the sectors of 32 bytes that they touch;
///   in shared memory the cycles beyond the first: 32 banks of 4 bytes each give one
///   word per cycle, to all lanes that ask for it. A cycle serves at most 128 bytes,
///   so accesses of 8 bytes take turns by half warps, those of 16 by quarters.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_EMULATOR_ACCESSLOG_H
#define TSSA_LIB_RUNTIME_EMULATOR_ACCESSLOG_H

#include "EmulatedLaunch.h"

#include <array>

namespace tssa::runtime::emulator {

/// Of one warp.
class AccessLog {
public:
  /// Throws std::bad_alloc; `add` does not.
  AccessLog();
  /// Whether the lane must wait for `flush` before it adds more.
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

//===- DeviceMemory.h - memory of a device, reused ------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_DEVICE_DEVICEMEMORY_H
#define TSSA_LIB_RUNTIME_DEVICE_DEVICEMEMORY_H

#include "Device.h"

#include <map>
#include <mutex>

namespace tssa::runtime {

/// A pool of free memory of past runs of a session. It exists because drivers allocate
/// slowly and wait for all work on the device when they free memory. At most `maxIdle`
/// allocations are kept.
class DevicePool {
public:
  explicit DevicePool(Device &device) : device(device) {}
  ~DevicePool();
  DevicePool(const DevicePool &) = delete;
  DevicePool &operator=(const DevicePool &) = delete;

  /// Sets `memory` to memory of at least `bytes` and at most twice as many bytes, and `size`
  /// to its actual size.
  Status acquire(uint64_t bytes, void *&memory, uint64_t &size);
  /// Returns `memory` to the pool. No pending work on the device may use it.
  void release(void *memory, uint64_t size) noexcept;

private:
  static constexpr size_t maxIdle = 64;
  Device &device;
  std::mutex mutex;
  std::multimap<uint64_t, void *> idle; ///< by size

  void *takeIdle(uint64_t bytes, uint64_t &size);
  void freeIdle();
};

/// The device memory of one run. Memory that the run releases may be reused by the same run
/// at once, because its work is executed in order. Other runs get it only after this run has
/// ended and the device has finished its work.
class DeviceMemory {
public:
  explicit DeviceMemory(DevicePool &pool) : pool(pool) {}
  /// The run's work on the device must be done.
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  Status allocate(uint64_t bytes, void *&memory);
  /// Releases `memory`. Returns the number of bytes that were requested for it, or 0 if it
  /// does not belong to this run.
  uint64_t release(void *memory) noexcept;

private:
  struct Piece {
    void *memory = nullptr;
    uint64_t size = 0;
    uint64_t asked = 0; ///< the bytes that were requested
    bool inUse = false;
  };
  DevicePool &pool;
  std::vector<Piece> pieces;

  Piece *findSpare(uint64_t bytes);
};

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_DEVICE_DEVICEMEMORY_H

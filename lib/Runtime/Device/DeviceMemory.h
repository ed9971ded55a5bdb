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

/// Free memory of past runs of a session: drivers take long to allocate, and wait for
/// all work on the device when they free. At most `maxIdle` pieces are kept.
class DevicePool {
public:
  explicit DevicePool(Device &device) : device(device) {}
  ~DevicePool();
  DevicePool(const DevicePool &) = delete;
  DevicePool &operator=(const DevicePool &) = delete;

  /// A piece of at least `bytes` bytes and at most twice as many; `size` is its own.
  Status acquire(uint64_t bytes, void *&memory, uint64_t &size);
  /// No work on the device may use it any more.
  void release(void *memory, uint64_t size) noexcept;

private:
  static constexpr size_t maxIdle = 64;
  Device &device;
  std::mutex mutex;
  std::multimap<uint64_t, void *> idle; ///< by size

  void *takeIdle(uint64_t bytes, uint64_t &size);
  void freeIdle();
};

/// What one run holds. What it gives up it may get again at once, for its work is in
/// order; others get it when the run is over and the device has done its work.
class DeviceMemory {
public:
  explicit DeviceMemory(DevicePool &pool) : pool(pool) {}
  /// The run's work on the device must be done.
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  Status allocate(uint64_t bytes, void *&memory);
  /// Returns how many bytes were asked for; 0 for what this run does not hold.
  uint64_t release(void *memory) noexcept;

private:
  struct Piece {
    void *memory = nullptr;
    uint64_t size = 0;
    uint64_t asked = 0; ///< of it
    bool inUse = false;
  };
  DevicePool &pool;
  std::vector<Piece> pieces;

  Piece *findSpare(uint64_t bytes);
};

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_DEVICE_DEVICEMEMORY_H

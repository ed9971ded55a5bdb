//===- EmulatedLaunch.h - one launch of an emulated kernel -----*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_EMULATOR_EMULATEDLAUNCH_H
#define TSSA_LIB_RUNTIME_EMULATOR_EMULATEDLAUNCH_H

#include "tssa/emulator.h"

#include <string>
#include <vector>

namespace tssa::runtime::emulator {

/// Memory of the device. Kernels may touch no other.
struct Allocation {
  const void *begin = nullptr;
  uint64_t bytes = 0;
  std::string name; ///< in messages: "arena", "weights", "input x"
};

/// What a launch did; adds up over launches.
struct Counters {
  uint64_t launches = 0;
  uint64_t blocks = 0;
  uint64_t threads = 0;
  uint64_t barriers = 0;       ///< of a block each
  uint64_t warpOperations = 0; ///< shuffles, votes and the like, of a warp each
  uint64_t accesses = 0;       ///< of a thread each
  // Only with `Options::count`.
  uint64_t globalAccesses = 0;     ///< of a warp each: loads, stores and atomics
  uint64_t globalTransactions = 0; ///< 32-byte sectors that these touch
  uint64_t sharedAccesses = 0;     ///< of a warp each
  uint64_t sharedConflicts = 0;    ///< cycles beyond the one that each needs at least

  void add(const Counters &other);
};

struct EmulatedLaunch {
  const tssa_emulated_kernel *kernel = nullptr;
  std::string name; ///< of the kernel, for messages
  std::string node; ///< of the model, for messages
  int64_t blocks = 0;
  int32_t threads = 0;     ///< of a block
  int64_t sharedBytes = 0; ///< dynamic shared memory of a block
  /// 2n slots, n = kernel->num_params: `params[i]` is the address of parameter i, and
  /// `params[n + i]` that of an int64_t with the bytes of the tensor it points to,
  /// or null when it is a scalar or of unknown size.
  void *const *params = nullptr;
  /// Where tensors of unknown size may lie.
  const std::vector<Allocation> *allocations = nullptr;
};

} // namespace tssa::runtime::emulator

#endif // TSSA_LIB_RUNTIME_EMULATOR_EMULATEDLAUNCH_H

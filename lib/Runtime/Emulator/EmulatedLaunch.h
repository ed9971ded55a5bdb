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

/// An allocation of device memory. Kernels must not access other memory.
struct Allocation {
  const void *begin = nullptr;
  uint64_t bytes = 0;
  std::string name; ///< in messages: "arena", "weights", "input x"
};

/// Counters of one or more launches.
struct Counters {
  uint64_t launches = 0;
  uint64_t blocks = 0;
  uint64_t threads = 0;
  uint64_t barriers = 0;       ///< barriers passed by blocks
  uint64_t warpOperations = 0; ///< shuffles, votes and similar operations of warps
  uint64_t accesses = 0;       ///< memory accesses of threads
  // The following are counted only if `Options::count` is true.
  uint64_t globalAccesses = 0;     ///< loads, stores and atomics of warps
  uint64_t globalTransactions = 0; ///< 32-byte sectors that `globalAccesses` touch
  uint64_t sharedAccesses = 0;     ///< shared memory accesses of warps
  uint64_t sharedConflicts = 0;    ///< cycles beyond the first, over all `sharedAccesses`

  void add(const Counters &other);
};

struct EmulatedLaunch {
  const tssa_emulated_kernel *kernel = nullptr;
  std::string name; ///< the kernel's name, for messages
  std::string node; ///< the name of the model's node, for messages
  int64_t blocks = 0;
  int32_t threads = 0;     ///< of a block
  int64_t sharedBytes = 0; ///< dynamic shared memory of a block
  /// 2n entries, where n is kernel->num_params. `params[i]`, i < n, is the address of parameter i.
  /// `params[n + i]` is the address of an int64_t with the number of bytes of the tensor
  /// that parameter i points to, or null if it is a scalar or a tensor of unknown size.
  void *const *params = nullptr;
  /// The allocations that may contain the tensors of unknown size.
  const std::vector<Allocation> *allocations = nullptr;
};

} // namespace tssa::runtime::emulator

#endif // TSSA_LIB_RUNTIME_EMULATOR_EMULATEDLAUNCH_H

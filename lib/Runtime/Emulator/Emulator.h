//===- Emulator.h - runs kernels for GPUs on the CPU -----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs one launch of an emulated kernel (include/tssa/emulator.h): a fiber per
/// thread, blocks one after the other, both in an order that a seed decides. What a
/// GPU would answer with wrong numbers, a fault or a hang is an error here:
/// accesses out of bounds or misaligned, shared memory read before it is written,
/// races, barriers and shuffles that not all of their threads reach.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_EMULATOR_EMULATOR_H
#define TSSA_LIB_RUNTIME_EMULATOR_EMULATOR_H

#include "tssa/Runtime/Status.h"
#include "tssa/emulator.h"

#include <functional>
#include <string>
#include <vector>

namespace tssa::runtime::emulator {

/// Memory of the device. Kernels may touch no other.
struct Allocation {
  const void *begin = nullptr;
  uint64_t bytes = 0;
  std::string name; ///< in messages: "arena", "weights", "input x"
};

struct Options {
  /// Of the order of blocks and threads.
  uint64_t seed = 0;
  /// Whether races are looked for.
  bool checkRaces = true;
  /// Whether `Counters` are filled beyond those that cost nothing.
  bool count = false;
  /// Asked now and then; the launch ends with TSSA_CANCELLED when it says true.
  std::function<bool()> shouldStop;

  /// The defaults, changed by the environment: TSSA_EMULATOR_SEED=<number>,
  /// TSSA_EMULATOR_RACES=0.
  static Status fromEnvironment(Options &options);
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

struct Launch {
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

/// Runs a launch to its end, on the calling thread. Threads may run launches at the
/// same time. After an error the memory holds anything.
Status launch(const Launch &launch, const Options &options, Counters *counters = nullptr);

} // namespace tssa::runtime::emulator

#endif // TSSA_LIB_RUNTIME_EMULATOR_EMULATOR_H

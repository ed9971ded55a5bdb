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

#include "EmulatedLaunch.h"
#include "tssa/Runtime/Status.h"

#include <functional>

namespace tssa::runtime::emulator {

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

/// Runs a launch to its end, on the calling thread. Threads may run launches at the
/// same time. After an error the memory holds anything.
Status launch(const EmulatedLaunch &launch, const Options &options, Counters *counters = nullptr);

} // namespace tssa::runtime::emulator

#endif // TSSA_LIB_RUNTIME_EMULATOR_EMULATOR_H

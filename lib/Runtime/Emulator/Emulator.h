//===- Emulator.h - runs kernels for GPUs on the CPU -----------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs one launch of an emulated kernel (include/tssa/emulator.h). Each thread is a fiber,
/// and blocks run one after the other. A seed determines the order of the threads and of the
/// blocks. What could cause wrong numbers, a crash or a hang on a GPU is an error here: accesses
/// that are out of bounds or misaligned, reads of shared memory before it is written, races, and
/// barriers and shuffles that not all of their threads reach.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_EMULATOR_EMULATOR_H
#define TSSA_LIB_RUNTIME_EMULATOR_EMULATOR_H

#include "EmulatedLaunch.h"
#include "MatrixProduct.h"
#include "tssa/Runtime/Status.h"

#include <functional>

namespace tssa::runtime::emulator {

struct Options {
  /// The seed of the order of execution.
  uint64_t seed = 0;
  /// Whether races are detected.
  bool checkRaces = true;
  /// Whether to count accesses to shared and global memory too, which takes time.
  bool count = false;
  /// How products of matrices are summed.
  MatrixSums matrixSums = MatrixSums::Fast;
  /// Called from time to time; the launch ends with TSSA_CANCELLED when it returns true.
  std::function<bool()> shouldStop;

  /// Sets `options` to the defaults, then applies the environment variables
  /// TSSA_EMULATOR_SEED=<number>, TSSA_EMULATOR_RACES=0 and TSSA_EMULATOR_MMA=fast|sm_80|sm_90.
  static Status fromEnvironment(Options &options);
};

/// Runs a launch to its end on the calling thread. Several threads may run launches at the
/// same time. After an error, the contents of the device memory are unspecified.
Status launch(const EmulatedLaunch &launch, const Options &options, Counters *counters = nullptr);

} // namespace tssa::runtime::emulator

#endif // TSSA_LIB_RUNTIME_EMULATOR_EMULATOR_H

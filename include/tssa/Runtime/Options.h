//===- Options.h - what a session and its runs are asked to do ------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_RUNTIME_OPTIONS_H
#define TSSA_RUNTIME_OPTIONS_H

#include "tssa/Runtime/Artifact.h"
#include "tssa/Runtime/Tensor.h"

#include <atomic>
#include <optional>

namespace tssa::runtime {

class Trace;

struct SessionOptions {
  /// The number of threads of a run, including the caller; 0 stands for
  /// `getDefaultThreadCount()`. With `parallelFor`, kernels that need memory for each thread run on
  /// at most so many at once. Sessions with equal `threads` and equal `pinThreads` share their
  /// threads.
  unsigned threads = 0;
  bool pinThreads = false;
  VerifyWeights verifyWeights = VerifyWeights::Always;
  /// The bytes that one run may hold besides weights and the caller's tensors, together with the
  /// memory that the session keeps for results; 0: no limit.
  uint64_t memoryLimit = 0;
  /// If not null, runs parallel loops on the embedder's threads. It must do the same as
  /// `tssa_host::parallel_for`, but its first argument is `parallelForUser`.
  void (*parallelFor)(void *user, int64_t n, int64_t grain, tssa_body body,
                      void *context) = nullptr;
  void *parallelForUser = nullptr;
  /// The device to run on: "auto", "cpu", "cuda:<number>" or "cuda-emu". "auto" selects the
  /// first CUDA device that can run a variant of the program, else the CPU, else the
  /// emulator.
  std::string device = "auto";
  /// The seed of the random numbers of nodes that have no seed of their own. Without it, each
  /// session has a seed from the operating system.
  std::optional<uint64_t> seed;
};

/// Counters of a launch. Only the emulator counts; for other devices, the counters stay zero.
struct LaunchCounters {
  uint64_t blocks = 0;
  uint64_t accesses = 0;           ///< memory accesses of threads
  uint64_t globalAccesses = 0;     ///< global memory accesses of warps
  uint64_t globalTransactions = 0; ///< 32-byte sectors that `globalAccesses` touch
  uint64_t sharedAccesses = 0;     ///< shared memory accesses of warps
  uint64_t sharedConflicts = 0;    ///< cycles beyond the first, over all `sharedAccesses`
  uint64_t barriers = 0;           ///< barriers passed by blocks
  uint64_t warpOperations = 0;     ///< shuffles, votes and similar operations of warps
};

/// The calls of one launch of the variant's launch table, and the time spent in them.
struct LaunchTime {
  uint64_t calls = 0;
  double seconds = 0;
  double flops = 0;        ///< floating-point operations in all calls
  LaunchCounters counters; ///< all zero where the device does not count
};

struct RunOptions {
  /// A flag that is polled between kernels and in loops; the run stops when it is true.
  const std::atomic<bool> *cancel = nullptr;
  double timeoutSeconds = 0; ///< 0: none
  /// If not null, has one entry per launch, to which this run's times are added.
  std::vector<LaunchTime> *profile = nullptr;
  /// If not null, gets the events of the run.
  Trace *trace = nullptr;
};

/// A tensor for the input called `name`.
struct NamedTensor {
  std::string_view name;
  tssa_tensor tensor{};
};

/// A request for the output called `name`. If `into` is given, the output goes to this memory of
/// the caller.
struct OutputRequest {
  std::string_view name;
  std::optional<tssa_tensor> into;
};

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_OPTIONS_H

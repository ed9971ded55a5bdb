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

namespace tssa::runtime {

struct SessionOptions {
  /// Threads of a run, the caller among them; 0 is `getDefaultThreadCount()`.
  /// Sessions with equal numbers share their threads.
  unsigned threads = 0;
  bool pinThreads = false;
  VerifyWeights verifyWeights = VerifyWeights::Auto;
  /// Bytes one run may hold beside weights and the caller's tensors; 0: no limit.
  uint64_t memoryLimit = 0;
  /// The embedder's own threads instead of ours: `tssa_host::parallel_for` with
  /// `parallelForUser` first.
  void (*parallelFor)(void *user, int64_t n, int64_t grain, tssa_body body,
                      void *context) = nullptr;
  void *parallelForUser = nullptr;
  /// What to run on: "auto", "cpu", "cuda:<number>" or "cuda-emu". "auto" takes the
  /// first CUDA device that a variant of the program runs on, else the CPU, else the
  /// emulator.
  std::string device = "auto";
};

/// What a launch did, as far as the device counts: the emulator does.
struct LaunchCounters {
  uint64_t blocks = 0;
  uint64_t accesses = 0;           ///< to memory, of a thread each
  uint64_t globalAccesses = 0;     ///< of a warp each
  uint64_t globalTransactions = 0; ///< 32-byte sectors that these touch
  uint64_t sharedAccesses = 0;     ///< of a warp each
  uint64_t sharedConflicts = 0;    ///< cycles beyond the one that each needs at least
  uint64_t barriers = 0;           ///< of a block each
  uint64_t warpOperations = 0;     ///< shuffles, votes and the like, of a warp each
};

/// Time spent in one launch of the variant's table.
struct LaunchTime {
  uint64_t calls = 0;
  double seconds = 0;
  LaunchCounters counters; ///< all zero where the device does not count
};

struct RunOptions {
  /// Polled between kernels and in loops; the run stops when it turns true.
  const std::atomic<bool> *cancel = nullptr;
  double timeoutSeconds = 0; ///< 0: none
  /// When set: one entry per launch, to which this run's times are added.
  std::vector<LaunchTime> *profile = nullptr;
};

/// A tensor under the name of an input.
struct NamedTensor {
  std::string_view name;
  tssa_tensor tensor{};
};

/// An output that is wanted, in the caller's memory when `into` is given.
struct OutputRequest {
  std::string_view name;
  std::optional<tssa_tensor> into;
};

} // namespace tssa::runtime

#endif // TSSA_RUNTIME_OPTIONS_H

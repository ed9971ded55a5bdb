//===- Emulator.cpp - runs kernels for GPUs on the CPU --------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator.h"
#include "Grid.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace tssa::runtime::emulator {

Status Options::fromEnvironment(Options &options) {
  if (const char *text = std::getenv("TSSA_EMULATOR_SEED")) {
    char *end = nullptr;
    errno = 0;
    options.seed = std::strtoull(text, &end, 10);
    if (end == text || *end != 0 || *text == '-' || errno != 0)
      return makeError(TSSA_INVALID_ARGUMENT,
                       std::string("TSSA_EMULATOR_SEED must be a number, got '") + text + "'");
  }
  if (const char *text = std::getenv("TSSA_EMULATOR_RACES")) {
    if (std::strcmp(text, "0") != 0 && std::strcmp(text, "1") != 0)
      return makeError(TSSA_INVALID_ARGUMENT,
                       std::string("TSSA_EMULATOR_RACES must be 0 or 1, got '") + text + "'");
    options.checkRaces = *text == '1';
  }
  if (const char *text = std::getenv("TSSA_EMULATOR_MMA")) {
    std::optional<MatrixSums> sums = parseMatrixSums(text);
    if (!sums)
      return makeError(TSSA_INVALID_ARGUMENT,
                       std::string("TSSA_EMULATOR_MMA must be fast, sm_80 or sm_90, got '") + text +
                           "'");
    options.matrixSums = *sums;
  }
  return Status::success();
}

/// The limits of the largest devices: 227 KiB of shared memory per block, and 2^31 - 1 blocks per
/// grid.
static constexpr int64_t maxSharedBytes = 227 << 10;
static constexpr int64_t maxBlocks = 0x7FFFFFFF;

static std::string checkLaunch(const EmulatedLaunch &launch) {
  const tssa_emulated_kernel &kernel = *launch.kernel;
  if (launch.threads < kernel.min_threads || launch.threads > kernel.max_threads ||
      launch.threads < 1 || launch.threads > 1024)
    return "expected " + std::to_string(kernel.min_threads) + " to " +
           std::to_string(kernel.max_threads) + " threads in a block, got " +
           std::to_string(launch.threads);
  if (launch.blocks < 0 || launch.blocks > maxBlocks)
    return "expected at most " + std::to_string(maxBlocks) + " blocks, got " +
           std::to_string(launch.blocks);
  int64_t shared = kernel.static_shared_bytes + launch.sharedBytes;
  if (launch.sharedBytes < 0 || shared > maxSharedBytes)
    return "expected at most " + std::to_string(maxSharedBytes) + " bytes of shared memory, got " +
           std::to_string(shared);
  return {};
}

Status launch(const EmulatedLaunch &launch, const Options &options, Counters *counters) {
  std::string wrong = checkLaunch(launch);
  if (!wrong.empty())
    return {TSSA_INTERNAL, "kernel '" + launch.name + "': " + wrong, launch.node};
  try {
    Grid grid(launch, options);
    Status status = grid.run();
    if (counters)
      counters->add(grid.getCounters());
    return status;
  } catch (const std::bad_alloc &) {
    return {TSSA_OUT_OF_MEMORY, "kernel '" + launch.name + "': no memory to emulate it in",
            launch.node};
  }
}

} // namespace tssa::runtime::emulator

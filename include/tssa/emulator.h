//===- emulator.h - contract between emulated kernels and the emulator ---===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a kernel for NVIDIA GPUs that the pass `cuda-emulate` made a function for
/// the host's processor, and the emulator that runs it, agree on. Plain C.
///
/// The function is called once per thread of the grid, each call on a stack of its
/// own. Before it touches memory that other threads can see it calls `access`, and
/// then loads or stores by itself; what threads do together (barriers, shuffles,
/// votes) is a call that returns once the others are there. A call that finds a
/// fault does not return: the launch ends with an error.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_EMULATOR_H
#define TSSA_EMULATOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a place in a kernel does.
typedef enum tssa_emulator_operation {
  TSSA_EMU_LOAD = 0,
  TSSA_EMU_STORE = 1,
  TSSA_EMU_ATOMIC = 2,
  TSSA_EMU_BARRIER = 3,
  TSSA_EMU_WARP_BARRIER = 4,
  TSSA_EMU_SHUFFLE_UP = 5,
  TSSA_EMU_SHUFFLE_DOWN = 6,
  TSSA_EMU_SHUFFLE_XOR = 7,
  TSSA_EMU_SHUFFLE_INDEX = 8,
  TSSA_EMU_VOTE_ALL = 9,
  TSSA_EMU_VOTE_ANY = 10,
  TSSA_EMU_VOTE_UNIFORM = 11,
  TSSA_EMU_VOTE_BALLOT = 12,
  TSSA_EMU_MATCH_ANY = 13,
  TSSA_EMU_MATCH_ALL = 14,
  TSSA_EMU_REDUCE_ADD = 15,
  TSSA_EMU_REDUCE_MIN_SIGNED = 16,
  TSSA_EMU_REDUCE_MAX_SIGNED = 17,
  TSSA_EMU_REDUCE_MIN_UNSIGNED = 18,
  TSSA_EMU_REDUCE_MAX_UNSIGNED = 19,
  TSSA_EMU_REDUCE_AND = 20,
  TSSA_EMU_REDUCE_OR = 21,
  TSSA_EMU_REDUCE_XOR = 22,
  TSSA_EMU_DIVIDE = 23,
  TSSA_EMU_TRAP = 24
} tssa_emulator_operation;

/// Where the address of an access points.
typedef enum tssa_emulator_space {
  TSSA_EMU_ANYWHERE = 0, ///< only the address itself tells
  TSSA_EMU_GLOBAL = 1,
  TSSA_EMU_SHARED = 2
} tssa_emulator_space;

/// A place in a kernel that calls the emulator.
typedef struct tssa_emulator_site {
  int32_t operation; ///< a tssa_emulator_operation
  int32_t space;     ///< of an access: a tssa_emulator_space
  /// The kernel's parameter that the address is computed from, -1 when unknown.
  int32_t parameter;
  int32_t bytes;     ///< of an access; 0 when the call says
  int32_t alignment; ///< in bytes, that the device's instruction needs
  int32_t element;   ///< bytes of an element of the access
  int32_t text;      ///< offset in `texts` of what stands there in the source
} tssa_emulator_site;

typedef struct tssa_emulator tssa_emulator;

/// An emulated kernel: what `tssa_kernels` points to.
typedef struct tssa_emulated_kernel {
  /// Runs one thread. `params[i]` is the address of parameter i.
  void (*run)(const tssa_emulator *, void *const *params);
  const tssa_emulator_site *sites;
  const char *texts; ///< texts of the sites, each ended by 0
  int32_t num_sites;
  int32_t num_params;
  /// Shared memory with names of its own, before the dynamic part.
  int32_t static_shared_bytes;
  /// The least and the greatest number of threads that a block may have.
  int32_t min_threads, max_threads;
} tssa_emulated_kernel;

/// One thread of the grid as its kernel sees it. `site` is the place in the kernel.
struct tssa_emulator {
  uint32_t thread;  ///< in its block
  uint32_t block;   ///< in the grid
  uint32_t threads; ///< of a block
  uint32_t blocks;  ///< of the grid
  void *shared;     ///< the block's shared memory

  /// Checks an access of the site's size.
  void (*access)(const tssa_emulator *, const void *address, int32_t site);
  /// Checks an access of `bytes` bytes.
  void (*access_range)(const tssa_emulator *, const void *address, uint64_t bytes, int32_t site);
  /// Waits for all threads of the block.
  void (*barrier)(const tssa_emulator *, int32_t site);
  /// Waits for the lanes of `mask`.
  void (*warp_barrier)(const tssa_emulator *, uint32_t mask, int32_t site);
  /// shfl.sync: `lane` and `clamp` as in PTX. The value that arrives in the low half
  /// of the result, in its bit 32 whether it came from another lane in range.
  uint64_t (*shuffle)(const tssa_emulator *, uint32_t mask, uint32_t value, uint32_t lane,
                      uint32_t clamp, int32_t site);
  /// vote.sync: a mask of lanes for a ballot, else 0 or 1.
  uint32_t (*vote)(const tssa_emulator *, uint32_t mask, uint32_t predicate, int32_t site);
  /// match.sync: the mask of lanes in the low half of the result, in its bit 32
  /// whether all values are equal.
  uint64_t (*match)(const tssa_emulator *, uint32_t mask, uint64_t value, int32_t site);
  /// redux.sync.
  uint32_t (*reduce)(const tssa_emulator *, uint32_t mask, uint32_t value, int32_t site);
  /// Reports a division by zero, or of the least integer by -1.
  void (*divide)(const tssa_emulator *, int32_t site);
  /// Reports that the kernel gave up.
  void (*trap)(const tssa_emulator *, int32_t site);
};

#ifdef __cplusplus
}
#endif
#endif // TSSA_EMULATOR_H

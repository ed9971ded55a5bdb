//===- emulator.h - contract between emulated kernels and the emulator ---===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The contract between an emulated kernel and the emulator that runs it, in plain C.
/// The pass `cuda-emulate` turns a kernel for NVIDIA GPUs into a function for the
/// host's processor.
///
/// The emulator calls that function once per thread of the grid, each time on a
/// separate stack. Before the function touches memory that other threads can see, it
/// calls `access`; then it does the load or store itself. Barriers, shuffles and votes
/// are calls that return once all threads that take part have arrived. Asynchronous copies
/// and loads of matrices are calls that also access the memory. A call that finds a fault
/// does not return: the launch ends with an error.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_EMULATOR_H
#define TSSA_EMULATOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The operation that a call site in a kernel performs.
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
  TSSA_EMU_TRAP = 24,
  TSSA_EMU_COPY = 25, ///< cp.async; its site describes the write to shared memory
  TSSA_EMU_COMMIT_COPIES = 26,
  TSSA_EMU_AWAIT_COPIES = 27,
  TSSA_EMU_LOAD_MATRICES = 28, ///< ldmatrix; its site describes the load of one row
  TSSA_EMU_LOAD_TRANSPOSED = 29,
  TSSA_EMU_MULTIPLY_F16 = 30, ///< mma.sync m16n8k16 with sums in f32
  TSSA_EMU_MULTIPLY_BF16 = 31,
  TSSA_EMU_MULTIPLY_TF32 = 32, ///< m16n8k8
  TSSA_EMU_MULTIPLY_S8 = 33,   ///< m16n8k32 with sums in i32, which wrap around
  TSSA_EMU_MULTIPLY_S8_SATURATED = 34
} tssa_emulator_operation;

/// The memory space that the address of an access points to.
typedef enum tssa_emulator_space {
  TSSA_EMU_ANYWHERE = 0, ///< known only from the address at run time
  TSSA_EMU_GLOBAL = 1,
  TSSA_EMU_SHARED = 2
} tssa_emulator_space;

/// A call site in a kernel that calls the emulator.
typedef struct tssa_emulator_site {
  int32_t operation; ///< a tssa_emulator_operation
  int32_t space;     ///< of an access: a tssa_emulator_space
  /// The kernel's parameter from which the address is computed; -1 if it is unknown.
  int32_t parameter;
  int32_t bytes;     ///< of an access; 0 if the call passes their number
  int32_t alignment; ///< that the device's instruction needs, in bytes
  int32_t element;   ///< bytes of an element of the access
  int32_t text;      ///< offset in `texts` of the site's source text
} tssa_emulator_site;

typedef struct tssa_emulator tssa_emulator;

/// An emulated kernel; `tssa_kernels` is a table of these.
typedef struct tssa_emulated_kernel {
  /// Runs one thread. `params[i]` is the address of parameter i.
  void (*run)(const tssa_emulator *, void *const *params);
  const tssa_emulator_site *sites;
  const char *texts; ///< texts of the sites, each ended by 0
  int32_t num_sites;
  int32_t num_params;
  /// Bytes of named (static) shared memory, which precedes the dynamic part.
  int32_t static_shared_bytes;
  /// The least and the greatest number of threads that a block may have.
  int32_t min_threads, max_threads;
} tssa_emulated_kernel;

/// One thread of the grid, as its kernel sees it. The `site` parameters are indexes
/// into `tssa_emulated_kernel::sites`.
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
  /// shfl.sync: `lane` and `clamp` as in PTX. Returns the received value in the low half; bit 32 is
  /// set if the source lane is in range.
  uint64_t (*shuffle)(const tssa_emulator *, uint32_t mask, uint32_t value, uint32_t lane,
                      uint32_t clamp, int32_t site);
  /// vote.sync: returns a mask of lanes for a ballot, else 0 or 1.
  uint32_t (*vote)(const tssa_emulator *, uint32_t mask, uint32_t predicate, int32_t site);
  /// match.sync: returns the mask of lanes in the low half; bit 32 is set if all values
  /// are equal.
  uint64_t (*match)(const tssa_emulator *, uint32_t mask, uint64_t value, int32_t site);
  /// redux.sync: returns the combined value.
  uint32_t (*reduce)(const tssa_emulator *, uint32_t mask, uint32_t value, int32_t site);
  /// Reports a division by zero, or a division of the least integer by -1.
  void (*divide)(const tssa_emulator *, int32_t site);
  /// Reports that the kernel executed a trap.
  void (*trap)(const tssa_emulator *, int32_t site);
  /// cp.async: copies `bytes` bytes of global memory to shared memory and fills the rest of the
  /// site's bytes with zeros, all at the time at which the thread waits for the copy's group.
  /// `source` is the site of the load.
  void (*copy)(const tssa_emulator *, void *to, const void *from, uint32_t bytes, int32_t source,
               int32_t site);
  /// cp.async.commit_group: makes a group of the thread's copies since the last group.
  void (*commit_copies)(const tssa_emulator *, int32_t site);
  /// cp.async.wait_group: waits until at most the thread's last `groups` groups are in flight.
  void (*await_copies)(const tssa_emulator *, uint32_t groups, int32_t site);
  /// ldmatrix: loads `count` matrices of 8 by 8 elements of 16 bits. Stores the thread's fragment
  /// of each to `fragments`. `row` is the address of a row in the first 8 * count lanes.
  void (*load_matrices)(const tssa_emulator *, const void *row, uint32_t *fragments, uint32_t count,
                        int32_t site);
  /// mma.sync: `fragments` are the thread's fragments of A (4 words), B (2) and C (4). The sum
  /// replaces that of C.
  void (*multiply_matrices)(const tssa_emulator *, uint32_t *fragments, int32_t site);
};

#ifdef __cplusplus
}
#endif
#endif // TSSA_EMULATOR_H

//===- Host.cpp - helper functions of host programs ----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Routine.h"

using namespace tssa;

extern "C" {

/// A copy of the function pointer `tssa_host::math`, which compiled code calls.
double (*tssa_math)(int32_t function, double x, double y);

void tssa_host_begin(const tssa_host *host) {
  __atomic_store_n(&tssa_math, host->math, __ATOMIC_RELAXED);
}

void *tssa_host_data(const tssa_tensor *tensor) {
  return static_cast<char *>(tensor->data) + tensor->byte_offset;
}

int32_t tssa_host_fail(const tssa_host *host, int32_t code, int32_t node, const char *text) {
  return host->fail(host, code, node, text);
}

int32_t tssa_host_poll(const tssa_host *host) {
  if (!host->poll_cancel(host))
    return TSSA_OK;
  return host->fail(host, TSSA_CANCELLED, -1, "the run was cancelled");
}

/// Returns the key of a node's random numbers. `seed` is the node's if `hasSeed` is not 0.
int64_t tssa_host_random_key(const tssa_host *host, int64_t stream, int32_t hasSeed, int64_t seed) {
  uint64_t own = static_cast<uint64_t>(seed);
  uint64_t key = host->random_key(host, static_cast<uint64_t>(stream), hasSeed ? &own : nullptr);
  return static_cast<int64_t>(key);
}

/// Runs the n iterations of a kernel, which have `flops` floating-point operations. `errors` is the
/// offset in `context` of the number that the kernel sets if an index is out of bounds.
int32_t tssa_host_launch(const tssa_host *host, int32_t launch, int32_t node, tssa_body body,
                         char *context, int64_t n, int64_t grain, int64_t flops, int32_t errors) {
  int32_t *failed = reinterpret_cast<int32_t *>(context + errors);
  *failed = 0;
  if (int32_t code = tssa_host_poll(host))
    return code;
  if (host->profile) {
    host->count_flops(host, launch, flops);
    host->profile(host, launch, 0);
  }
  if (n > grain)
    host->parallel_for(host, n, grain, body, context);
  else if (n > 0)
    body(context, 0, n);
  if (host->profile)
    host->profile(host, launch, 1);
  if (__atomic_load_n(failed, __ATOMIC_RELAXED))
    return host->fail(host, TSSA_OUT_OF_RANGE, node, "an index in the data is out of bounds");
  return TSSA_OK;
}

/// Makes sure that a chunk of a kernel gets `bytes` bytes of memory. On failure, reports an error
/// and returns its code.
int32_t tssa_host_reserve(const tssa_host *host, int32_t node, int64_t bytes) {
  if (!host->reserve_scratch(host, static_cast<uint64_t>(bytes)))
    return TSSA_OK;
  return host->fail(host, TSSA_OUT_OF_MEMORY, node,
                    "there is no memory for what the threads of a kernel compute at a time");
}

static bool hasNegative(int32_t rank, const int64_t *shape) {
  for (int32_t dim = 0; dim < rank; ++dim)
    if (shape[dim] < 0)
      return true;
  return false;
}

/// Allocates memory for a tensor. On failure, reports an error and returns null.
void *tssa_host_grow(const tssa_host *host, int32_t node, int32_t elementBytes, int32_t rank,
                     const int64_t *shape) {
  int64_t count = 1;
  bool overflow = false;
  for (int32_t dim = 0; dim < rank; ++dim)
    overflow |= __builtin_mul_overflow(count, shape[dim], &count);
  if (hasNegative(rank, shape)) {
    host->fail(host, TSSA_OUT_OF_RANGE, node, "a size that depends on data is negative");
    return nullptr;
  }
  return grow(host, node, overflow ? INT64_MAX : count, elementBytes);
}

void tssa_host_release(const tssa_host *host, void *memory) { host->release(host, memory); }

/// Returns the storage of a result. On failure, reports an error and returns null.
void *tssa_host_result(const tssa_host *host, tssa_tensor *results, int32_t index, int32_t rank,
                       const int64_t *shape) {
  if (hasNegative(rank, shape)) {
    host->fail(host, TSSA_OUT_OF_RANGE, -1, "the size of a result is negative");
    return nullptr;
  }
  return host->result(host, &results[index], index, rank, shape);
}

} // extern "C"

//===- add_model.c - a program for the runtime's tests -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The code that the compiler would generate for `sum = a + b` over f32[N,3], written by hand.
/// `mode` asks for one of the errors and excesses that the tests need:
///
///     inputs  a f32[N,3], b f32[N,3], mode i32[]
///     outputs sum f32[N,3], found i64[?]
///
/// `found` lists the indices of the positive elements of `a`: a result whose size
/// depends on data.
///
//===----------------------------------------------------------------------===//
#include "tssa/abi.h"

#define EXPORT __attribute__((visibility("default")))

enum Mode {
  Normal = 0,
  FailAtNode = 1,    ///< reports an error at node 1
  GrowForEver = 2,   ///< asks for memory until there is none
  LoopForEver = 3,   ///< runs until it is told to stop
  SilentFailure = 4, ///< returns a code without a report
  NoResult = 5,      ///< leaves `sum` out
  WrongShape = 6,    ///< makes `sum` one row too long
  UseMath = 7,       ///< adds erf(1) to each element
  DrawKey = 8,       ///< adds 20 bits of a key of random numbers to each element
  DrawOwnKey = 9,    ///< the same for a node whose seed is 5
  UseScratch = 10,   ///< adds in memory of the thread
  AskForScratch = 11 ///< the same, in memory that it asks for: as much as `sum`
};

struct Add {
  const tssa_host *host; ///< null if the sums need no memory of the thread
  const float *a, *b;
  float *sum;
  int fills; ///< whether the memory of the thread has a place for each element
};

static void addRows(void *context, int64_t begin, int64_t end) {
  struct Add *add = context;
  float own, *scratch = add->host ? add->host->acquire_scratch(add->host) : &own;
  for (int64_t i = begin * 3; i < end * 3; ++i) {
    float *sum = add->fills ? &scratch[i] : scratch;
    *sum = add->a[i] + add->b[i];
    add->sum[i] = *sum;
  }
  if (add->host)
    add->host->release_scratch(add->host, scratch);
}

EXPORT int32_t tssa_plan(const int64_t *sizes, int64_t *arena) {
  if (__builtin_mul_overflow(sizes[0], (int64_t)12, arena))
    return TSSA_OUT_OF_RANGE;
  return TSSA_OK;
}

static int32_t misbehave(const tssa_host *host, int32_t mode) {
  switch (mode) {
  case FailAtNode:
    return host->fail(host, TSSA_OUT_OF_RANGE, 1, "index 7 is not below 3");
  case GrowForEver:
    for (int i = 0; i < 1000000; ++i) {
      int8_t *memory = host->grow(host, 1 << 20);
      if (!memory)
        return TSSA_OUT_OF_MEMORY;
      memory[0] = 1;
      if (i % 3 == 0)
        host->release(host, memory);
    }
    return TSSA_OK;
  case LoopForEver:
    while (!host->poll_cancel(host)) {
    }
    return host->fail(host, TSSA_CANCELLED, -1, "told to stop");
  case SilentFailure:
    return TSSA_OUT_OF_RANGE;
  }
  return TSSA_OK;
}

static int32_t findPositive(const tssa_host *host, const float *a, int64_t count,
                            tssa_tensor *result) {
  int64_t *list = host->grow(host, (uint64_t)count * sizeof(int64_t));
  if (!list)
    return TSSA_OUT_OF_MEMORY;
  int64_t found = 0;
  for (int64_t i = 0; i < count; ++i)
    if (a[i] > 0)
      list[found++] = i;
  int64_t *out = host->result(host, result, 1, 1, &found);
  if (!out)
    return TSSA_INTERNAL;
  for (int64_t i = 0; i < found; ++i)
    out[i] = list[i];
  host->release(host, list);
  return TSSA_OK;
}

/// Returns what the mode adds to each element.
static float getExtra(const tssa_host *host, int32_t mode) {
  const uint64_t seed = 5;
  if (mode == UseMath)
    return (float)host->math(TSSA_MATH_ERF, 1, 0);
  if (mode == DrawKey || mode == DrawOwnKey)
    return (float)(host->random_key(host, 1, mode == DrawOwnKey ? &seed : 0) >> 44);
  return 0;
}

EXPORT int32_t tssa_run(const tssa_host *host, tssa_tensor *args,
                        tssa_tensor *results, void *arena) {
  int32_t mode = *(const int32_t *)args[2].data;
  int32_t code = misbehave(host, mode);
  if (code != TSSA_OK)
    return code;
  int64_t rows = args[0].shape[0];
  int64_t shape[2] = {rows + (mode == WrongShape), 3};
  if (mode == AskForScratch && host->reserve_scratch(host, (uint64_t)rows * 12))
    return host->fail(host, TSSA_OUT_OF_MEMORY, -1, "no memory of the threads");
  int usesScratch = mode == UseScratch || mode == AskForScratch;
  struct Add add = {usesScratch ? host : 0, args[0].data, args[1].data, arena,
                    mode == AskForScratch};
  const float *bias = host->weights;
  if (host->profile) {
    host->count_flops(host, 0, rows * 3);
    host->profile(host, 0, 0);
  }
  host->parallel_for(host, rows, 1, addRows, &add);
  if (host->profile)
    host->profile(host, 0, 1);
  if (mode != NoResult) {
    float *sum = host->result(host, &results[0], 0, 2, shape);
    if (!sum)
      return TSSA_INTERNAL;
    float extra = getExtra(host, mode);
    for (int64_t i = 0; i < rows * 3; ++i)
      sum[i] = add.sum[i] + bias[i % 3] + extra;
  }
  return findPositive(host, add.a, rows * 3, &results[1]);
}

//===- device_model.c - a program for devices, for the runtime's tests ---===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The code that the compiler would generate, for the CPU (no suffix) and for devices (`_1`), for:
///
///     inputs  x f32[N] overwritten, y f32[N], how i32[]
///     outputs x_new the storage of x, y_same that of y, sum f32[N]
///
/// `sum` is x + y + the weight. x is overwritten: x[i] = x[N - 1 - i] + y[i]. The kernels are for
/// the emulator; the fake driver has its own (Inputs/fake_cuda.c).
///
//===----------------------------------------------------------------------===//
#include "tssa/abi.h"
#include "tssa/emulator.h"

#define EXPORT __attribute__((visibility("default")))

enum How {
  InPlace = 0,     ///< overwrites x itself
  AsResult = 1,    ///< allocates a result that becomes x
  IndexError = 2,  ///< the kernel `add` reports an index out of bounds
  OutOfBounds = 3, ///< the kernel `mirror` writes past the end
  Endless = 4,     ///< launches kernels until it is stopped
  OnHost = 5,      ///< reverses x in memory of the host
  NoLaunch = 6     ///< starts a launch that is not in the table
};

enum { threads = 32 };

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static const tssa_emulator_site sites[] = {
    {TSSA_EMU_LOAD, TSSA_EMU_GLOBAL, -1, 4, 4, 4, 0},
    {TSSA_EMU_STORE, TSSA_EMU_GLOBAL, -1, 4, 4, 4, 0},
    {TSSA_EMU_ATOMIC, TSSA_EMU_GLOBAL, -1, 4, 4, 4, 0}};

static float load(const tssa_emulator *emulator, const float *address) {
  emulator->access(emulator, address, 0);
  return *address;
}

static void store(const tssa_emulator *emulator, float *address, float value) {
  emulator->access(emulator, address, 1);
  *address = value;
}

/// The parameters are x, y, sum, n, weight, how and errors.
static void runAdd(const tssa_emulator *emulator, void *const *params) {
  const float *x = *(float *const *)params[0], *y = *(float *const *)params[1];
  float *sum = *(float *const *)params[2];
  int64_t n = *(const int64_t *)params[3];
  const float *weight = *(float *const *)params[4];
  int32_t *errors = *(int32_t *const *)params[6];
  int64_t i = (int64_t)emulator->block * threads + emulator->thread;
  if (i >= n)
    return;
  if (*(const int32_t *)params[5] == IndexError && i == n - 1) {
    emulator->access(emulator, errors, 2);
    __atomic_fetch_or(errors, 1, __ATOMIC_RELAXED);
  }
  store(emulator, sum + i,
        load(emulator, x + i) + load(emulator, y + i) + load(emulator, weight));
}

/// The parameters are x, y, target, n, how and errors.
static void runMirror(const tssa_emulator *emulator, void *const *params) {
  const float *x = *(float *const *)params[0], *y = *(float *const *)params[1];
  float *target = *(float *const *)params[2];
  int64_t n = *(const int64_t *)params[3];
  int64_t i = (int64_t)emulator->block * threads + emulator->thread;
  if (i < n)
    store(emulator, target + i + (*(const int32_t *)params[4] == OutOfBounds),
          load(emulator, x + n - 1 - i) + load(emulator, y + i));
}

static const tssa_emulated_kernel add = {runAdd, sites, "", 3, 7, 0, 1, 1024};
static const tssa_emulated_kernel mirror = {runMirror, sites, "", 3, 6, 0, 1, 1024};
EXPORT const tssa_emulated_kernel *const tssa_kernels_1[] = {&add, &mirror};
EXPORT const tssa_emulated_kernel *const tssa_kernels_2[] = {&add, &mirror};

//===----------------------------------------------------------------------===//
// The program for devices
//===----------------------------------------------------------------------===//

static int32_t launchAdd(const tssa_host *host, void *x, void *y, void *sum, int64_t n,
                         int32_t how, int32_t number) {
  const void *weight = host->weights;
  int64_t bytes = n * 4, weightBytes = 4;
  void *params[14] = {&x, &y, &sum, &n, &weight, &how, 0, &bytes, &bytes, &bytes, 0, &weightBytes};
  return host->launch(host, number, (n + threads - 1) / threads, params);
}

static int32_t launchMirror(const tssa_host *host, void *x, void *y, void *target, int64_t n,
                            int32_t how) {
  int64_t bytes = n * 4;
  void *params[12] = {&x, &y, &target, &n, &how, 0, &bytes, &bytes, &bytes};
  return host->launch(host, 1, (n + threads - 1) / threads, params);
}

static int32_t mirrorOnHost(const tssa_host *host, void *x, void *y, int64_t n) {
  const tssa_host *own = host->on_host;
  float *a = own->grow(own, n * 4), *b = own->grow(own, n * 4), *c = own->grow(own, n * 4);
  if (!a || !b || !c)
    return TSSA_OUT_OF_MEMORY;
  int32_t code = host->copy(host, a, x, n * 4, TSSA_COPY_TO_HOST);
  if (code == TSSA_OK)
    code = host->copy(host, b, y, n * 4, TSSA_COPY_TO_HOST);
  for (int64_t i = 0; code == TSSA_OK && i < n; ++i)
    c[i] = a[n - 1 - i] + b[i];
  if (code == TSSA_OK)
    code = host->copy(host, x, c, n * 4, TSSA_COPY_TO_DEVICE);
  own->release(own, a);
  own->release(own, b);
  own->release(own, c);
  return code;
}

static int32_t mirrorInPlace(const tssa_host *host, void *x, void *y, int64_t n, int32_t how) {
  void *memory = host->grow(host, n * 4);
  if (!memory)
    return TSSA_OUT_OF_MEMORY;
  int32_t code = launchMirror(host, x, y, memory, n, how);
  if (code == TSSA_OK)
    code = host->copy(host, x, memory, n * 4, TSSA_COPY_ON_DEVICE);
  host->release(host, memory);
  return code;
}

static int32_t runOnDevice(const tssa_host *host, tssa_tensor *args, tssa_tensor *results) {
  int32_t how, code;
  if ((code = host->copy(host, &how, args[2].data, 4, TSSA_COPY_TO_HOST)))
    return code;
  int64_t n = args[0].shape[0];
  void *x = args[0].data, *y = args[1].data;
  void *sum = host->result(host, &results[2], 2, 1, &n);
  if (!sum)
    return TSSA_OUT_OF_MEMORY;
  if ((code = launchAdd(host, x, y, sum, n, how, how == NoLaunch ? 9 : 0)))
    return code;
  while (how == Endless)
    if ((code = launchAdd(host, x, y, sum, n, how, 0)))
      return code;
  if (how == OnHost)
    return mirrorOnHost(host, x, y, n);
  if (how == InPlace)
    return mirrorInPlace(host, x, y, n, how);
  void *target = host->result(host, &results[0], 0, 1, &n);
  return target ? launchMirror(host, x, y, target, n, how) : TSSA_OUT_OF_MEMORY;
}

EXPORT int32_t tssa_plan_1(const int64_t *sizes, int64_t *arena) {
  *arena = sizes[0] * 4;
  return TSSA_OK;
}

EXPORT int32_t tssa_run_1(const tssa_host *host, tssa_tensor *args, tssa_tensor *results,
                          void *arena) {
  (void)arena;
  return runOnDevice(host, args, results);
}

EXPORT int32_t tssa_plan_2(const int64_t *sizes, int64_t *arena) {
  return tssa_plan_1(sizes, arena);
}

EXPORT int32_t tssa_run_2(const tssa_host *host, tssa_tensor *args, tssa_tensor *results,
                          void *arena) {
  return tssa_run_1(host, args, results, arena);
}

//===----------------------------------------------------------------------===//
// The program for the CPU
//===----------------------------------------------------------------------===//

EXPORT int32_t tssa_plan(const int64_t *sizes, int64_t *arena) {
  *arena = sizes[0] * 4;
  return TSSA_OK;
}

EXPORT int32_t tssa_run(const tssa_host *host, tssa_tensor *args, tssa_tensor *results,
                        void *arena) {
  int32_t how = *(const int32_t *)args[2].data;
  int64_t n = args[0].shape[0];
  float *x = args[0].data, *y = args[1].data, *copy = arena;
  float *sum = host->result(host, &results[2], 2, 1, &n);
  if (!sum)
    return TSSA_OUT_OF_MEMORY;
  float *target = how == AsResult ? host->result(host, &results[0], 0, 1, &n) : x;
  if (!target)
    return TSSA_OUT_OF_MEMORY;
  for (int64_t i = 0; i < n; ++i) {
    sum[i] = x[i] + y[i] + *(const float *)host->weights;
    copy[i] = x[i];
  }
  // A separate result leaves x as it was until the end of the run.
  const float *from = how == AsResult ? x : copy;
  for (int64_t i = 0; i < n; ++i)
    target[i] = from[n - 1 - i] + y[i];
  return how == IndexError ? host->fail(host, TSSA_OUT_OF_RANGE, 0, "an index") : TSSA_OK;
}

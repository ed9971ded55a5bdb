//===- fake_cuda.c - a CUDA driver that pretends, for the runtime's tests -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A libcuda.so.1 whose device is the host: its memory is the host's, and the kernels of
/// Inputs/device_model.c are functions of this file. The variable FAKE_CUDA chooses a defect:
///
///     old            a driver of CUDA 11.4
///     no-device      no device
///     broken         cuInit fails
///     sm_70, sm_80   a device of that arch
///     no-cubin       refuses cubins
///     no-jit         has no compiler for PTX
///     load-faults    a fault of an earlier kernel when an image is loaded
///     jit-fails      refuses all images, with a log
///     no-memory      has 64 KiB of memory
///     fault          a kernel makes an illegal access
///
//===----------------------------------------------------------------------===//
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { success = 0, outOfMemory = 2, notInitialized = 3, noDevice = 100, invalidImage = 200,
       noBinary = 209, invalidPTX = 218, noCompiler = 221, notFound = 500, illegalAddress = 700 };

static int is(const char *what) {
  const char *chosen = getenv("FAKE_CUDA");
  return chosen && strcmp(chosen, what) == 0;
}

static int entered, fault;
static size_t used;

EXPORT int cuGetErrorName(int error, const char **name) {
  *name = error == outOfMemory      ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == notInitialized ? "CUDA_ERROR_NOT_INITIALIZED"
          : error == invalidImage   ? "CUDA_ERROR_INVALID_IMAGE"
          : error == noBinary       ? "CUDA_ERROR_NO_BINARY_FOR_GPU"
          : error == invalidPTX     ? "CUDA_ERROR_INVALID_PTX"
          : error == noCompiler     ? "CUDA_ERROR_JIT_COMPILER_NOT_FOUND"
          : error == illegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                    : "CUDA_ERROR_UNKNOWN";
  return success;
}
EXPORT int cuGetErrorString(int error, const char **text) {
  (void)error;
  *text = "as the fake driver was told";
  return success;
}
EXPORT int cuInit(unsigned flags) { return flags || is("broken") ? notInitialized : success; }
EXPORT int cuDriverGetVersion(int *version) {
  *version = is("old") ? 11040 : 13000;
  return success;
}
EXPORT int cuDeviceGetCount(int *count) {
  *count = 1;
  return is("no-device") ? noDevice : success;
}
EXPORT int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal + 40;
  return success;
}
EXPORT int cuDeviceGetName(char *name, int size, int device) {
  (void)device;
  strncpy(name, "Pretender", (size_t)size);
  return success;
}
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  *value = attribute == 75 ? (is("sm_70") ? 7 : is("sm_80") ? 8 : 9) : 0;
  return success;
}
EXPORT int cuDevicePrimaryCtxRetain(void **context, int device) {
  *context = &used;
  return device == 40 ? success : noDevice;
}
EXPORT int cuDevicePrimaryCtxRelease_v2(int device) { return device == 40 ? success : noDevice; }
EXPORT int cuCtxPushCurrent_v2(void *context) {
  __atomic_fetch_add(&entered, 1, __ATOMIC_RELAXED);
  return context == &used ? success : notInitialized;
}
EXPORT int cuCtxPopCurrent_v2(void **context) {
  *context = &used;
  __atomic_fetch_sub(&entered, 1, __ATOMIC_RELAXED);
  return success;
}

/// The status that each call in the context returns before it does anything.
static int answer(void) { return entered <= 0 ? notInitialized : fault; }

EXPORT int cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                              const int *options, void **values) {
  int cubin = strncmp(image, "cubin", 5) == 0;
  if (is("jit-fails"))
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == 5 && !cubin)
        strcpy(values[i], "ptxas fatal: unexpected token");
  *module = &entered;
  return is("jit-fails") ? (cubin ? noBinary : invalidPTX)
         : cubin && is("no-cubin") ? invalidImage
         : !cubin && is("no-jit")  ? noCompiler
         : is("load-faults")       ? illegalAddress
                                   : answer();
}
EXPORT int cuModuleUnload(void *module) { return module == &entered ? answer() : notFound; }

static void runAdd(void **params, int64_t threads) {
  const float *x = *(float **)params[0], *y = *(float **)params[1];
  float *sum = *(float **)params[2];
  const float *weight = *(float **)params[4];
  int64_t n = *(int64_t *)params[3];
  for (int64_t i = 0; i < n && i < threads; ++i)
    sum[i] = x[i] + y[i] + *weight;
  if (*(int32_t *)params[5] == 2)
    **(int32_t **)params[6] = 1;
}
static void runMirror(void **params, int64_t threads) {
  const float *x = *(float **)params[0], *y = *(float **)params[1];
  float *target = *(float **)params[2];
  int64_t n = *(int64_t *)params[3];
  for (int64_t i = 0; i < n && i < threads; ++i)
    target[i] = x[n - 1 - i] + y[i];
}

EXPORT int cuModuleGetFunction(void **function, void *module, const char *name) {
  (void)module;
  *function = strcmp(name, "add") == 0 ? (void *)runAdd
              : strcmp(name, "mirror") == 0 ? (void *)runMirror
                                            : NULL;
  return *function ? answer() : notFound;
}
EXPORT int cuFuncSetAttribute(void *function, int attribute, int value) {
  (void)function;
  return attribute == 8 && value > 48 << 10 ? answer() : notFound;
}
EXPORT int cuMemAlloc_v2(uint64_t *pointer, size_t bytes) {
  if (answer())
    return answer();
  if (is("no-memory") && used + bytes > 64 << 10)
    return outOfMemory;
  used += bytes;
  void *memory = NULL;
  if (posix_memalign(&memory, 256, bytes))
    return outOfMemory;
  *pointer = (uint64_t)memory;
  return success;
}
EXPORT int cuMemFree_v2(uint64_t pointer) {
  free((void *)pointer);
  return answer();
}
EXPORT int cuMemGetInfo_v2(size_t *available, size_t *total) {
  *total = 64 << 10;
  *available = *total - used;
  return answer();
}
EXPORT int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream) {
  if (!stream || answer())
    return answer() ? answer() : notFound;
  memcpy((void *)to, from, bytes);
  return success;
}
EXPORT int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
  return cuMemcpyHtoDAsync_v2((uint64_t)to, (const void *)from, bytes, stream);
}
EXPORT int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream) {
  return cuMemcpyHtoDAsync_v2(to, (const void *)from, bytes, stream);
}
EXPORT int cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, void *stream) {
  if (!stream || answer())
    return answer() ? answer() : notFound;
  memset((void *)to, value, bytes);
  return success;
}
EXPORT int cuStreamCreate(void **stream, unsigned flags) {
  *stream = malloc(1);
  return flags == 1 ? answer() : notFound;
}
EXPORT int cuStreamDestroy_v2(void *stream) {
  free(stream);
  return answer();
}
EXPORT int cuStreamSynchronize(void *stream) {
  (void)stream;
  return answer();
}
EXPORT int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned threads,
                          unsigned y1, unsigned z1, unsigned shared, void *stream, void **params,
                          void **extra) {
  if (answer())
    return answer();
  (void)shared;
  if (!stream || extra || y != 1 || z != 1 || y1 != 1 || z1 != 1)
    return notFound;
  void (*run)(void **, int64_t) = (void (*)(void **, int64_t))function;
  run(params, (int64_t)x * threads);
  if (is("fault"))
    fault = illegalAddress; // the next call reports it
  return success;
}

//===- CUDADriver.h - NVIDIA's driver, if there is one --------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// libcuda.so.1 is opened when a program for CUDA is loaded; the dynamic linker searches for it in
/// the usual folders. This header declares the functions that are used, so no CUDA toolkit is
/// needed.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_DEVICE_CUDADRIVER_H
#define TSSA_LIB_RUNTIME_DEVICE_CUDADRIVER_H

#include "tssa/Runtime/Status.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tssa::runtime {

/// The driver's types and constants, as far as this library uses them.
namespace cu {
using Result = int;
using Device = int;
using Context = struct ContextTag *;
using Module = struct ModuleTag *;
using Function = struct FunctionTag *;
using Stream = struct StreamTag *;
using Pointer = uint64_t;

constexpr Result success = 0, outOfMemory = 2, noDevice = 100;
/// Attributes of devices.
constexpr int majorVersion = 75, minorVersion = 76;
/// Attributes of functions.
constexpr int maxDynamicSharedBytes = 8;
/// Options of the JIT compiler.
constexpr int errorLog = 5, errorLogBytes = 6;
constexpr unsigned nonBlockingStream = 1;
} // namespace cu

/// The functions that this library uses: the name in libcuda, the name of the member, and the
/// parameters.
#define TSSA_CUDA_FUNCTIONS(X)                                                                     \
  X("cuInit", init, (unsigned))                                                                    \
  X("cuDriverGetVersion", driverGetVersion, (int *))                                               \
  X("cuDeviceGetCount", deviceGetCount, (int *))                                                   \
  X("cuDeviceGet", deviceGet, (cu::Device *, int))                                                 \
  X("cuDeviceGetName", deviceGetName, (char *, int, cu::Device))                                   \
  X("cuDeviceGetAttribute", deviceGetAttribute, (int *, int, cu::Device))                          \
  X("cuDevicePrimaryCtxRetain", primaryContextRetain, (cu::Context *, cu::Device))                 \
  X("cuDevicePrimaryCtxRelease_v2", primaryContextRelease, (cu::Device))                           \
  X("cuCtxPushCurrent_v2", contextPush, (cu::Context))                                             \
  X("cuCtxPopCurrent_v2", contextPop, (cu::Context *))                                             \
  X("cuModuleLoadDataEx", moduleLoad,                                                              \
    (cu::Module *, const void *, unsigned, const int *, void **))                                  \
  X("cuModuleUnload", moduleUnload, (cu::Module))                                                  \
  X("cuModuleGetFunction", moduleGetFunction, (cu::Function *, cu::Module, const char *))          \
  X("cuFuncSetAttribute", functionSetAttribute, (cu::Function, int, int))                          \
  X("cuMemAlloc_v2", memoryAllocate, (cu::Pointer *, size_t))                                      \
  X("cuMemFree_v2", memoryFree, (cu::Pointer))                                                     \
  X("cuMemGetInfo_v2", memoryGetInfo, (size_t *, size_t *))                                        \
  X("cuMemcpyHtoDAsync_v2", copyToDevice, (cu::Pointer, const void *, size_t, cu::Stream))         \
  X("cuMemcpyDtoHAsync_v2", copyToHost, (void *, cu::Pointer, size_t, cu::Stream))                 \
  X("cuMemcpyDtoDAsync_v2", copyOnDevice, (cu::Pointer, cu::Pointer, size_t, cu::Stream))          \
  X("cuMemsetD8Async", memorySet, (cu::Pointer, unsigned char, size_t, cu::Stream))                \
  X("cuStreamCreate", streamCreate, (cu::Stream *, unsigned))                                      \
  X("cuStreamDestroy_v2", streamDestroy, (cu::Stream))                                             \
  X("cuStreamSynchronize", streamSynchronize, (cu::Stream))                                        \
  X("cuLaunchKernel", launchKernel,                                                                \
    (cu::Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,           \
     cu::Stream, void **, void **))                                                                \
  X("cuGetErrorName", getErrorName, (cu::Result, const char **))                                   \
  X("cuGetErrorString", getErrorString, (cu::Result, const char **))

/// The driver's functions and devices.
struct CUDADriver {
  struct DeviceInfo {
    std::string name; ///< "NVIDIA H200"
    int arch = 0;     ///< 90 for sm_90
  };

#define TSSA_DECLARE(symbol, member, parameters) cu::Result(*member) parameters = nullptr;
  TSSA_CUDA_FUNCTIONS(TSSA_DECLARE)
#undef TSSA_DECLARE
  int version = 0; ///< 12040 for 12.4
  std::vector<DeviceInfo> devices;

  /// Sets `driver` to the process's driver, which the first call opens and queries for
  /// devices. Returns TSSA_INCOMPATIBLE, with the reason, if there is no usable driver.
  static Status get(const CUDADriver *&driver);

  /// Returns "CUDA_ERROR_X (what it means)".
  std::string describe(cu::Result result) const;
  /// Returns success, or the error "<what>: CUDA_ERROR_X (what it means)".
  Status check(cu::Result result, const std::string &what) const;

private:
  Status open();
  Status findDevices();
};

/// Returns the version as text, such as "12.4" for 12040.
std::string describeCUDAVersion(int version);

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_DEVICE_CUDADRIVER_H

//===- CUDADriver.cpp -----------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CUDADriver.h"

#include <dlfcn.h>

using namespace tssa::runtime;

/// The first driver version that accepts PTX 8.1, with which kernels may have 32,764 bytes of
/// parameters.
static constexpr int leastVersion = 12010;
static constexpr char libraryName[] = "libcuda.so.1";

static Status incompatible(std::string message) {
  return makeError(TSSA_INCOMPATIBLE, std::move(message));
}

std::string tssa::runtime::describeCUDAVersion(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string CUDADriver::describe(cu::Result result) const {
  const char *name = nullptr, *text = nullptr;
  if (!getErrorName || getErrorName(result, &name) != cu::success || !name)
    return "error " + std::to_string(result);
  if (getErrorString(result, &text) != cu::success || !text)
    return name;
  return std::string(name) + " (" + text + ")";
}

Status CUDADriver::check(cu::Result result, const std::string &what) const {
  if (result == cu::success)
    return Status::success();
  return makeError(result == cu::outOfMemory ? TSSA_OUT_OF_MEMORY : TSSA_INTERNAL,
                   what + ": " + describe(result));
}

Status CUDADriver::get(const CUDADriver *&driver) {
  // The driver is opened once and never closed, because it runs threads of its own.
  static CUDADriver opened;
  static const Status status = opened.open();
  driver = &opened;
  return status;
}

Status CUDADriver::open() {
  void *library = dlopen(libraryName, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return incompatible(std::string("there is no CUDA driver: ") + (reason ? reason : libraryName));
  }
  std::string missing;
#define TSSA_RESOLVE(symbol, member, parameters)                                                   \
  member = reinterpret_cast<decltype(member)>(dlsym(library, symbol));                             \
  if (!member && missing.empty())                                                                  \
    missing = symbol;
  TSSA_CUDA_FUNCTIONS(TSSA_RESOLVE)
#undef TSSA_RESOLVE
  if (driverGetVersion && driverGetVersion(&version) == cu::success && version < leastVersion)
    return incompatible("the CUDA driver is too old: expected CUDA " +
                        describeCUDAVersion(leastVersion) + " or later, found " +
                        describeCUDAVersion(version));
  if (!missing.empty())
    return incompatible("the CUDA driver lacks " + missing);
  return findDevices();
}

Status CUDADriver::findDevices() {
  int count = 0;
  cu::Result result = init(0);
  if (result == cu::success)
    result = deviceGetCount(&count);
  if (result == cu::noDevice)
    count = 0;
  else if (result != cu::success)
    return incompatible("the CUDA driver does not work: " + describe(result));
  for (int i = 0; i < count; ++i) {
    cu::Device device = 0;
    char name[256] = {};
    int major = 0, minor = 0;
    if (deviceGet(&device, i) != cu::success ||
        deviceGetName(name, sizeof(name) - 1, device) != cu::success ||
        deviceGetAttribute(&major, cu::majorVersion, device) != cu::success ||
        deviceGetAttribute(&minor, cu::minorVersion, device) != cu::success)
      return incompatible("CUDA device " + std::to_string(i) + " does not answer");
    devices.push_back({name, major * 10 + minor});
  }
  if (devices.empty())
    return incompatible("there is no CUDA device");
  return Status::success();
}

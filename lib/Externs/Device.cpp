//===- Device.cpp - helper functions of host programs for devices --------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Routine.h"

using namespace tssa;

using ExternRoutine = int32_t(const tssa_host *, int32_t node, tssa_tensor *tensors,
                              const Attributes *attributes);

/// DLPack's device type of host memory.
static constexpr int32_t deviceCPU = 1;

static int64_t countBytes(const tssa_tensor &tensor) {
  return countElements(tensor) * getElementSize(tensor);
}

extern "C" {

int32_t tssa_host_launch_blocks(const tssa_host *host, int32_t launch, int64_t blocks,
                                int64_t flops, void **params) {
  if (host->profile)
    host->count_flops(host, launch, flops);
  return host->launch(host, launch, blocks, params);
}

int32_t tssa_host_copy(const tssa_host *host, void *to, const void *from, int64_t bytes,
                       int32_t kind) {
  return bytes > 0 ? host->copy(host, to, from, bytes, kind) : TSSA_OK;
}

/// Copies the inputs of a routine to host memory, calls the routine on the copies, and copies its
/// results to the device.
int32_t tssa_host_extern(const tssa_host *host, int32_t node, ExternRoutine *routine,
                         tssa_tensor *tensors, int32_t numInputs, int32_t numResults,
                         const Attributes *attributes) {
  const tssa_host *own = host->on_host;
  int32_t count = numInputs + numResults;
  Scratch<void *> deviceData(own, node, count); // on the device
  if (!deviceData)
    return TSSA_OUT_OF_MEMORY;
  for (int32_t i = 0; i < count; ++i) {
    tssa_tensor &tensor = tensors[i];
    deviceData[i] = tensor.data;
    if (tensor.device.type == deviceCPU || !tensor.data)
      continue;
    if (!allocate(own, node, tensor))
      return TSSA_OUT_OF_MEMORY;
    if (i < numInputs)
      if (int32_t code = tssa_host_copy(host, tensor.data, deviceData[i], countBytes(tensor),
                                        TSSA_COPY_TO_HOST))
        return code;
  }
  if (int32_t code = routine(own, node, tensors, attributes))
    return code;
  for (int32_t i = 0; i < count; ++i) {
    tssa_tensor &tensor = tensors[i];
    if (tensor.device.type == deviceCPU)
      continue;
    void *copy = tensor.data;
    tensor.data = deviceData[i];
    if (!tensor.data && !allocate(host, node, tensor))
      return TSSA_OUT_OF_MEMORY;
    if (i >= numInputs)
      if (int32_t code =
              tssa_host_copy(host, tensor.data, copy, countBytes(tensor), TSSA_COPY_TO_DEVICE))
        return code;
    own->release(own, copy);
  }
  return TSSA_OK;
}

} // extern "C"

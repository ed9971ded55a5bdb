//===- EmulatorDevice.cpp -------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "EmulatorDevice.h"

#include <cstdlib>
#include <cstring>

using namespace tssa::runtime;

/// The difference between a device address and the address of its host memory. It makes device
/// addresses invalid on the host, so that a host program that accesses device memory directly
/// crashes as it would with a GPU.
static constexpr uintptr_t deviceTag = uintptr_t(1) << 62;

static bool isOnDevice(const void *address) {
  return reinterpret_cast<uintptr_t>(address) & deviceTag;
}

static void *toDevice(void *address) {
  return reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(address) + deviceTag);
}

static void *toHost(const void *address) {
  return reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(address) - deviceTag);
}

namespace tssa::runtime {

/// A stream whose functions complete their work before they return.
class EmulatorStream : public Stream {
public:
  explicit EmulatorStream(const EmulatorDevice &device) : device(device) {}
  Status copy(void *to, const void *from, uint64_t bytes, tssa_copy_kind kind) override;
  Status clear(void *memory, uint64_t bytes) override {
    if (bytes)
      std::memset(toHost(memory), 0, bytes);
    return Status::success();
  }
  Status launch(const KernelLaunch &launch) override;
  Status wait() override { return Status::success(); }

private:
  const EmulatorDevice &device;

  Status translate(const KernelLaunch &launch, std::vector<void *> &addresses,
                   std::vector<void *> &params) const;
};

} // namespace tssa::runtime

Status EmulatorDevice::create(const Variant &variant, const tssa_emulated_kernel *const *kernels,
                              std::unique_ptr<Device> &result) {
  std::unique_ptr<EmulatorDevice> device(new EmulatorDevice(variant, kernels));
  if (Status status = emulator::Options::fromEnvironment(device->options); !status.ok())
    return status;
  for (size_t i = 0; i < variant.kernels.size(); ++i)
    if (kernels[i]->num_params != variant.kernels[i].parameters)
      return makeError(TSSA_INTERNAL, "emulated kernel '" + variant.kernels[i].name + "' has " +
                                          std::to_string(kernels[i]->num_params) +
                                          " parameters, the manifest says " +
                                          std::to_string(variant.kernels[i].parameters));
  result = std::move(device);
  return Status::success();
}

Status EmulatorDevice::allocate(uint64_t bytes, void *&memory) {
  constexpr uint64_t alignment = 256;
  if (::posix_memalign(&memory, alignment, bytes) == 0) {
    memory = toDevice(memory);
    return Status::success();
  }
  memory = nullptr;
  return makeError(TSSA_OUT_OF_MEMORY,
                   name + ": cannot allocate " + std::to_string(bytes) + " bytes");
}

void EmulatorDevice::free(void *memory) { std::free(toHost(memory)); }

Status EmulatorDevice::makeStream(std::unique_ptr<Stream> &stream) {
  stream = std::make_unique<EmulatorStream>(*this);
  return Status::success();
}

static void add(const emulator::Counters &from, LaunchCounters &to) {
  to.blocks += from.blocks;
  to.accesses += from.accesses;
  to.globalAccesses += from.globalAccesses;
  to.globalTransactions += from.globalTransactions;
  to.sharedAccesses += from.sharedAccesses;
  to.sharedConflicts += from.sharedConflicts;
  to.barriers += from.barriers;
  to.warpOperations += from.warpOperations;
}

Status EmulatorStream::copy(void *to, const void *from, uint64_t bytes, tssa_copy_kind kind) {
  if (bytes == 0)
    return Status::success();
  bool fromDevice = kind != TSSA_COPY_TO_DEVICE, toDevice = kind != TSSA_COPY_TO_HOST;
  if (isOnDevice(from) != fromDevice || isOnDevice(to) != toDevice)
    return makeError(TSSA_INTERNAL, std::string("the addresses are for a copy ") +
                                        (isOnDevice(from) ? "from the device " : "from the host ") +
                                        (isOnDevice(to) ? "to the device" : "to the host") +
                                        ", but another direction is requested");
  std::memcpy(toDevice ? toHost(to) : to, fromDevice ? toHost(from) : from, bytes);
  return Status::success();
}

/// Translates the device addresses among the parameters to host addresses.
Status EmulatorStream::translate(const KernelLaunch &launch, std::vector<void *> &addresses,
                                 std::vector<void *> &params) const {
  size_t count = size_t(device.variant.kernels[launch.kernel].parameters);
  addresses.resize(count);
  params.assign(launch.params, launch.params + 2 * count);
  for (size_t i = 0; i < count; ++i) {
    const int64_t *bytes = static_cast<const int64_t *>(params[count + i]);
    if (!bytes)
      continue;
    void *address = *static_cast<void **>(params[i]);
    if (!isOnDevice(address) && *bytes != 0)
      return makeError(TSSA_INTERNAL, "kernel '" + device.variant.kernels[launch.kernel].name +
                                          "': parameter " + std::to_string(i) +
                                          " is not in the device's memory");
    addresses[i] = isOnDevice(address) ? toHost(address) : address;
    params[i] = &addresses[i];
  }
  return Status::success();
}

Status EmulatorStream::launch(const KernelLaunch &launch) {
  const Kernel &kernel = device.variant.kernels[launch.kernel];
  std::vector<void *> addresses, params;
  if (Status status = translate(launch, addresses, params); !status.ok())
    return status;
  emulator::EmulatedLaunch emulated;
  emulated.kernel = device.kernels[launch.kernel];
  emulated.name = kernel.name;
  emulated.node = launch.node;
  emulated.blocks = launch.blocks;
  emulated.threads = kernel.threads;
  emulated.sharedBytes = kernel.sharedBytes;
  emulated.params = params.data();
  emulator::Options options = device.options;
  options.shouldStop = launch.shouldStop;
  options.count = launch.counters != nullptr;
  emulator::Counters counters;
  Status status = emulator::launch(emulated, options, &counters);
  if (launch.counters)
    add(counters, *launch.counters);
  return status;
}

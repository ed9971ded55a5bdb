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

namespace tssa::runtime {

/// Everything is done when it is started.
class EmulatorStream : public Stream {
public:
  explicit EmulatorStream(const EmulatorDevice &device) : device(device) {}
  Status copy(void *to, const void *from, uint64_t bytes, tssa_copy_kind) override {
    if (bytes)
      std::memcpy(to, from, bytes);
    return Status::success();
  }
  Status clear(void *memory, uint64_t bytes) override {
    if (bytes)
      std::memset(memory, 0, bytes);
    return Status::success();
  }
  Status launch(const KernelLaunch &launch) override;
  Status wait() override { return Status::success(); }

private:
  const EmulatorDevice &device;
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
  if (::posix_memalign(&memory, alignment, bytes) == 0)
    return Status::success();
  memory = nullptr;
  return makeError(TSSA_OUT_OF_MEMORY, name + ": cannot allocate " + std::to_string(bytes) +
                                           " bytes");
}

void EmulatorDevice::free(void *memory) { std::free(memory); }

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

Status EmulatorStream::launch(const KernelLaunch &launch) {
  const Kernel &kernel = device.variant.kernels[launch.kernel];
  emulator::Launch emulated;
  emulated.kernel = device.kernels[launch.kernel];
  emulated.name = kernel.name;
  emulated.node = launch.node;
  emulated.blocks = launch.blocks;
  emulated.threads = kernel.threads;
  emulated.sharedBytes = kernel.sharedBytes;
  emulated.params = launch.params;
  emulator::Options options = device.options;
  options.shouldStop = launch.shouldStop;
  options.count = launch.counters != nullptr;
  emulator::Counters counters;
  Status status = emulator::launch(emulated, options, &counters);
  if (launch.counters)
    add(counters, *launch.counters);
  return status;
}

//===- CUDADevice.h - an NVIDIA GPU ---------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_DEVICE_CUDADEVICE_H
#define TSSA_LIB_RUNTIME_DEVICE_CUDADEVICE_H

#include "CUDADriver.h"
#include "Device.h"

#include <mutex>

namespace tssa::runtime {

/// Returns whether a device of arch `device` can run an image (GPUArch::runsOn).
bool runsOn(const Image &image, int device);

/// One GPU with the kernels of a variant. It uses the GPU's primary context, so that device
/// memory can be shared with other libraries in this process.
class CUDADevice : public Device {
public:
  /// Loads the kernels. `images` are the bytes of `variant.images`. A cubin that fits is
  /// preferred to PTX. If the driver refuses the images, the error has the reason and, for
  /// PTX, the compiler's log.
  static Status create(const CUDADriver &driver, int ordinal, const Variant &variant,
                       const std::vector<std::string> &images, std::unique_ptr<Device> &device);
  ~CUDADevice() override;

  const std::string &getName() const override { return name; }
  tssa_device getDevice() const override { return {2, ordinal}; }
  Status allocate(uint64_t bytes, void *&memory) override;
  void free(void *memory) override;
  Status makeStream(std::unique_ptr<Stream> &stream) override;

private:
  friend class CUDAStream;
  class Entered;

  CUDADevice(const CUDADriver &driver, int ordinal, const Variant &variant);
  const CUDADriver &driver;
  const int ordinal;
  const Variant &variant;
  std::string name;
  bool waitForEach = false; ///< TSSA_CUDA_WAIT=1: wait after each launch, to find its faults
  cu::Device device = 0;
  cu::Context context = nullptr;
  cu::Module module = nullptr;
  std::vector<cu::Function> functions; ///< by kernel

  std::mutex mutex;                    ///< guards what follows
  std::vector<cu::Stream> idleStreams; ///< of past runs
  std::string fault;                   ///< the error that broke the context, or empty

  Status load(const std::vector<std::string> &images);
  Status loadImage(const Image &image, const std::string &bytes, std::string &refusals);
  Status findFunctions();
  /// Returns the error for a stream's call that failed. If the error is a kernel's fault, records
  /// it, because the context is unusable from then on.
  Status fail(cu::Result result, const std::string &what);
  Status checkFault();
};

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_DEVICE_CUDADEVICE_H

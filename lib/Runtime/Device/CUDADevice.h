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

/// Whether a device of arch `device` runs an image: a cubin of the same major arch and
/// no later minor one, or PTX for no later arch, which its driver compiles.
bool runsOn(const Image &image, int device);

/// The kernels of a variant on one GPU, in its primary context: memory that others in
/// this process allocate there and ours see one another.
class CUDADevice : public Device {
public:
  /// `images` are the bytes of `variant.images`. Takes a cubin that fits before PTX; a
  /// refused image is an error with the reason, and the compiler's log for PTX.
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
  bool waitForEach = false; ///< TSSA_CUDA_WAIT=1: faults show at their launch
  cu::Device device = 0;
  cu::Context context = nullptr;
  cu::Module module = nullptr;
  std::vector<cu::Function> functions; ///< by kernel

  std::mutex mutex;                    ///< guards what follows
  std::vector<cu::Stream> idleStreams; ///< of past runs: never more than there were at once
  std::string fault;                   ///< what made the context useless, if anything did

  Status load(const std::vector<std::string> &images);
  Status loadImage(const Image &image, const std::string &bytes, std::string &refusals);
  Status findFunctions();
  /// What a failed call of a stream says; a fault of a kernel is for ever.
  Status fail(cu::Result result, const std::string &what);
  Status checkFault();
};

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_DEVICE_CUDADEVICE_H

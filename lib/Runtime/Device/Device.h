//===- Device.h - what a program needs of a device ------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A device is memory, kernels and streams of work on both. Two of them: NVIDIA GPUs
/// through their driver (CUDADevice.h), and the emulator on the host (EmulatorDevice.h).
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_DEVICE_DEVICE_H
#define TSSA_LIB_RUNTIME_DEVICE_DEVICE_H

#include "tssa/Runtime/Manifest.h"
#include "tssa/Runtime/Options.h"

#include <functional>
#include <memory>

namespace tssa::runtime {

/// One launch of a kernel of the variant that a device was made for.
struct KernelLaunch {
  size_t kernel = 0; ///< into the variant's kernels
  std::string node;  ///< of the model, for messages
  int64_t blocks = 0;
  /// As tssa_host::launch has them, the error word's address filled in.
  void **params = nullptr;
  /// Asked now and then where the host itself runs the kernel.
  std::function<bool()> shouldStop;
  /// What the kernel did is added to this, where the device counts; may be null.
  LaunchCounters *counters = nullptr;
};

/// Work in order on a device, that of one run. Not for several threads at once.
class Stream {
public:
  virtual ~Stream() = default;
  /// Starts a copy. `from` may change at once where it is the host's; `to` holds the
  /// bytes after `wait` where it is the host's.
  virtual Status copy(void *to, const void *from, uint64_t bytes, tssa_copy_kind kind) = 0;
  /// Starts to fill device memory with zeros.
  virtual Status clear(void *memory, uint64_t bytes) = 0;
  virtual Status launch(const KernelLaunch &launch) = 0;
  /// Returns when all that was started is done.
  virtual Status wait() = 0;
  /// Which kernels a fault that shows now may come from: " after kernel 'k'", or "".
  virtual std::string describePending() const { return ""; }
};

/// A device with the kernels of one variant. For any number of threads at once.
class Device {
public:
  virtual ~Device() = default;
  /// "cuda:0 (NVIDIA H200, sm_90)".
  virtual const std::string &getName() const = 0;
  /// How its tensors say where they are.
  virtual tssa_device getDevice() const = 0;
  /// Memory aligned to 256 bytes. Out of memory is TSSA_OUT_OF_MEMORY.
  virtual Status allocate(uint64_t bytes, void *&memory) = 0;
  virtual void free(void *memory) = 0;
  virtual Status makeStream(std::unique_ptr<Stream> &stream) = 0;
};

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_DEVICE_DEVICE_H

//===- Device.h - the interface of devices --------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A device has memory, kernels, and streams of work. There are two implementations: NVIDIA
/// GPUs through their driver (CUDADevice.h), and the emulator on the host
/// (EmulatorDevice.h).
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_DEVICE_DEVICE_H
#define TSSA_LIB_RUNTIME_DEVICE_DEVICE_H

#include "tssa/Runtime/Manifest.h"
#include "tssa/Runtime/Options.h"

#include <functional>
#include <memory>

namespace tssa::runtime {

/// One launch of a kernel of the device's variant.
struct KernelLaunch {
  size_t kernel = 0; ///< an index into the variant's kernels
  std::string node;  ///< the node's name, for messages
  int64_t blocks = 0;
  /// The parameters as in tssa_host::launch, with the address of the error word filled in.
  void **params = nullptr;
  /// Called from time to time if the host runs the kernel; true stops the launch.
  std::function<bool()> shouldStop;
  /// If not null, a device that has counters adds the values of this launch to these counters.
  LaunchCounters *counters = nullptr;
};

/// The work of one run on a device. The device does this work in order. A stream is not
/// thread-safe.
class Stream {
public:
  virtual ~Stream() = default;
  /// Starts a copy. If `from` is host memory, the caller may change it as soon as this
  /// returns. If `to` is host memory, it has the bytes after `wait`.
  virtual Status copy(void *to, const void *from, uint64_t bytes, tssa_copy_kind kind) = 0;
  /// Starts to fill device memory with zeros.
  virtual Status clear(void *memory, uint64_t bytes) = 0;
  virtual Status launch(const KernelLaunch &launch) = 0;
  /// Waits until all work of this stream is done.
  virtual Status wait() = 0;
  /// Returns which kernels may have caused a fault that is detected now, in a text such as " after
  /// kernel 'k'", or "" if none can have.
  virtual std::string describePending() const { return ""; }
};

/// A device with the kernels of one variant. It is thread-safe.
class Device {
public:
  virtual ~Device() = default;
  /// Returns a name such as "cuda:0 (NVIDIA H200, sm_90)".
  virtual const std::string &getName() const = 0;
  /// Returns the DLPack device of tensors in its memory.
  virtual tssa_device getDevice() const = 0;
  /// Allocates memory aligned to 256 bytes. Returns TSSA_OUT_OF_MEMORY if there is too little.
  virtual Status allocate(uint64_t bytes, void *&memory) = 0;
  virtual void free(void *memory) = 0;
  virtual Status makeStream(std::unique_ptr<Stream> &stream) = 0;
};

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_DEVICE_DEVICE_H

//===- EmulatorDevice.h - the emulator as a device ------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_DEVICE_EMULATORDEVICE_H
#define TSSA_LIB_RUNTIME_DEVICE_EMULATORDEVICE_H

#include "Device.h"
#include "lib/Runtime/Emulator/Emulator.h"

namespace tssa::runtime {

/// A device that runs the emulated kernels of a variant. Its memory is host memory. A launch
/// runs to its end in the calling thread, and detects faults that a GPU would not report.
class EmulatorDevice : public Device {
public:
  /// `kernels` is the program's table of kernels, in the order of `variant.kernels`. The
  /// emulator's options come from the environment.
  static Status create(const Variant &variant, const tssa_emulated_kernel *const *kernels,
                       std::unique_ptr<Device> &device);

  const std::string &getName() const override { return name; }
  tssa_device getDevice() const override { return {12, 0}; }
  Status allocate(uint64_t bytes, void *&memory) override;
  void free(void *memory) override;
  Status makeStream(std::unique_ptr<Stream> &stream) override;

private:
  friend class EmulatorStream;
  EmulatorDevice(const Variant &variant, const tssa_emulated_kernel *const *kernels)
      : variant(variant), kernels(kernels) {}
  const std::string name = "cuda-emu";
  const Variant &variant;
  const tssa_emulated_kernel *const *kernels;
  emulator::Options options;
};

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_DEVICE_EMULATORDEVICE_H

//===- DeviceRun.h - one run of a program on a device ---------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_DEVICE_DEVICERUN_H
#define TSSA_LIB_RUNTIME_DEVICE_DEVICERUN_H

#include "DeviceMemory.h"

namespace tssa::runtime {

/// The state that the runs of a session on a device share: the device with the variant's
/// kernels, the weights on the device, and free device memory.
class DeviceProgram {
public:
  /// Creates a program and copies the weights, `variant.weights.size` bytes at `weights`, to
  /// the device.
  static Status create(const Variant &variant, std::unique_ptr<Device> device, const void *weights,
                       std::unique_ptr<DeviceProgram> &program);
  ~DeviceProgram();

  Device &getDevice() { return *device; }
  DevicePool &getPool() { return pool; }
  const void *getWeights() const { return weights; }
  /// Returns the index of the kernel that launch `launch` starts; nothing if there is no such
  /// launch.
  std::optional<size_t> getKernel(int32_t launch) const;

private:
  explicit DeviceProgram(std::unique_ptr<Device> device)
      : device(std::move(device)), pool(*this->device) {}
  std::unique_ptr<Device> device;
  DevicePool pool;
  void *weights = nullptr;
  std::vector<std::optional<size_t>> kernels; ///< by launch

  Status upload(const void *from, uint64_t bytes);
};

/// An error of a run. `node` is an index into the manifest's nodes, or -1 for none.
struct RunFault {
  tssa_code code = TSSA_OK;
  int32_t node = -1;
  std::string text;

  bool ok() const { return code == TSSA_OK; }
};

/// The stream, memory and error words of a run. There is one error word per launch of the
/// launch table; a kernel sets it when an index in the data is out of bounds. Only
/// `allocate` and `release` are thread-safe.
class DeviceRun {
public:
  DeviceRun(DeviceProgram &program, const Manifest &manifest, const Variant &variant)
      : program(program), manifest(manifest), variant(variant), memory(program.getPool()) {}
  ~DeviceRun();

  RunFault start();
  RunFault allocate(uint64_t bytes, void *&pointer);
  /// Returns the number of bytes that were requested for `pointer`, or 0 if it does not belong
  /// to this run.
  uint64_t release(void *pointer);
  /// Copies `bytes` bytes of host memory to new device memory and sets `pointer` to it.
  RunFault upload(const void *from, uint64_t bytes, void *&pointer);

  /// As Stream::copy.
  RunFault copy(void *to, const void *from, uint64_t bytes, tssa_copy_kind kind);
  /// As tssa_host::launch.
  RunFault launch(int32_t launch, int64_t blocks, void **params, std::function<bool()> shouldStop,
                  LaunchCounters *counters);
  /// Waits for the device and returns the fault that the error words report, if any.
  RunFault wait();

private:
  DeviceProgram &program;
  const Manifest &manifest;
  const Variant &variant;
  std::mutex mutex; ///< guards `memory`
  DeviceMemory memory;
  std::unique_ptr<Stream> stream; ///< declared after `memory`, to be destroyed before it
  int32_t *errors = nullptr;      ///< on the device
  std::vector<int32_t> errorWords;

  int32_t getNode(int32_t launch) const;
  RunFault toFault(Status status, int32_t node = -1) const;
};

} // namespace tssa::runtime

#endif // TSSA_LIB_RUNTIME_DEVICE_DEVICERUN_H

//===- DeviceModel.h - the GPU for which schedules are chosen ---*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A module of a program for a GPU carries the model of it as its attribute `layout.device`, a
/// `#layout.device`. Passes ask `getDeviceModel` for it.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_IR_DEVICEMODEL_H
#define DIALECTS_LAYOUT_IR_DEVICEMODEL_H

#include "dialects/layout/IR/ModelNumbers.h"

namespace mlir::tssa::layout {

/// The numbers of a GPU on which the choice of schedules depends. Rates are those of a
/// multiprocessor in one cycle; what a kernel gets of them is another question (DeviceCost.h). The
/// values given here are those of an A100 (NVIDIA A100 Tensor Core GPU Architecture; CUDA C++
/// Programming Guide, "Technical Specifications per Compute Capability"); a module without the
/// attribute has this GPU.
struct DeviceModel {
  int64_t processors = 108;             ///< multiprocessors
  int64_t megahertz = 1410;             ///< of their clock
  int64_t registers = 64 << 10;         ///< of 32 bits, of a multiprocessor
  int64_t threads = 2048;               ///< that it holds
  int64_t blocks = 32;                  ///< that it holds
  int64_t sharedBytes = 164 << 10;      ///< bytes of shared memory that it has
  int64_t blockSharedBytes = 163 << 10; ///< of which a block may have this many
  int64_t multiplyAdds = 64;            ///< of f32, in one cycle
  int64_t matrixMultiplyAdds = 1024;    ///< by mma.sync of f16 and bf16 with sums of f32
  int64_t l2CycleBytes = 47;            ///< that come from the second-level cache in one cycle
  int64_t l2Bytes = 40 << 20;           ///< of the second-level cache
  int64_t memoryMegabytes = 1555000;    ///< that come from memory in one second, for all
  int64_t l2Latency = 262;              ///< cycles
  int64_t memoryLatency = 466;          ///< cycles
  int64_t launchNanoseconds = 3200;     ///< from the start of a launch to that of its first block

  /// The lanes of a warp: no number of one GPU, since code is generated for this one only.
  static constexpr int64_t warp = 32;

  bool operator==(const DeviceModel &other) const;
};

llvm::hash_code hash_value(const DeviceModel &model);

using DeviceField = ModelField<DeviceModel>;

/// Returns the numbers of the model, in the order of its text.
ArrayRef<DeviceField> getDeviceFields();

/// Checks the constraints C1 and C2 of `#layout.device`. On failure, calls `fail` with the reason.
LogicalResult checkDeviceModel(const DeviceModel &model, function_ref<void(const Twine &)> fail);

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_IR_DEVICEMODEL_H

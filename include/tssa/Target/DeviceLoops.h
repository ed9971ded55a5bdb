//===- DeviceLoops.h - kernels as code of the threads of a GPU -*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TARGET_DEVICELOOPS_H
#define TSSA_TARGET_DEVICELOOPS_H

#include "mlir/Pass/PassManager.h"

#include <memory>

namespace tssa::cuda {

/// Each te.kernel becomes a device function of scf, vector, memref and gpu ops
/// (docs/decisions/0004): nothing here chooses a tile, the schedule says it all.
std::unique_ptr<mlir::Pass> createConvertKernelsToDeviceLoopsPass();

/// Stage loops for devices: kernels to device functions, cleaned up.
void buildLoopsStage(mlir::OpPassManager &manager);

/// Registers `convert-kernels-to-device-loops`.
void registerDeviceLoopsPasses();

} // namespace tssa::cuda

#endif // TSSA_TARGET_DEVICELOOPS_H

//===- Passes.h - passes of the layout dialect -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_LAYOUT_TRANSFORMS_PASSES_H
#define DIALECTS_LAYOUT_TRANSFORMS_PASSES_H

#include "dialects/layout/IR/LayoutOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "tssa/Support/Transforms.h"

#include <functional>

namespace mlir::tssa::layout {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dialects/layout/Transforms/Passes.h.inc"

/// Is called with the module when stores are chosen and not yet applied: first those of tensors,
/// then those of constants.
using StoresObserver = std::function<void(ModuleOp)>;

/// Creates the pass that makes `model` the machine of the module.
std::unique_ptr<Pass> createSetMachine(const MachineModel &model);
std::unique_ptr<Pass> createSetDevice(const DeviceModel &model);

/// Creates the pass that applies the stores, which calls `observer` first unless it is empty.
std::unique_ptr<Pass> createMaterializeStores(StoresObserver observer);

/// Adds the first passes of the layout stage for CPUs, which choose for `machine` how tensors are
/// stored, but apply nothing.
void buildChooseStores(OpPassManager &manager, const MachineModel &machine);

/// Adds the passes that follow: they apply the stores of tensors.
void buildApplyStores(OpPassManager &manager, const StoresObserver &observer = {});

/// Adds the passes that follow once each kernel has its loops: they choose and apply the stores of
/// constants, in the order in which the loops read them.
void buildPacking(OpPassManager &manager, const StoresObserver &observer = {});

/// Adds the last passes of the layout stage for CPUs: they fill in the schedules, and do what
/// `buildPacking` adds. `point` is the option of layout-schedule-default.
void buildSchedules(OpPassManager &manager, unsigned point, const StoresObserver &observer = {});

/// Adds all passes of the layout stage for CPUs.
void buildLayoutStage(OpPassManager &manager, const MachineModel &machine, unsigned point,
                      const StoresObserver &observer = {});

/// Adds the passes of the layout stage for devices, which fill in the schedules for `machine`.
void buildDeviceLayoutStage(OpPassManager &manager, const DeviceModel &device,
                            const StoresObserver &observer = {});

} // namespace mlir::tssa::layout

#endif // DIALECTS_LAYOUT_TRANSFORMS_PASSES_H

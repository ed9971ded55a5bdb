//===- SetMachine.cpp - gives a module its machine -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/IR/LayoutOps.h"
#include "dialects/layout/Transforms/Passes.h"

namespace mlir::tssa::layout {
#define GEN_PASS_DEF_SETDEVICE
#define GEN_PASS_DEF_SETMACHINE
#include "dialects/layout/Transforms/Passes.h.inc"
} // namespace mlir::tssa::layout

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

namespace {
struct SetMachine : layout::impl::SetMachineBase<SetMachine> {
  explicit SetMachine(const MachineModel &model = {}) : model(model) {}

  void runOnOperation() final { setMachineModel(getOperation(), model); }

private:
  MachineModel model;
};

struct SetDevice : layout::impl::SetDeviceBase<SetDevice> {
  explicit SetDevice(const DeviceModel &model = {}) : model(model) {}

  void runOnOperation() final {
    getOperation()->removeAttr(LayoutDialect::getMachineName());
    setDeviceModel(getOperation(), model);
  }

private:
  DeviceModel model;
};
} // namespace

std::unique_ptr<Pass> layout::createSetDevice(const DeviceModel &model) {
  return std::make_unique<SetDevice>(model);
}

std::unique_ptr<Pass> layout::createSetMachine(const MachineModel &model) {
  return std::make_unique<SetMachine>(model);
}

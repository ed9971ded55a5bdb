//===- SetMachine.cpp - gives a module its machine -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/IR/MachineModel.h"
#include "dialects/layout/Transforms/Passes.h"

namespace mlir::tssa::layout {
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
} // namespace

std::unique_ptr<Pass> layout::createSetMachine(const MachineModel &model) {
  return std::make_unique<SetMachine>(model);
}

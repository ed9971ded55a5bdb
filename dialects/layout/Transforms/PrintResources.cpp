//===- PrintResources.cpp - prints what expressions take of a machine -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/Draft.h"
#include "dialects/layout/Template/Space.h"
#include "dialects/layout/Transforms/ConstantOperands.h"
#include "dialects/layout/Transforms/Passes.h"
#include "dialects/te/IR/Program.h"

namespace mlir::tssa::layout {
#define GEN_PASS_DEF_PRINTRESOURCES
#include "dialects/layout/Transforms/Passes.h.inc"
} // namespace mlir::tssa::layout

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

namespace {

/// Returns how many blocks a multiprocessor holds at once. Each has 1 KiB of shared memory more
/// than it asks for.
int64_t countBlocks(const DeviceModel &device, te::BlockAttr block) {
  constexpr int64_t reserved = 1 << 10;
  return std::min({device.blocks, device.threads / block.getThreads(),
                   device.sharedBytes / (block.getSharedBytes() + reserved)});
}

struct PrintResources : layout::impl::PrintResourcesBase<PrintResources> {
  using PrintResourcesBase::PrintResourcesBase;

  void runOnOperation() final {
    ConstantOperands constants(getOperation());
    for (auto kernel : getOperation().getOps<te::KernelOp>()) {
      llvm::outs() << "kernel @" << kernel.getSymName() << '\n';
      for (auto compute : kernel.getBodyBlock().getOps<te::ComputeOp>())
        print(compute, constants.getAccesses(compute));
    }
    for (te::DeviceKernelAttr kernel : te::getTable<te::DeviceKernelAttr>(getOperation()))
      print(kernel, getDeviceModel(getOperation()));
  }

private:
  void print(te::ComputeOp compute, ArrayRef<Access> accesses) {
    MachineModel machine = getMachineModel(getOperation());
    Roles roles = getRoles(compute);
    llvm::outs() << "  @" << compute.getLabel().value_or("?") << ' ';
    std::vector<RankedPoint> ranked = rankPoints(compute, accesses, machine);
    if (ranked.empty()) {
      llvm::outs() << "has no loops\n";
      return;
    }
    const Point &point = ranked.front().point;
    DraftResources needs = Draft(compute, accesses, roles, machine).getResources(point);
    auto count = [](double value) { return static_cast<int64_t>(value); };
    llvm::outs() << point << "\n    registers: " << count(needs.sums) << " sums and "
                 << count(needs.loads) << " loads, of " << machine.registers
                 << "\n    touched: " << count(needs.stepBytes) << " bytes by a step, "
                 << count(needs.tileBytes)
                 << " by a tile\n    brought in: " << count(needs.firstBytes)
                 << " bytes into the first level of " << machine.l1Bytes << ", "
                 << count(needs.secondBytes) << " into the second of " << machine.l2Bytes << '\n';
  }

  static void print(te::DeviceKernelAttr kernel, const DeviceModel &device) {
    te::BlockAttr block = kernel.getBlock();
    llvm::outs() << "device kernel @" << kernel.getName().getValue() << "\n  " << block.getThreads()
                 << " threads and " << block.getSharedBytes()
                 << " bytes of shared memory: " << countBlocks(device, block)
                 << " blocks on a multiprocessor\n";
  }
};
} // namespace

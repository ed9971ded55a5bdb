//===- Schedules.cpp - schedules of kernels in files ----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Pipeline/Schedules.h"
#include "dialects/layout/Transforms/KernelStores.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa {

/// Prints a kernel under a name that all kernels share.
static std::string print(OwningOpRef<te::KernelOp> kernel) {
  kernel->setSymName("kernel");
  std::string text;
  llvm::raw_string_ostream stream(text);
  kernel->print(stream);
  return text;
}

std::string getKernelText(te::KernelOp kernel) { return print(kernel.clone()); }

std::string getKernelKey(te::KernelOp kernel) {
  OwningOpRef<te::KernelOp> copy = kernel.cloneWithoutRegions();
  IRMapping mapping;
  kernel.getBody().cloneInto(&copy->getBody(), mapping);
  std::string text = print(std::move(copy));
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)), /*LowerCase=*/true);
}

llvm::StringMap<KernelGroup> groupKernels(ModuleOp module) {
  llvm::StringMap<KernelGroup> groups;
  llvm::StringMap<std::string> keys;
  for (auto kernel : module.getOps<te::KernelOp>()) {
    std::string key = getKernelKey(kernel);
    groups[key].kernels.push_back(kernel);
    keys[kernel.getSymName()] = std::move(key);
  }
  module.walk([&](te::LaunchOp launch) {
    if (auto key = keys.find(launch.getKernel()); key != keys.end())
      groups[key->second].launches.push_back(launch);
  });
  return groups;
}

/// If `group` has several kernels, adds to the schedule of `kernel`, one of them, the positions of
/// its launches.
static void addPositions(te::KernelOp kernel, const KernelGroup &group) {
  if (group.kernels.size() == 1)
    return;
  SmallVector<int64_t> positions;
  for (auto [position, launch] : llvm::enumerate(group.launches))
    if (te::LaunchOp(launch).getKernel() == kernel.getSymName())
      positions.push_back(position);
  if (kernel.getSchedule().empty())
    kernel.getSchedule().emplaceBlock();
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getSchedule().front());
  layout::LaunchesOp::create(builder, kernel.getLoc(), positions);
}

/// Adds to the schedule of `kernel` what was chosen after its stores: the stores of constants and,
/// if it has no loops, the loops of `scheduled`.
static void addChoices(te::KernelOp kernel, te::KernelOp scheduled) {
  if (scheduled.getSchedule().empty())
    return;
  bool hasLoops = layout::hasLoops(kernel);
  if (kernel.getSchedule().empty())
    kernel.getSchedule().emplaceBlock();
  Block &schedule = kernel.getSchedule().front();
  auto first = llvm::find_if(schedule, [](Operation &op) { return !isa<layout::StoreOp>(op); });
  OpBuilder builder(&schedule, first);
  IRMapping mapping;
  for (Operation &op : scheduled.getSchedule().front())
    if (!hasLoops || isa<layout::StoreOp>(op))
      builder.clone(op, mapping);
}

void printSchedules(ModuleOp logical, ModuleOp scheduled, llvm::raw_ostream &stream) {
  llvm::StringMap<KernelGroup> groups = groupKernels(logical);
  for (auto kernel : logical.getOps<te::KernelOp>()) {
    std::string key = getKernelKey(kernel);
    OwningOpRef<te::KernelOp> copy = kernel.clone();
    if (auto target = scheduled.lookupSymbol<te::KernelOp>(kernel.getSymName()))
      addChoices(*copy, target);
    addPositions(*copy, groups[key]);
    stream << "// sha256: " << key << '\n';
    copy->print(stream);
    stream << '\n';
  }
}

} // namespace tssa

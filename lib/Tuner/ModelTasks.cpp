//===- ModelTasks.cpp - the tasks of a program ----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Tuner/ModelTasks.h"
#include "Capture.h"
#include "dialects/layout/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "tssa/Pipeline/Tasks.h"

using namespace mlir;
using namespace ::tssa;
using namespace ::tssa::tuner;
namespace te = mlir::tssa::te;
namespace layout = mlir::tssa::layout;
using llvm::Error;
using llvm::Expected;

/// Returns how often a run of the program executes `launch`: the product of the trip counts of the
/// loops around it, as far as they are known.
static double countCalls(te::LaunchOp launch) {
  double calls = 1;
  for (auto loop = launch->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>())
    if (std::optional<APInt> trips = loop.getStaticTripCount())
      calls *= static_cast<double>(trips->getZExtValue());
  return calls;
}

/// Adds the kernels of `module`, or the conversions.
static void addTasks(ModuleOp module, bool conversions, ModelTasks &result) {
  llvm::StringMap<size_t> known;
  for (const KernelTask &task : findTasks(module)) {
    te::KernelOp kernel = task.kernel;
    if (isConversion(kernel) != conversions)
      continue;
    if (std::string obstacle = findObstacle(kernel); !obstacle.empty()) {
      ++result.obstacles[obstacle];
      continue;
    }
    std::string text = getTaskText(kernel, task.constants), key = getTaskKey(text);
    auto [found, isNew] = known.try_emplace(key, result.tasks.size());
    if (isNew)
      result.tasks.push_back({{key, text}, kernel.getSymName().str(), 0, 0});
    for (te::LaunchOp launch : task.launches)
      result.tasks[found->second].calls += countCalls(launch);
  }
}

Expected<ModelTasks> tuner::collectTasks(ModuleOp module, const layout::MachineModel &machine) {
  ModelTasks result;
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager choice(module.getContext()), application(module.getContext());
  layout::buildChooseStores(choice, machine);
  layout::buildApplyStores(application);
  if (Error error = capture(*module.getContext(), [&] { return choice.run(*copy); }))
    return std::move(error);
  addTasks(*copy, /*conversions=*/false, result);
  if (Error error = capture(*module.getContext(), [&] { return application.run(*copy); }))
    return std::move(error);
  addTasks(*copy, /*conversions=*/true, result);
  return result;
}

uint64_t tuner::countWeightBytes(ModuleOp module) {
  uint64_t bytes = 0;
  module.walk([&](te::ConstantOp constant) {
    RankedTensorType type = constant.getType();
    bytes += uint64_t(type.getNumElements()) * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  });
  return bytes;
}

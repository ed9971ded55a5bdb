//===- ModelTasks.cpp - the tasks of a program ----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Tuner/ModelTasks.h"
#include "Capture.h"
#include "dialects/layout/Transforms/Passes.h"
#include "dialects/te/Analysis/BodyFacts.h"
#include "dialects/te/IR/ElementBytes.h"
#include "mlir/Pass/PassManager.h"
#include "tssa/Pipeline/Tasks.h"

using namespace mlir;
using namespace ::tssa;
using namespace ::tssa::tuner;
namespace te = mlir::tssa::te;
namespace layout = mlir::tssa::layout;
using llvm::Error;
using llvm::Expected;

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
      result.tasks[found->second].calls += te::countTrips(launch);
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
    bytes += uint64_t(type.getNumElements()) * te::getElementBytes(type.getElementType());
  });
  return bytes;
}

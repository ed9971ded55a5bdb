//===- Tasks.cpp - the tasks of a model -----------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tasks.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tools/common/ReadModel.h"
#include "tssa/Pipeline/Compile.h"
#include "tssa/Pipeline/Tasks.h"

using namespace llvm;

namespace tssa::tune {

/// Returns how often a run of the program executes `launch`: the product of the trip counts of the
/// loops around it, as far as they are known.
static double countCalls(mlir::Operation *launch) {
  double calls = 1;
  for (auto loop = launch->getParentOfType<mlir::scf::ForOp>(); loop;
       loop = loop->getParentOfType<mlir::scf::ForOp>())
    if (std::optional<APInt> trips = loop.getStaticTripCount())
      calls *= static_cast<double>(trips->getZExtValue());
  return calls;
}

/// Returns the bytes of the constants of `module`.
static uint64_t countWeightBytes(mlir::ModuleOp module) {
  uint64_t bytes = 0;
  module.walk([&](mlir::tssa::te::ConstantOp constant) {
    mlir::RankedTensorType type = constant.getType();
    bytes += uint64_t(type.getNumElements()) * divideCeil(type.getElementTypeBitWidth(), 8);
  });
  return bytes;
}

/// Adds the kernels of `module`, in which the stores of tensors are chosen, or the conversions of a
/// module in which loops are chosen too.
static void addTasks(mlir::ModuleOp module, bool conversions, ModelTasks &result) {
  StringMap<size_t> known;
  for (const KernelTask &task : findTasks(module)) {
    mlir::tssa::te::KernelOp kernel = task.kernel;
    if (isConversion(kernel) != conversions)
      continue;
    mlir::OwningOpRef<mlir::tssa::te::KernelOp> bare = kernel.clone();
    if (conversions)
      bare->getSchedule().getBlocks().clear();
    if (std::string obstacle = findObstacle(*bare); !obstacle.empty()) {
      ++result.obstacles[obstacle];
      continue;
    }
    std::string text = getTaskText(kernel, task.constants), key = getTaskKey(text);
    auto [found, isNew] = known.try_emplace(key, result.tasks.size());
    if (isNew)
      result.tasks.push_back({{key, text}, kernel.getSymName().str(), 0, 0});
    for (mlir::tssa::te::LaunchOp launch : task.launches)
      result.tasks[found->second].calls += countCalls(launch);
  }
}

static int getExitCode(operators::Fault fault) {
  switch (fault) {
  case operators::Fault::Unsupported:
    return Unsupported;
  case operators::Fault::Limit:
    return LimitReached;
  case operators::Fault::Model:
  case operators::Fault::None:
    break;
  }
  return ModelError;
}

int readTasks(mlir::MLIRContext &context, const Options &options, const cpu::Machine &machine,
              ModelTasks &tasks) {
  ImportReport report;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      readModel(context, options.input, options.import, report);
  for (const std::string &warning : report.warnings)
    errs() << options.input << ": warning: " << warning << '\n';
  if (!module) {
    if (!report.error.empty())
      errs() << options.input << ": error: " << report.error << '\n';
    return getExitCode(report.fault);
  }
  CompileOptions compile;
  compile.machine = machine;
  compile.lastStage = "layout";
  compile.storesChosen = [&](mlir::ModuleOp chosen, bool areConstants) {
    if (!areConstants)
      tasks.weightBytes = countWeightBytes(chosen);
    addTasks(chosen, /*conversions=*/areConstants, tasks);
  };
  Compilation compilation(compile);
  return succeeded(compilation.runStages(*module)) ? Success : ModelError;
}

} // namespace tssa::tune

//===- Stages.cpp - from a model to machine code, stage by stage ---------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Pipeline/Stages.h"
#include "dialects/layout/Template/DeviceReduction.h"
#include "dialects/layout/Transforms/Passes.h"
#include "dialects/te/IR/TEOps.h"
#include "dialects/te/Transforms/Passes.h"
#include "dialects/tssa/IR/TSSAOps.h"
#include "dialects/tssa/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tssa/Conversion/Passes.h"
#include "tssa/Pipeline/Passes.h"
#include "tssa/Pipeline/Records.h"
#include "tssa/Target/CUDA.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa {

//===----------------------------------------------------------------------===//
// Postconditions
//===----------------------------------------------------------------------===//

static Operation *findOp(Operation *root, llvm::function_ref<bool(Operation *)> breaks) {
  Operation *found = nullptr;
  root->walk([&](Operation *op) {
    if (!breaks(op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

static bool isUnranked(Type type) { return isa<UnrankedTensorType, UnrankedMemRefType>(type); }

static Operation *findImportViolation(ModuleOp module) {
  if (!module.lookupSymbol<func::FuncOp>("main"))
    return module;
  return findOp(module, [](Operation *op) {
    return isa<te::KernelOp, te::LaunchOp>(op) || llvm::any_of(op->getResultTypes(), isUnranked);
  });
}

static Operation *findFunctionalViolation(ModuleOp module) {
  return findOp(module, [](Operation *op) {
    return op->getName().getDialectNamespace() == refs::TSSADialect::getDialectNamespace() ||
           llvm::any_of(op->getOperandTypes(), [](Type type) { return isa<refs::RefType>(type); });
  });
}

static Operation *findTEViolation(ModuleOp module) {
  return findOp(module, [](Operation *op) {
    return isa<te::ExpressionOpInterface>(op) && !op->getParentOfType<te::KernelOp>();
  });
}

static Operation *findLayoutViolation(ModuleOp module) {
  return findOp(module, [](Operation *op) {
    auto kernel = dyn_cast<te::KernelOp>(op);
    return kernel && kernel.getSchedule().empty();
  });
}

static Operation *findBuffersViolation(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  return findOp(main, [](Operation *op) {
    auto isTensor = [](Type type) { return isa<TensorType>(type); };
    return llvm::any_of(op->getOperandTypes(), isTensor) ||
           llvm::any_of(op->getResultTypes(), isTensor);
  });
}

static Operation *findLoopsViolation(ModuleOp module) {
  return findOp(module, [](Operation *op) { return isa<te::KernelOp>(op); });
}

static Operation *findTargetViolation(ModuleOp module) {
  return findOp(module, [](Operation *op) {
    return !isa<ModuleOp, gpu::GPUModuleOp>(op) &&
           !isa<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect());
  });
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// Adds the one thing that changes what a front end has made: the program that all later stages are
/// compared with has rounded factors.
static void buildImport(OpPassManager &manager, const StageContext &context) {
  if (context.precision != Precision::F32)
    manager.addNestedPass<func::FuncOp>(te::createTERoundContractions({context.precision}));
}

static void buildFunctional(OpPassManager &manager, const StageContext &context) {
  refs::buildFunctionalStage(manager, context.transforms);
}

Transforms adaptTransforms(Transforms transforms, const Target &target) {
  if (target.isDevice() && transforms.skewLoops == Apply::Auto)
    transforms.skewLoops = Apply::Always;
  if (target.isDevice() && transforms.boxes == Apply::Auto)
    transforms.boxes = Apply::Never; // their members have one index of a dim or all
  return transforms;
}

static void buildTE(OpPassManager &manager, const StageContext &context) {
  te::PartsChooser choose;
  if (context.target.isDevice())
    choose = [device = context.device](te::ComputeOp op) {
      return layout::chooseParts(op, device);
    };
  te::buildTEStage(manager, context.merges, adaptTransforms(context.transforms, context.target),
                   choose);
  manager.addPass(createFoldLaunches());
}

static void buildLayout(OpPassManager &manager, const StageContext &context) {
  if (!context.scheduleFile.empty())
    manager.addPass(createApplySchedules({context.scheduleFile}));
  if (context.target.isDevice()) {
    layout::buildDeviceLayoutStage(manager, context.device, context.storesChosen);
    if (context.merges)
      manager.addPass(layout::createMergeLaunches({context.transforms.mergeLaunches}));
    return;
  }
  auto applyRecords = [&](const char *to) {
    if (!context.tunedDir.empty())
      manager.addPass(createApplyRecords(
          {context.tunedDir, getMachineId(context.machine), /*epoch=*/"", to}, context.tunedUse));
  };
  applyRecords("ends");
  layout::buildChooseStores(manager, context.machine.model);
  applyRecords("kernels");
  layout::buildApplyStores(manager, context.storesChosen);
  applyRecords("conversions");
  applyRecords("sizes");
  layout::buildSchedules(manager, context.point, context.storesChosen);
  if (!context.merges)
    return;
  manager.addPass(layout::createSplitRows({context.transforms.splitRows}));
  manager.addPass(layout::createMergeLaunches({context.transforms.mergeLaunches}));
}

static void buildBuffers(OpPassManager &manager, const StageContext &) {
  manager.addPass(te::createTEPlanBuffers());
}

static void buildLoops(OpPassManager &manager, const StageContext &context) {
  if (context.target.isDevice())
    cuda::buildLoopsStage(manager);
  else
    cpu::buildLoopsStage(manager);
}

static void buildTarget(OpPassManager &manager, const StageContext &context) {
  manager.addPass(createConvertHostToLLVM({context.target.isDevice()}));
  if (context.target.isDevice())
    cuda::buildTargetCUDAStage(manager);
  if (context.target.kind == Target::Emulator)
    cuda::buildEmulatorStage(manager);
  cpu::buildTargetCPUStage(manager, context.machine); // kernels of a device are in LLVM already
}

static constexpr Stage stages[] = {
    {"import", "a host program '@main' of ranked tensors, and no kernels", buildImport,
     findImportViolation},
    {"functional", "no reference is left", buildFunctional, findFunctionalViolation},
    {"te", "every tensor expression stands in a kernel", buildTE, findTEViolation},
    {"layout", "every kernel has a schedule", buildLayout, findLayoutViolation},
    {"buffers", "the host program works on memory", buildBuffers, findBuffersViolation},
    {"loops", "every kernel is a function with loops", buildLoops, findLoopsViolation},
    {"target", "everything is in the LLVM dialect; a GPU's kernels also use NVVM", buildTarget,
     findTargetViolation},
};

ArrayRef<Stage> getStages() { return stages; }

const Stage *lookupStage(StringRef name) {
  for (const Stage &stage : stages)
    if (stage.name == name)
      return &stage;
  return nullptr;
}

LogicalResult checkPostcondition(const Stage &stage, ModuleOp module) {
  Operation *violation = stage.findViolation(module);
  if (!violation)
    return success();
  return violation->emitError("stage ")
         << stage.name << ": '" << violation->getName() << "' violates the postcondition \""
         << stage.postcondition << "\"";
}

} // namespace tssa

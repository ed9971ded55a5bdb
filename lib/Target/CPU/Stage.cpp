//===- Stage.cpp - passes of the target stage for CPUs -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "tssa/Target/CPU.h"
#include "tssa/Target/CPU/Passes.h"

using namespace mlir;

namespace tssa::cpu {

void buildTargetCPUStage(OpPassManager &manager, const Machine &machine) {
  manager.addPass(createExpandMath({/*avx512=*/machine.vectorBytes == 64}));
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createExpandDots({machine.emulatesAtoms, llvm::to_vector(machine.features)}));
  functions.addPass(createLowerAffinePass());
  functions.addPass(createConvertVectorToSCFPass());
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  functions.addPass(createSCFToControlFlowPass());
  functions.addPass(memref::createExpandStridedMetadataPass());
  functions.addPass(createLowerAffinePass()); // lowers the affine maps of strided metadata
  // Without instructions for bf16, LLVM would call __truncsfbf2 for arithmetic and for conversions.
  bool hasBF16 = llvm::is_contained(machine.features, "avx512bf16");
  if (!hasBF16)
    functions.addPass(arith::createArithEmulateUnsupportedFloats({{"bf16"}, "f32"}));
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = !hasBF16;
  functions.addPass(arith::createArithExpandOpsPass(expand));
  manager.addPass(createConvertToLLVM());
  OpPassManager &converted = manager.nest<LLVM::LLVMFuncOp>();
  converted.addPass(createCanonicalizerPass());
  converted.addPass(createReconcileUnrealizedCastsPass());
}

void registerTargetCPUPasses() {
  registerTargetCPUTransformsPasses();
  PassPipelineRegistration<>("cpu-target-stage", "Take kernels and a host program to LLVM",
                             [](OpPassManager &manager) { buildTargetCPUStage(manager, {}); });
}

} // namespace tssa::cpu

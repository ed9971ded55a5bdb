//===- Stage.cpp - passes of the target stage for CPUs -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
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
  functions.addPass(createLowerAffinePass());
  functions.addPass(createConvertVectorToSCFPass());
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass()); // lowers the affine maps of strided metadata
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true; // otherwise some backends call __truncsfbf2
  manager.addPass(arith::createArithExpandOpsPass(expand));
  ConvertVectorToLLVMPassOptions vector;
  vector.reassociateFPReductions = false;
  manager.addPass(createConvertVectorToLLVMPass(vector));
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createFinalizeMemRefToLLVMConversionPass());
  manager.addPass(createConvertIndexToLLVMPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createConvertFuncToLLVMPass());
  manager.addPass(createUBToLLVMConversionPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
}

void registerTargetCPUPasses() {
  registerTargetCPUTransformsPasses();
  PassPipelineRegistration<>("cpu-target-stage", "Take kernels and a host program to LLVM",
                             [](OpPassManager &manager) { buildTargetCPUStage(manager, {}); });
}

} // namespace tssa::cpu

//===- Stage.cpp - passes of the target stage for CUDA -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "tssa/Target/CUDA.h"
#include "tssa/Target/CUDA/Passes.h"

using namespace mlir;

namespace tssa::cuda {

void buildTargetCUDAStage(OpPassManager &manager) {
  manager.addPass(createOutlineKernels());
  OpPassManager &device = manager.nest<gpu::GPUModuleOp>();
  device.addPass(createExpandDeviceMath());
  device.addPass(createLowerAffinePass());
  device.addPass(createConvertVectorToSCFPass());
  device.addPass(createCanonicalizerPass());
  device.addPass(createCSEPass());
  device.addPass(createNarrowIndexes()); // where loops still have bounds
  device.addPass(createSCFToControlFlowPass());
  device.addPass(memref::createExpandStridedMetadataPass());
  device.addPass(createLowerAffinePass()); // lowers the affine maps of strided metadata
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs = {"bf16"};
  emulate.targetTypeStr = "f32";
  device.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true; // so that all devices use the same arithmetic
  device.addPass(arith::createArithExpandOpsPass(expand));
  ConvertVectorToLLVMPassOptions vector;
  vector.reassociateFPReductions = false;
  device.addPass(createConvertVectorToLLVMPass(vector));
  // This runs before the conversion of gpu ops, which would call a device library for math.
  device.addPass(createConvertMathToLLVMPass());
  device.addPass(createConvertIndexToLLVMPass());
  device.addPass(createArithToLLVMConversionPass());
  device.addPass(createUBToLLVMConversionPass());
  device.addPass(createConvertToNVVM());
  device.addPass(createCanonicalizerPass());
  device.addPass(createReconcileUnrealizedCastsPass());
}

void buildEmulatorStage(OpPassManager &manager) {
  manager.nest<gpu::GPUModuleOp>().addPass(createEmulateKernels());
  manager.addPass(createEmbedKernels());
}

void registerTargetCUDAPasses() {
  registerTargetCUDATransformsPasses();
  PassPipelineRegistration<>("cuda-target-stage", "Take device functions to LLVM and NVVM",
                             buildTargetCUDAStage);
}

} // namespace tssa::cuda

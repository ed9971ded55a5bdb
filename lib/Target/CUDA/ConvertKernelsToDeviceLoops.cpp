//===- ConvertKernelsToDeviceLoops.cpp - the loops stage for devices -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceKernel.h"
#include "dialects/layout/IR/LayoutOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tssa/Target/CUDA.h"
#include "tssa/Target/CUDA/Passes.h"

namespace tssa::cuda {
#define GEN_PASS_DEF_CONVERTKERNELSTODEVICELOOPS
#include "tssa/Target/CUDA/Passes.h.inc"
} // namespace tssa::cuda

using namespace mlir;
using namespace mlir::tssa;

namespace {
struct ConvertKernelsToDeviceLoops
    : ::tssa::cuda::impl::ConvertKernelsToDeviceLoopsBase<ConvertKernelsToDeviceLoops> {
  void runOnOperation() final {
    OpBuilder builder(&getContext());
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<te::KernelOp>())) {
      ::tssa::cuda::DeviceKernel target(kernel);
      if (failed(::tssa::conversion::lowerKernel(builder, kernel, target)))
        return signalPassFailure();
      kernel.erase();
    }
  }
};
} // namespace

namespace tssa::cuda {

void buildLoopsStage(OpPassManager &manager) {
  manager.addPass(createConvertKernelsToDeviceLoops());
  OpPassManager &functions = manager.nest<func::FuncOp>();
  // Without the first one, canonicalization takes twenty times as long.
  functions.addPass(createCSEPass());
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  functions.addPass(createLoopInvariantCodeMotionPass());
}

} // namespace tssa::cuda

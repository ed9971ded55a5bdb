//===- ConvertKernelsToDeviceLoops.cpp - stage loops for devices -===//
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
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tssa/Target/DeviceLoops.h"

using namespace mlir;
using namespace mlir::tssa;

namespace {
struct ConvertKernelsToDeviceLoops
    : PassWrapper<ConvertKernelsToDeviceLoops, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertKernelsToDeviceLoops)

  StringRef getArgument() const final { return "convert-kernels-to-device-loops"; }
  StringRef getDescription() const final {
    return "make each te.kernel a function that a block of threads runs, as its schedule says";
  }

  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<affine::AffineDialect, arith::ArithDialect, func::FuncDialect, gpu::GPUDialect,
                    math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                    vector::VectorDialect, layout::LayoutDialect>();
  }

  void runOnOperation() final {
    OpBuilder builder(&getContext());
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<te::KernelOp>())) {
      ::tssa::cuda::DeviceKernel target;
      if (failed(::tssa::conversion::lowerKernel(builder, kernel, target)))
        return signalPassFailure();
      kernel.erase();
    }
  }
};
} // namespace

namespace tssa::cuda {

std::unique_ptr<Pass> createConvertKernelsToDeviceLoopsPass() {
  return std::make_unique<ConvertKernelsToDeviceLoops>();
}

void buildLoopsStage(OpPassManager &manager) {
  manager.addPass(createConvertKernelsToDeviceLoopsPass());
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  functions.addPass(createLoopInvariantCodeMotionPass());
}

void registerDeviceLoopsPasses() {
  registerPass([] { return createConvertKernelsToDeviceLoopsPass(); });
}

} // namespace tssa::cuda

//===- ConvertKernelsToLoops.cpp - stage loops for CPUs -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tssa/Target/CPU.h"

using namespace mlir;
using namespace mlir::tssa;

namespace {
struct ConvertKernelsToLoops
    : PassWrapper<ConvertKernelsToLoops, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertKernelsToLoops)

  StringRef getArgument() const final { return "convert-kernels-to-loops"; }
  StringRef getDescription() const final {
    return "make each te.kernel a function of loops and vectors, as its schedule says";
  }

  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<affine::AffineDialect, arith::ArithDialect, func::FuncDialect,
                    math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                    vector::VectorDialect>();
  }

  void runOnOperation() final {
    OpBuilder builder(&getContext());
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<te::KernelOp>())) {
      if (failed(lower(builder, kernel)))
        return signalPassFailure();
      kernel.erase();
    }
  }

  static LogicalResult lower(OpBuilder &builder, te::KernelOp kernel) {
    for (Operation &op : kernel.getBodyBlock()) {
      if (auto update = dyn_cast<te::UpdateOp>(op))
        return ::tssa::cpu::lowerUpdateKernel(builder, kernel, update);
      if (auto scan = dyn_cast<te::ScanOp>(op))
        return ::tssa::cpu::lowerScanKernel(builder, kernel, scan);
    }
    return ::tssa::cpu::lowerComputeKernel(builder, kernel);
  }
};
} // namespace

namespace tssa::cpu {

std::unique_ptr<Pass> createConvertKernelsToLoopsPass() {
  return std::make_unique<ConvertKernelsToLoops>();
}

void buildLoopsStage(OpPassManager &manager) {
  manager.addPass(createConvertKernelsToLoopsPass());
  OpPassManager &functions = manager.nest<func::FuncOp>();
  // This pattern would drop the attribute that says which result an allocation is.
  functions.addPass(createCanonicalizerPass(
      {}, {"(anonymous namespace)::SimplifyAllocConst<mlir::memref::AllocOp>"}));
  functions.addPass(createCSEPass());
  functions.addPass(createLoopInvariantCodeMotionPass());
}

} // namespace tssa::cpu

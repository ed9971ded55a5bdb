//===- ConvertToNVVM.cpp - functions, memory and gpu ops in NVVM --------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/Program.h"
#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tssa/Target/CUDA.h"
#include "tssa/Target/CUDA/Passes.h"

using namespace mlir;
using namespace mlir::tssa;

namespace tssa::cuda {
#define GEN_PASS_DEF_CONVERTTONVVM
#include "tssa/Target/CUDA/Passes.h.inc"

namespace {

/// Marks a function as a kernel. Its attributes give the number of threads, and say that one block
/// may use all registers. Without the latter, ptxas spills registers to make room for another
/// block.
void markKernel(LLVM::LLVMFuncOp function) {
  te::BlockAttr block = te::getBlock(function);
  if (!block)
    return;
  Builder builder(function.getContext());
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getMaxntidAttrName(),
                    builder.getDenseI32ArrayAttr({int32_t(block.getThreads())}));
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), builder.getI32IntegerAttr(1));
}

/// Returns whether the threads of a block wait for each other in `loop`.
bool hasBarrier(const CFGLoop &loop) {
  return llvm::any_of(loop.getBlocks(), [](Block *block) {
    return llvm::any_of(*block, [](Operation &op) { return isa<NVVM::Barrier0Op>(op); });
  });
}

LLVM::LoopAnnotationAttr getNeverUnrolled(MLIRContext *context) {
  auto unroll =
      LLVM::LoopUnrollAttr::get(context, BoolAttr::get(context, true), {}, {}, {}, {}, {}, {});
  return LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {}, {}, {}, {}, {}, {},
                                       {}, {}, {});
}

/// Keeps loops with barriers from being unrolled, by LLVM and by ptxas. Their iterations are large
/// and wait for each other: side by side, they need registers and gain nothing. All other loops may
/// be unrolled. LLVM looks for the annotation at the branch back to the header.
void keepLoops(LLVM::LLVMFuncOp function) {
  Region &body = function.getBody();
  if (body.empty() || body.hasOneBlock()) // no dominator tree, and no loop
    return;
  DominanceInfo dominance(function);
  CFGLoopInfo loops(dominance.getDomTree(&body));
  for (CFGLoop *loop : loops.getLoopsInPreorder()) {
    auto back = loop->getLoopLatch() ? dyn_cast<LLVM::BrOp>(loop->getLoopLatch()->getTerminator())
                                     : LLVM::BrOp();
    if (back && hasBarrier(*loop))
      back.setLoopAnnotationAttr(getNeverUnrolled(function.getContext()));
  }
}

struct ConvertToNVVM : impl::ConvertToNVVMBase<ConvertToNVVM> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    gpu::GPUModuleOp module = getOperation();
    RewritePatternSet halves(context); // splits shuffles of 64 bits into two
    populateGpuShufflePatterns(halves);
    if (failed(applyPatternsGreedily(module, std::move(halves))))
      return signalPassFailure();

    LLVMTypeConverter converter(context);
    RewritePatternSet patterns(context);
    populateGpuToNVVMConversionPatterns(converter, patterns);
    populateNVGPUToNVVMConversionPatterns(converter, patterns);
    converter.addConversion([](nvgpu::DeviceAsyncTokenType type) -> Type {
      return IntegerType::get(type.getContext(), 32); // that nothing uses
    });
    populateFuncToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    ConversionTarget target(*context);
    target.addIllegalDialect<cf::ControlFlowDialect, func::FuncDialect, gpu::GPUDialect,
                             memref::MemRefDialect, nvgpu::NVGPUDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      return signalPassFailure();
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      markKernel(function);
      keepLoops(function);
    }
  }
};

} // namespace

} // namespace tssa::cuda

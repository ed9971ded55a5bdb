//===- Register.cpp - registers dialects and passes -----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/Passes.h"
#include "dialects/te/IR/TEDialect.h"
#include "dialects/te/Transforms/Passes.h"
#include "dialects/tssa/IR/TSSAOps.h"
#include "dialects/tssa/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"
#include "tssa/Conversion/Passes.h"
#include "tssa/Pipeline/Passes.h"
#include "tssa/Pipeline/Stages.h"
#include "tssa/Target/CUDA.h"

using namespace mlir;

namespace tssa {

void registerAllDialects(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect, cf::ControlFlowDialect,
                  func::FuncDialect, gpu::GPUDialect, LLVM::LLVMDialect, math::MathDialect,
                  memref::MemRefDialect, NVVM::NVVMDialect, scf::SCFDialect, tensor::TensorDialect,
                  ub::UBDialect, vector::VectorDialect, mlir::tssa::layout::LayoutDialect,
                  mlir::tssa::refs::TSSADialect, mlir::tssa::te::TEDialect>();
  cpu::registerTranslations(registry);
  cuda::registerTranslations(registry);
}

void registerAllPasses() {
  registerTransformsPasses();
  mlir::tssa::layout::registerLayoutPasses();
  mlir::tssa::te::registerTEPasses();
  mlir::tssa::refs::registerTSSAPasses();
  registerConversionPasses();
  cpu::registerTargetCPUPasses();
  cuda::registerTargetCUDAPasses();
  registerPipelinePasses();
}

} // namespace tssa

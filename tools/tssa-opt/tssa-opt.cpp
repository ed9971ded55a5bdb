//===- tssa-opt.cpp - run passes on a module -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/Passes.h"
#include "dialects/te/IR/TEDialect.h"
#include "dialects/te/Transforms/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "tssa/Conversion/HostToLLVM.h"
#include "tssa/Reference/Passes.h"
#include "tssa/Target/CPU.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::affine::AffineDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect,
                  mlir::math::MathDialect, mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                  mlir::tensor::TensorDialect, mlir::vector::VectorDialect,
                  mlir::tssa::layout::LayoutDialect, mlir::tssa::te::TEDialect>();
  mlir::registerTransformsPasses();
  mlir::tssa::layout::registerLayoutPasses();
  mlir::tssa::te::registerTEPasses();
  tssa::registerHostToLLVMPasses();
  tssa::cpu::registerTargetCPUPasses();
  tssa::reference::registerReferencePasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "TSSA pass driver\n", registry));
}

//===- KernelLowering.h - a kernel as a function with loops -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TARGET_CPU_KERNELLOWERING_H
#define LIB_TARGET_CPU_KERNELLOWERING_H

#include "PointEmitter.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tssa/Conversion/Schedule.h"

namespace tssa::cpu {

/// The function that runs a kernel, with what its body is built from.
struct KernelFunction {
  mlir::func::FuncOp func;
  KernelContext context;
  llvm::SmallVector<TensorBuffer> outs;
  mlir::Value begin, end;
};

/// Creates `@k` with its parameters (docs/decisions/0001) and an empty body; maps
/// the kernel's parameters and clones what stands beside its te ops.
KernelFunction createKernelFunction(mlir::OpBuilder &builder, mlir::tssa::te::KernelOp kernel);

/// Creates `@k.extent`, whose body returns what `extent` builds: the number of
/// parallel iterations and the least number worth a thread.
void createExtentFunction(
    mlir::OpBuilder &builder, mlir::tssa::te::KernelOp kernel,
    llvm::function_ref<std::pair<mlir::Value, mlir::Value>(conversion::IndexBuilder &,
                                                           const mlir::IRMapping &)>
        extent);

/// Lowers kernels whose expressions are te.compute.
mlir::LogicalResult lowerComputeKernel(mlir::OpBuilder &builder, mlir::tssa::te::KernelOp kernel);
/// Lowers a kernel that is one te.update.
mlir::LogicalResult lowerUpdateKernel(mlir::OpBuilder &builder, mlir::tssa::te::KernelOp kernel,
                                      mlir::tssa::te::UpdateOp update);
/// Lowers a kernel that is one te.scan.
mlir::LogicalResult lowerScanKernel(mlir::OpBuilder &builder, mlir::tssa::te::KernelOp kernel,
                                    mlir::tssa::te::ScanOp scan);

/// The buffer of a tensor with the sizes `sizes` of the kernel.
TensorBuffer makeBuffer(mlir::Value memref, mlir::RankedTensorType type,
                        llvm::ArrayRef<mlir::OpFoldResult> sizes, const mlir::IRMapping &values);

/// Sizes with the kernel's values replaced by the function's.
llvm::SmallVector<mlir::OpFoldResult> mapSizes(llvm::ArrayRef<mlir::OpFoldResult> sizes,
                                               const mlir::IRMapping &values);

} // namespace tssa::cpu

#endif // LIB_TARGET_CPU_KERNELLOWERING_H

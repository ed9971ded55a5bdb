//===- KernelFunction.h - a kernel as a function with loops -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_KERNELFUNCTION_H
#define LIB_CONVERSION_KERNELTOLOOPS_KERNELFUNCTION_H

#include "BodyEvaluator.h"
#include "tssa/Conversion/Schedule.h"

namespace tssa::conversion {

struct UpdateWindow;

/// The function that runs a kernel, with what its body is built from.
struct KernelFunction {
  mlir::func::FuncOp func;
  KernelContext context;
  llvm::SmallVector<TensorBuffer> outs;
};

/// Creates `@k` with its parameters (docs/decisions/0001) and an empty body; maps
/// the kernel's parameters and clones what stands beside its te ops.
KernelFunction createKernelFunction(mlir::OpBuilder &builder, mlir::tssa::te::KernelOp kernel,
                                    KernelTarget &target);

/// Checks that the kernel's results are those of the expression that is lowered to store them, and
/// no value twice: nothing would write the others.
mlir::LogicalResult checkResults(mlir::tssa::te::KernelOp kernel, mlir::Operation *expression);

/// Ends the body of `@k` and sets its attributes.
mlir::LogicalResult finishKernelFunction(mlir::OpBuilder &builder, KernelFunction &function,
                                         KernelTarget &target);

/// Creates `@k.extent`, whose body returns what `extent` builds: the number of
/// iterations and the target's grain.
void createExtentFunction(
    mlir::OpBuilder &builder, mlir::tssa::te::KernelOp kernel,
    llvm::function_ref<std::pair<mlir::Value, mlir::Value>(IndexBuilder &, const mlir::IRMapping &)>
        extent);

/// Lowers kernels whose expressions are te.compute.
mlir::LogicalResult lowerComputeKernel(mlir::OpBuilder &builder, mlir::tssa::te::KernelOp kernel,
                                       KernelTarget &target);
/// Lowers a kernel that is one te.update.
mlir::LogicalResult lowerUpdateKernel(mlir::OpBuilder &builder, mlir::tssa::te::KernelOp kernel,
                                      mlir::tssa::te::UpdateOp update, KernelTarget &target);
/// Lowers a kernel that is one te.update whose points write a window.
mlir::LogicalResult lowerWindowKernel(mlir::OpBuilder &builder, mlir::tssa::te::KernelOp kernel,
                                      mlir::tssa::te::UpdateOp update, const UpdateWindow &window,
                                      KernelTarget &target);
/// Lowers a kernel that is one te.scan.
mlir::LogicalResult lowerScanKernel(mlir::OpBuilder &builder, mlir::tssa::te::KernelOp kernel,
                                    mlir::tssa::te::ScanOp scan, KernelTarget &target);

/// The buffer of a tensor with the sizes `sizes` of the kernel.
TensorBuffer makeBuffer(mlir::Value memref, mlir::RankedTensorType type,
                        llvm::ArrayRef<mlir::OpFoldResult> sizes, const mlir::IRMapping &values);

/// Sizes as expressions, with the kernel's values replaced by the function's.
llvm::SmallVector<mlir::AffineExpr> getSizeExprs(IndexBuilder &index,
                                                 llvm::ArrayRef<mlir::OpFoldResult> sizes,
                                                 const mlir::IRMapping &values);

/// Whether two buffers are not the same memory.
mlir::Value buildAreDistinct(IndexBuilder &index, const TensorBuffer &lhs, const TensorBuffer &rhs);

/// Sizes with the kernel's values replaced by the function's.
llvm::SmallVector<mlir::OpFoldResult> mapSizes(llvm::ArrayRef<mlir::OpFoldResult> sizes,
                                               const mlir::IRMapping &values);

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_KERNELFUNCTION_H

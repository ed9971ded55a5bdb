//===- KernelFunction.h - a kernel as a function with loops -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_CONVERSION_KERNELTOLOOPS_KERNELFUNCTION_H
#define LIB_CONVERSION_KERNELTOLOOPS_KERNELFUNCTION_H

#include "BodyEvaluator.h"

namespace tssa::conversion {

struct UpdateSlice;

/// The function that runs a kernel, and what is needed to build its body.
struct KernelFunction {
  mlir::func::FuncOp func;
  KernelContext context;
  llvm::SmallVector<TensorBuffer> outs;

  /// Returns the buffer of the kernel's result that `value` of the kernel is, or null.
  const TensorBuffer *findOut(mlir::Value value) const;
};

/// Creates `@k` with its parameters (docs/decisions/0001) and an empty body. Maps the kernel's
/// parameters to those of the function and clones the ops of the kernel that are not te
/// expressions.
KernelFunction createKernelFunction(mlir::OpBuilder &builder, mlir::tssa::te::KernelOp kernel,
                                    KernelTarget &target);

/// Checks that the kernel returns only results of `expressions`, and none of them twice. Only their
/// code stores results, so nothing would write any other result.
mlir::LogicalResult checkResults(mlir::tssa::te::KernelOp kernel,
                                 llvm::ArrayRef<mlir::Operation *> expressions);

/// Ends the body of `@k` and sets its attributes.
mlir::LogicalResult finishKernelFunction(mlir::OpBuilder &builder, KernelFunction &function,
                                         KernelTarget &target);

/// Creates `@k.extent`. Its body returns the two values that `extent` builds: the number of
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
/// Lowers a kernel that is one te.update whose points write a slice of the base.
mlir::LogicalResult lowerSliceKernel(mlir::OpBuilder &builder, mlir::tssa::te::KernelOp kernel,
                                     mlir::tssa::te::UpdateOp update, const UpdateSlice &slice,
                                     KernelTarget &target);
/// Lowers a kernel that is one te.scan.
mlir::LogicalResult lowerScanKernel(mlir::OpBuilder &builder, mlir::tssa::te::KernelOp kernel,
                                    mlir::tssa::te::ScanOp scan, KernelTarget &target);

/// Returns the buffer of a tensor of type `type` in `memref`. `sizes` are values of the kernel.
/// `values` maps them to the values of the function.
TensorBuffer makeBuffer(mlir::Value memref, mlir::RankedTensorType type,
                        llvm::ArrayRef<mlir::OpFoldResult> sizes, const mlir::IRMapping &values);

/// Returns `sizes` as expressions over the function's values. `values` maps the kernel's values to
/// them.
llvm::SmallVector<mlir::AffineExpr> getSizeExprs(IndexBuilder &index,
                                                 llvm::ArrayRef<mlir::OpFoldResult> sizes,
                                                 const mlir::IRMapping &values);

/// Builds the condition that two buffers do not have the same address.
mlir::Value buildAreDistinct(IndexBuilder &index, const TensorBuffer &lhs, const TensorBuffer &rhs);

/// Returns `sizes` with the kernel's values replaced by the function's, as `values` maps them.
llvm::SmallVector<mlir::OpFoldResult> mapSizes(llvm::ArrayRef<mlir::OpFoldResult> sizes,
                                               const mlir::IRMapping &values);

} // namespace tssa::conversion

#endif // LIB_CONVERSION_KERNELTOLOOPS_KERNELFUNCTION_H

//===- Convolution.h - common parts of all convolutions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_ONNX_CONVOLUTION_H
#define TSSA_LIB_OPERATORS_ONNX_CONVOLUTION_H

#include "lib/Operators/ONNX/Window.h"
#include "tssa/Builder/Contraction.h"

namespace tssa::operators {

/// A convolution of an input [n, group * c, spatial...] with weights [o, c, kernel...]. The
/// result has the shape [n, o, spatial...].
struct Convolution {
  Tensor input, weights;
  int64_t group;
  Windows windows;

  llvm::SmallVector<Size> shape() const;
  /// Returns the input channel that is multiplied with channel `c` of the weights for the
  /// output channel d1.
  mlir::AffineExpr inputChannel(Body &body, mlir::AffineExpr c) const;
};

mlir::FailureOr<Convolution> getConvolution(Builder &builder, const Node &node, const Tensor &input,
                                            const Tensor &weights);

/// Returns the product of the input element at `inputAt` and the weight at `weightsAt`.
/// `inputAt` is in bounds if `guard` holds; else the input element is padding.
using ConvolutionTermFn =
    llvm::function_ref<Scalar(Body &, llvm::ArrayRef<mlir::AffineExpr> inputAt, Guard guard,
                              llvm::ArrayRef<mlir::AffineExpr> weightsAt)>;

/// Sums `term` over the channels and the kernel elements, in this order, and applies `epilogue` to
/// the sum.
mlir::FailureOr<Tensor> convolve(Builder &builder, const Convolution &conv, DType accumulator,
                                 DType result, ConvolutionTermFn term,
                                 EpilogueFn epilogue = nullptr);

/// Requires that `bias` is 1-D with one number per output channel.
mlir::LogicalResult requireBias(Builder &builder, const Tensor &bias, const Size &channels);

/// Reads the element of `tensor` at `at` if `guard` holds, else yields 0. Converts f16 and bf16 to
/// f32.
Scalar readPadded(Body &body, const Tensor &tensor, llvm::ArrayRef<mlir::AffineExpr> at,
                  Guard guard);

/// Requires that each scale and zero point, unless it is null, has the right number of elements:
/// for the input, one; for the weights, one for all of them or one per output channel.
mlir::LogicalResult requireParameters(Builder &builder, const Convolution &conv,
                                      llvm::ArrayRef<Tensor> ofInput,
                                      llvm::ArrayRef<Tensor> ofWeights);

/// Reads an element of a quantised tensor and subtracts its zero point, in i32; yields 0 if `guard`
/// does not hold. `zeroPoint` is null, one number for all elements, or one number per channel.
Scalar readShifted(Body &body, const Tensor &tensor, const Tensor &zeroPoint,
                   llvm::ArrayRef<mlir::AffineExpr> at, Guard guard, mlir::AffineExpr channel);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ONNX_CONVOLUTION_H

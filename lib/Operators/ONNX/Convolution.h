//===- Convolution.h - what all convolutions share -===//
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

/// Input [n, group * c, spatial...] and weights [o, c, kernel...]; result
/// [n, o, spatial...].
struct Convolution {
  Tensor input, weights;
  int64_t group;
  Windows windows;

  llvm::SmallVector<Size> shape() const;
  /// The channel of the input that channel `c` of the weights meets at the output
  /// channel d1.
  mlir::AffineExpr inputChannel(Body &body, mlir::AffineExpr c) const;
};

mlir::FailureOr<Convolution> getConvolution(Builder &builder, const Node &node, const Tensor &input,
                                            const Tensor &weights);

/// The product of an input element, inside of the input where `guard` holds, and an
/// element of the weights.
using ConvolutionTermFn =
    llvm::function_ref<Scalar(Body &, llvm::ArrayRef<mlir::AffineExpr> inputAt, Guard guard,
                              llvm::ArrayRef<mlir::AffineExpr> weightsAt)>;

/// The sum over channels and kernel elements, in that order.
mlir::FailureOr<Tensor> convolve(Builder &builder, const Convolution &conv, DType accumulator,
                                 DType result, ConvolutionTermFn term,
                                 EpilogueFn epilogue = nullptr);

/// A bias is one number per output channel.
mlir::LogicalResult requireBias(Builder &builder, const Tensor &bias, const Size &channels);

/// The element of `tensor` where `guard` holds, else 0; f16 and bf16 as f32.
Scalar readPadded(Body &body, const Tensor &tensor, llvm::ArrayRef<mlir::AffineExpr> at,
                  Guard guard);

/// Scales and zero points, where they are given: one for the input, one for all weights or one
/// per output channel.
mlir::LogicalResult requireParameters(Builder &builder, const Convolution &conv,
                                      llvm::ArrayRef<Tensor> ofInput,
                                      llvm::ArrayRef<Tensor> ofWeights);

/// An element of a quantised tensor minus its zero point, as i32; 0 where `guard`
/// does not hold. A zero point is null, one for all, or one per `channel`.
Scalar readShifted(Body &body, const Tensor &tensor, const Tensor &zeroPoint,
                   llvm::ArrayRef<mlir::AffineExpr> at, Guard guard, mlir::AffineExpr channel);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ONNX_CONVOLUTION_H

//===- Window.h - sliding windows -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_ONNX_WINDOW_H
#define TSSA_LIB_OPERATORS_ONNX_WINDOW_H

#include "tssa/Operators/Node.h"

namespace tssa::operators {

/// One spatial dim of a convolution or pooling: output o and kernel element k meet
/// at input o * stride + k * dilation - padBegin.
struct Window {
  Size input, kernel, output;
  int64_t stride = 1, dilation = 1;
  Size padBegin, padEnd;

  /// Elements of the input that the kernel spans.
  Size extent() const { return (kernel - 1) * dilation + 1; }
  mlir::AffineExpr position(Body &body, mlir::AffineExpr o, mlir::AffineExpr k) const;
  /// Adds what must be >= 0 for `position` to be inside of the input, where that
  /// is not always so.
  void guard(Body &body, mlir::AffineExpr position,
             llvm::SmallVectorImpl<mlir::AffineExpr> &constraints) const;
};

using Windows = std::vector<Window>;

/// The windows over `input` (spatial sizes) from the attributes strides, dilations,
/// pads, auto_pad and, for pooling, ceil_mode.
mlir::FailureOr<Windows> getWindows(Builder &builder, const Node &node, llvm::ArrayRef<Size> input,
                                    llvm::ArrayRef<Size> kernel);

/// An attribute with one integer per spatial dim, at least `least`; 1 by default.
mlir::FailureOr<llvm::SmallVector<int64_t>>
getPerDim(Builder &builder, const Node &node, llvm::StringRef name, size_t rank, int64_t least);

/// The attribute `kernel_shape`; must agree with `weights` (spatial sizes of the
/// weights) if they are given.
mlir::FailureOr<llvm::SmallVector<Size>> getKernel(Builder &builder, const Node &node, size_t rank,
                                                   llvm::ArrayRef<Size> weights = {});

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ONNX_WINDOW_H

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

/// One spatial dim of a convolution or pooling. For output o, kernel element k is applied to
/// the input at o * stride + k * dilation - padBegin.
struct Window {
  Size input, kernel, output;
  int64_t stride = 1, dilation = 1;
  Size padBegin, padEnd;

  /// Returns the number of input elements that the kernel spans.
  Size extent() const { return (kernel - 1) * dilation + 1; }
  mlir::AffineExpr position(Body &body, mlir::AffineExpr o, mlir::AffineExpr k) const;
  /// Adds the expressions that must be >= 0 for `position` to be in the input. Leaves out
  /// expressions that are always >= 0.
  void guard(Body &body, mlir::AffineExpr position,
             llvm::SmallVectorImpl<mlir::AffineExpr> &constraints) const;
};

using Windows = std::vector<Window>;

/// How many windows an input has that is shorter, with its pads, than a window.
enum class ShortInput {
  RoundDown,       ///< what the floor in ONNX's formula gives
  RoundTowardZero, ///< one window if less than a stride is missing, as ONNX Runtime's pools do
};

/// Returns the windows for an input with the spatial sizes `input`. Reads the attributes strides,
/// dilations, pads, auto_pad and, for pooling, ceil_mode.
mlir::FailureOr<Windows> getWindows(Builder &builder, const Node &node, llvm::ArrayRef<Size> input,
                                    llvm::ArrayRef<Size> kernel,
                                    ShortInput shortInput = ShortInput::RoundDown);

/// Reads the attribute `name`, which has one integer per spatial dim, 1 by default. Requires that
/// each integer is at least `least`.
mlir::FailureOr<llvm::SmallVector<int64_t>>
getPerDim(Builder &builder, const Node &node, llvm::StringRef name, size_t rank, int64_t least);

/// Reads the attribute `kernel_shape`. If `weights`, the spatial sizes of the weights, are given,
/// `kernel_shape` must agree with them.
mlir::FailureOr<llvm::SmallVector<Size>> getKernel(Builder &builder, const Node &node, size_t rank,
                                                   llvm::ArrayRef<Size> weights = {});

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ONNX_WINDOW_H

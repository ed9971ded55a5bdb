//===- Shapes.h - requirements on shapes, and splitting -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_BUILDER_SHAPES_H
#define TSSA_BUILDER_SHAPES_H

#include "tssa/Builder/Builder.h"

namespace tssa::operators {

/// Requires that `operand`, called `what` in messages, broadcasts to `shape` without changing it:
/// by an error now or a check at run time. See "unidirectional broadcasting" at
/// https://onnx.ai/onnx/repo-docs/Broadcasting.html.
mlir::LogicalResult requireBroadcast(Builder &builder, const Tensor &operand,
                                     llvm::ArrayRef<Size> shape, llvm::StringRef what);

/// Requires that `data` and `indices` have the same rank and that `indices` is no larger than
/// `data` along each dim but `axis`. This is for operators such as GatherElements, whose indices
/// replace one index of an element of `data`.
mlir::LogicalResult requireInside(Builder &builder, const Tensor &data, const Tensor &indices,
                                  int64_t axis);

/// Returns one size per dim: `values[j]` for dim `axes[j]`, and the size from `otherwise`, which
/// has one per dim, for the other dims. Axes may be negative and may be known only at run time.
mlir::FailureOr<llvm::SmallVector<Size>> spreadByAxes(Builder &builder, llvm::ArrayRef<Size> axes,
                                                      llvm::ArrayRef<Size> values,
                                                      llvm::ArrayRef<Size> otherwise);

/// Splits `x` along `axis` into consecutive parts of the given lengths. Requires, by an error now
/// or a check at run time, that no length is negative and that their sum is the size of the axis.
mlir::FailureOr<Tensors> split(Builder &builder, const Tensor &x, int64_t axis,
                               llvm::ArrayRef<Size> lengths);

} // namespace tssa::operators

#endif // TSSA_BUILDER_SHAPES_H

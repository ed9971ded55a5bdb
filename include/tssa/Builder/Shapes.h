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

/// Requires that `operand` broadcasts to exactly `shape`. Reports an error if it is known not to,
/// else builds a run-time check if it may not. Messages call the operand `what`. See
/// "unidirectional broadcasting" at https://onnx.ai/onnx/repo-docs/Broadcasting.html.
mlir::LogicalResult requireBroadcast(Builder &builder, const Tensor &operand,
                                     llvm::ArrayRef<Size> shape, llvm::StringRef what);

/// Requires that `data` and `indices` have the same rank and that `indices` is no larger than
/// `data` along each dim but `axis`. Operators such as GatherElements need this: they take the
/// position of an index in `indices`, replace its component along `axis` by the index, and use the
/// result as a position in `data`.
mlir::LogicalResult requireInside(Builder &builder, const Tensor &data, const Tensor &indices,
                                  int64_t axis);

/// Returns one size per dim: `values[j]` for dim `axes[j]`, and `otherwise[i]` for any other dim i.
/// Axes may be negative and may be known only at run time.
mlir::FailureOr<llvm::SmallVector<Size>> spreadByAxes(Builder &builder, llvm::ArrayRef<Size> axes,
                                                      llvm::ArrayRef<Size> values,
                                                      llvm::ArrayRef<Size> otherwise);

/// Splits `x` along `axis` into consecutive parts of the given lengths. Requires that no length is
/// negative and that the sum of the lengths is the size of the axis. Reports an error if this is
/// known to be false, and builds run-time checks for what is not known.
mlir::FailureOr<Tensors> split(Builder &builder, const Tensor &x, int64_t axis,
                               llvm::ArrayRef<Size> lengths);

} // namespace tssa::operators

#endif // TSSA_BUILDER_SHAPES_H

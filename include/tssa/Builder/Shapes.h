//===- Shapes.h - what shapes must be, and parts of them -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_BUILDER_SHAPES_H
#define TSSA_BUILDER_SHAPES_H

#include "tssa/Builder/Builder.h"

namespace tssa::operators {

/// An error unless `operand`, called `what`, broadcasts to `shape`, which it does not change; a
/// check when the program runs where that is not known. See "unidirectional broadcasting" at
/// https://onnx.ai/onnx/repo-docs/Broadcasting.html.
mlir::LogicalResult requireBroadcast(Builder &builder, const Tensor &operand,
                                     llvm::ArrayRef<Size> shape, llvm::StringRef what);

/// Of the operators whose indices replace one index of an element of data: both have one rank, and
/// along each dim but `axis` no more indices than data.
mlir::LogicalResult requireInside(Builder &builder, const Tensor &data, const Tensor &indices,
                                  int64_t axis);

/// One size per dim: `values[j]` for dim `axes[j]`, else that of `otherwise`, which has one
/// per dim. Axes may be negative, and known only when the program runs.
mlir::FailureOr<llvm::SmallVector<Size>> spreadByAxes(Builder &builder, llvm::ArrayRef<Size> axes,
                                                      llvm::ArrayRef<Size> values,
                                                      llvm::ArrayRef<Size> otherwise);

/// The parts of `x` along `axis`, of these lengths, one after the other. They must not be negative
/// and their sum must be the size of the axis; what is not known now is checked when the program
/// runs.
mlir::FailureOr<Tensors> split(Builder &builder, const Tensor &x, int64_t axis,
                               llvm::ArrayRef<Size> lengths);

} // namespace tssa::operators

#endif // TSSA_BUILDER_SHAPES_H

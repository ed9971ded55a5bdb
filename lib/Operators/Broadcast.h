//===- Broadcast.h - broadcasting in one direction -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_BROADCAST_H
#define TSSA_LIB_OPERATORS_BROADCAST_H

#include "tssa/Operators/Builder.h"

namespace tssa::operators {

/// An error unless `operand`, called `what`, broadcasts to `shape`, which it does not change; a
/// check when the program runs where that is not known. See "unidirectional broadcasting" at
/// https://onnx.ai/onnx/repo-docs/Broadcasting.html.
mlir::LogicalResult requireBroadcast(Builder &builder, const Tensor &operand,
                                     llvm::ArrayRef<Size> shape, llvm::StringRef what);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_BROADCAST_H

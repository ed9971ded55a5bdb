//===- Split.h - parts of a tensor along an axis -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_SPLIT_H
#define TSSA_LIB_OPERATORS_SPLIT_H

#include "tssa/Operators/Builder.h"

namespace tssa::operators {

/// The parts of `x` along `axis`, of these lengths, one after the other. They must not be negative
/// and their sum must be the size of the axis; what is not known now is checked when the program
/// runs.
mlir::FailureOr<Tensors> split(Builder &builder, const Tensor &x, int64_t axis,
                               llvm::ArrayRef<Size> lengths);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_SPLIT_H

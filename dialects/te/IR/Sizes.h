//===- Sizes.h - sizes of tensors as constants or values -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A size is an OpFoldResult: an IndexAttr if it is constant, else a value of type index. Equal
/// sizes should be the same value. Hence each helper returns a value that already holds the size,
/// if there is one, and builds a `tensor.dim` only as a last resort.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_SIZES_H
#define DIALECTS_TE_IR_SIZES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::tssa::te {

/// Returns the size of dim `dim` of `tensor`. Looks through te ops to their size operands, through
/// kernel parameters to the parameter that holds the size, and through ops that keep the shape.
/// Otherwise builds a `tensor.dim` after the definition of `tensor`.
OpFoldResult getSize(OpBuilder &builder, Location loc, Value tensor, unsigned dim);

/// Like `getSize`, but returns null where `getSize` would build an op.
OpFoldResult findSize(Value tensor, unsigned dim);

/// Returns all sizes of `tensor`; see `getSize`.
SmallVector<OpFoldResult> getSizes(OpBuilder &builder, Location loc, Value tensor);

/// Splits `sizes` into values and static sizes. In `staticSizes`, ShapedType::kDynamic stands for
/// each value. A value that is a constant becomes a static size.
void dispatchSizes(ArrayRef<OpFoldResult> sizes, SmallVectorImpl<int64_t> &staticSizes,
                   SmallVectorImpl<Value> &dynamicSizes);

/// The inverse of `dispatchSizes`.
SmallVector<OpFoldResult> mixSizes(MLIRContext *context, ArrayRef<int64_t> staticSizes,
                                   ValueRange dynamicSizes);

/// Returns the value of `size` if it is a constant.
std::optional<int64_t> getConstantSize(OpFoldResult size);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_SIZES_H

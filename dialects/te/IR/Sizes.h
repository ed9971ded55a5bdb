//===- Sizes.h - sizes of tensors as constants or values -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A size is an OpFoldResult: an IndexAttr when it is known, else a Value of
/// type index. Equal sizes are the same value: every helper returns the value
/// that already stands for the size and makes a `tensor.dim` only as last resort.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_SIZES_H
#define DIALECTS_TE_IR_SIZES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::tssa::te {

/// Size of dim `dim` of `tensor`. Looks through te ops to the size operand they
/// were made with, through kernel parameters to the parameter that holds it, and
/// through shape-preserving ops; otherwise builds `tensor.dim` at the builder.
OpFoldResult getSize(OpBuilder &builder, Location loc, Value tensor, unsigned dim);

/// The same without building anything: null where `getSize` would.
OpFoldResult findSize(Value tensor, unsigned dim);

/// All sizes of `tensor`, as `getSize`.
SmallVector<OpFoldResult> getSizes(OpBuilder &builder, Location loc, Value tensor);

/// Splits sizes into the static array (ShapedType::kDynamic where a value
/// stands) and the values; values that are constants become static.
void dispatchSizes(ArrayRef<OpFoldResult> sizes, SmallVectorImpl<int64_t> &staticSizes,
                   SmallVectorImpl<Value> &dynamicSizes);

/// The inverse of `dispatchSizes`.
SmallVector<OpFoldResult> mixSizes(MLIRContext *context, ArrayRef<int64_t> staticSizes,
                                   ValueRange dynamicSizes);

/// The constant that a size is, if it is one.
std::optional<int64_t> getConstantSize(OpFoldResult size);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_SIZES_H

//===- DType.h - element types with their sign -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_OPERATORS_DTYPE_H
#define TSSA_OPERATORS_DTYPE_H

#include "mlir/IR/BuiltinTypes.h"
#include "tssa/Runtime/Manifest.h"

namespace tssa::operators {

using runtime::DType;
using runtime::getName;

bool isFloat(DType type);
/// Signed or unsigned integers; not bool.
bool isInteger(DType type);
/// Unsigned integers and bool.
bool isUnsigned(DType type);
/// Bits of a value: 1 for bool.
unsigned getBits(DType type);
/// The element type in te: integers lose their sign, bool is i1.
mlir::Type getElementType(mlir::MLIRContext *context, DType type);
/// The type to add up in: f32 for f16 and bf16, else the type itself.
DType getAccumulator(DType type);
/// The type that ONNX numbers so, if it is one of ours.
std::optional<DType> fromONNX(int64_t code);

} // namespace tssa::operators

#endif // TSSA_OPERATORS_DTYPE_H

//===- DType.h - element types with their sign -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_BUILDER_DTYPE_H
#define TSSA_BUILDER_DTYPE_H

#include "mlir/IR/BuiltinTypes.h"
#include "tssa/Runtime/SmallFloat.h"

namespace tssa::operators {

using runtime::DType;
using runtime::getName;
using runtime::isSmallFloat;

/// Any float, small ones too.
bool isFloat(DType type);
/// Signed or unsigned integers; not bool.
bool isInteger(DType type);
/// Unsigned integers and bool.
bool isUnsigned(DType type);
/// Whether a value has less bits than its byte; not bool.
bool isSubByte(DType type);
/// Bits of a value: 1 for bool, 4 for i4.
unsigned getBits(DType type);
/// The element type in te: integers lose their sign, bool is i1. Integers of less than a
/// byte and small floats are i8: what lies below these operators knows nothing of them.
mlir::Type getElementType(mlir::MLIRContext *context, DType type);
/// The type with its sign, as a port of the program has it: `ui8`, `i4`, `f8E4M3FN`, `i1` for bool.
mlir::Type getSignedType(mlir::MLIRContext *context, DType type);
/// The type to add up in: f32 for smaller floats, else the type itself.
DType getAccumulator(DType type);
/// The type that ONNX numbers so, if it is one of ours.
std::optional<DType> fromONNX(int64_t code);
/// The number that ONNX gives to the type.
int64_t toONNX(DType type);

} // namespace tssa::operators

#endif // TSSA_BUILDER_DTYPE_H

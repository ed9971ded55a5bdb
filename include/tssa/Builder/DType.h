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

/// Returns true for all floats, including small ones.
bool isFloat(DType type);
/// Returns true for signed and unsigned integers, but not for bool.
bool isInteger(DType type);
/// Returns true for unsigned integers and bool.
bool isUnsigned(DType type);
/// Returns true for integers of less than 8 bits, but not for bool.
bool isSubByte(DType type);
/// Returns the number of bits of a value: 1 for bool, 4 for i4.
unsigned getBits(DType type);
/// Returns the element type that te uses. Integers become signless, and bool becomes i1. Integers
/// of less than a byte and small floats become i8; only the operators know how i8 encodes them.
mlir::Type getElementType(mlir::MLIRContext *context, DType type);
/// Returns the MLIR type that the signature of a program shows. Unlike the element type in te, it
/// tells unsigned integers, small integers and small floats apart: `ui8`, `i4`, `f8E4M3FN`. Bool is
/// `i1`.
mlir::Type getSignedType(mlir::MLIRContext *context, DType type);
/// Returns the type whose getSignedType is `type`, or nothing.
std::optional<DType> findDType(mlir::Type type);
/// Returns the type in which sums are accumulated: f32 for floats smaller than f32, else `type`.
DType getAccumulator(DType type);
/// Returns the type whose number in ONNX is `code`, or nothing if the type is not supported.
std::optional<DType> fromONNX(int64_t code);
/// Returns the number of `type` in ONNX.
int64_t toONNX(DType type);

} // namespace tssa::operators

#endif // TSSA_BUILDER_DTYPE_H

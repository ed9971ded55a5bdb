//===- BodyScalar.h - elements and sizes as Scalars -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_BUILDER_BODYSCALAR_H
#define TSSA_BUILDER_BODYSCALAR_H

#include "tssa/Builder/Builder.h"
#include "tssa/Builder/Scalar.h"
#include "tssa/Builder/SmallTypes.h"

namespace tssa::operators {

/// Returns the number that the element `value` encodes. A small float becomes an f32.
inline Scalar toScalar(Body &body, mlir::Value value, DType type) {
  Scalar scalar(body.ops, body.loc, value, isUnsigned(type));
  return isSmallFloat(type) ? decodeSmallFloat(scalar, type) : scalar;
}

inline Scalar constantScalar(Body &body, DType type, double number) {
  return toScalar(body, body.constant(type, number), type);
}

/// Reads the element of `tensor` at `at`; converts f16 and bf16 to f32.
inline Scalar readScalar(Body &body, const Tensor &tensor, llvm::ArrayRef<mlir::AffineExpr> at) {
  return widen(toScalar(body, body.read(tensor, at), tensor.dtype()));
}

/// Reads the element at `at` of the 1-D tensor `tensor`.
inline Scalar readScalar(Body &body, const Tensor &tensor, mlir::AffineExpr at) {
  return readScalar(body, tensor, llvm::ArrayRef<mlir::AffineExpr>(at));
}

/// Converts `scalar` to an element of type `type`.
inline mlir::Value toElement(Body &body, const Scalar &scalar, DType type) {
  if (isSmallFloat(type))
    return encodeSmallFloat(scalar, type).getValue();
  if (isSubByte(type))
    return cutToSubByte(scalar, type).getValue();
  return convert(scalar, getElementType(body.ops.getContext(), type), isUnsigned(type)).getValue();
}

/// Converts an index expression to an integer of type `type`.
inline Scalar indexScalar(Body &body, mlir::AffineExpr expr, DType type) {
  return toScalar(body, body.fromIndex(body.index(expr), type), type);
}

/// Returns the result list of an operator with one output.
inline mlir::FailureOr<Tensors> single(mlir::FailureOr<Tensor> tensor) {
  if (mlir::failed(tensor))
    return mlir::failure();
  return Tensors{*tensor};
}

} // namespace tssa::operators

#endif // TSSA_BUILDER_BODYSCALAR_H

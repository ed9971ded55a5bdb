//===- Elementwise.h - operators that are one scalar function -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_ONNX_ELEMENTWISE_H
#define TSSA_LIB_OPERATORS_ONNX_ELEMENTWISE_H

#include "tssa/Builder/Scalar.h"
#include "tssa/Operators/OperatorRow.h"

namespace tssa::operators {

/// Computes an element of the result from elements of the operands. f16 and bf16 operands are
/// converted to f32 first, and the result is rounded once.
using ScalarBody = std::function<Scalar(llvm::ArrayRef<Scalar>)>;
/// Computes a known integer of the result from known integers of the operands. Returns nothing if
/// it cannot be computed while the program is built.
using SizeBody = std::function<std::optional<Size>(llvm::ArrayRef<Size>)>;

/// Reads the attributes of a node and returns a body for them, so that they are read only once.
using MakeBodyFn = ScalarBody (*)(const Node &);
using MakeSizeBodyFn = SizeBody (*)(const Node &);

/// Return bodies that apply `fn`, for operators without attributes.
template <Scalar (*fn)(Scalar)> ScalarBody unary(const Node &) {
  return [](llvm::ArrayRef<Scalar> x) { return fn(x[0]); };
}
template <Scalar (*fn)(Scalar, Scalar)> ScalarBody binary(const Node &) {
  return [](llvm::ArrayRef<Scalar> x) { return fn(x[0], x[1]); };
}

/// Builds `body` over the broadcast operands with a result of type `type`.
mlir::FailureOr<Tensors> buildElementwise(Builder &builder, DType type,
                                          llvm::ArrayRef<Tensor> operands, const ScalarBody &body,
                                          const SizeBody &sizeBody = nullptr);

/// Builds an operator whose result has the type of the first operand.
OperatorFn pointwise(MakeBodyFn makeBody, MakeSizeBodyFn makeSizeBody = nullptr);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ONNX_ELEMENTWISE_H

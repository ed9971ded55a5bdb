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

/// Returns an element of the result for elements of the operands. f16 and bf16 operands are
/// converted to f32 first, and the result is rounded once.
using ScalarBody = std::function<Scalar(llvm::ArrayRef<Scalar>)>;
/// Does so for known integers; returns nothing if the result cannot be computed now.
using SizeBody = std::function<std::optional<Size>(llvm::ArrayRef<Size>)>;

/// Returns a body for the attributes of a node, which are read only once.
using MakeBodyFn = ScalarBody (*)(const Node &);
using MakeSizeBodyFn = SizeBody (*)(const Node &);

/// Body factories for functions without attributes.
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

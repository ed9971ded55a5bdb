//===- Quantization.h - integers that stand for scaled numbers -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_ONNX_QUANTIZATION_H
#define TSSA_LIB_OPERATORS_ONNX_QUANTIZATION_H

#include "tssa/Builder/Contraction.h"

namespace tssa::operators {

/// The nearest integer of type `type` to `quotient` + `zero`, or the nearest small float.
mlir::Value quantize(Body &body, const Scalar &quotient, const std::optional<Scalar> &zero,
                     DType type, bool saturates = true);

/// A scale or zero point: one for all, or one per `index`, which is null where there is one.
Scalar readScale(Body &body, const Tensor &scale, mlir::AffineExpr index);

/// Checks that a 1-D scale or zero point has one element for all or one for each of `count`; a
/// null one and one of another rank are fine.
mlir::LogicalResult requireOneOrEach(Builder &builder, const Tensor &parameter, const Size &count);

/// Refuses scales and zero points of rank 2 or more; null ones are fine.
mlir::LogicalResult requireSimple(Builder &builder, llvm::ArrayRef<Tensor> parameters);

/// A matrix product in i32 of integers less their zero points: none, one for all, or one per
/// row of the left and column of the right operand.
MatMulOptions getIntegerMatMul(const Tensor &aZero, const Tensor &bZero);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ONNX_QUANTIZATION_H

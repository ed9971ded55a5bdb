//===- Quantization.h - quantised elements -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_ONNX_QUANTIZATION_H
#define TSSA_LIB_OPERATORS_ONNX_QUANTIZATION_H

#include "tssa/Builder/Contraction.h"

namespace tssa::operators {

/// Rounds `quotient` + `zero` to the nearest integer or small float of type `type`.
mlir::Value quantize(Body &body, const Scalar &quotient, const std::optional<Scalar> &zero,
                     DType type, bool saturates = true);

/// Reads a scale or zero point that is one for all elements, or one per `index`. `index` may be
/// null in the first case.
Scalar readScale(Body &body, const Tensor &scale, mlir::AffineExpr index);

/// Requires that a 1-D scale or zero point has one element or `count` elements. Accepts null
/// parameters and parameters of another rank.
mlir::LogicalResult requireOneOrEach(Builder &builder, const Tensor &parameter, const Size &count);

/// Refuses scales and zero points of rank 2 or more; accepts null parameters.
mlir::LogicalResult requireSimple(Builder &builder, llvm::ArrayRef<Tensor> parameters);

/// Returns the options of a matrix product in i32 of integers minus their zero points. A zero
/// point is null, one for all elements, or one per row of the left operand and per column of
/// the right one.
MatMulOptions getIntegerMatMul(const Tensor &aZero, const Tensor &bZero);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ONNX_QUANTIZATION_H

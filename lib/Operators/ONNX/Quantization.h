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

/// A tensor of u8 with one scale and one zero point.
struct Quantized {
  Tensor elements, scale, zero;
};

/// Quantises `x` to u8. The scale is chosen so that 0, the least and the greatest element of `x`
/// are in range.
mlir::FailureOr<Quantized> quantizeByRange(Builder &builder, const Tensor &x);

/// Reads a scale or zero point that is one number, or one number per index. If it is one number,
/// `index` may be null.
Scalar readScale(Body &body, const Tensor &scale, mlir::AffineExpr index);

/// Requires that a 1-D scale or zero point has one element or `count` elements. Accepts null
/// parameters and parameters of another rank.
mlir::LogicalResult requireOneOrEach(Builder &builder, const Tensor &parameter, const Size &count);

/// Refuses scales and zero points of rank 2 or more that have several elements. Accepts null
/// parameters.
mlir::LogicalResult requireSimple(Builder &builder, llvm::ArrayRef<Tensor> parameters);

/// Returns the options of a matrix product of integers. The zero points are subtracted from the
/// operands, and the product is computed in i32. Each zero point is null, one number, or one number
/// per row of the left or per column of the right operand.
MatMulOptions getIntegerMatMul(const Tensor &aZero, const Tensor &bZero);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ONNX_QUANTIZATION_H

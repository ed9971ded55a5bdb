//===- Rows.h - inputs and weights as rows of features -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_ML_ROWS_H
#define TSSA_LIB_OPERATORS_ML_ROWS_H

#include "tssa/Operators/Node.h"

namespace tssa::operators {

/// Returns `x` as f32 [rows, features]. An `x` of rank 1 is one row.
mlir::FailureOr<Tensor> getRows(Builder &builder, const Tensor &x);

/// Returns `values` as a matrix [rows, features] with as many features as `x`. Messages call the
/// matrix `name`.
mlir::FailureOr<Tensor> makeMatrix(Builder &builder, const Tensor &x, llvm::ArrayRef<double> values,
                                   int64_t rows, llvm::StringRef name);

/// Returns the matrix product of `x` and the transpose of `m`.
mlir::FailureOr<Tensor> multiplyRows(Builder &builder, const Tensor &x, const Tensor &m);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ML_ROWS_H

//===- FourierSteps.h - Fourier transforms as matrix products -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A transform of length N = A B is two products with small matrices of roots of unity, a
/// rotation in between. With n = a B + b and k = c + A d, and w(N) = e^(sign 2 pi i / N):
///
///   X[c + A d] = sum_b  w(B)^(b d)  *  w(N)^(b c)  *  sum_a  x[a B + b] w(A)^(a c)
///
/// A + B products for each element in place of N; a length that is short is one product.
/// Real and imaginary parts are apart in between, so that vectors are whole. All in f64.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_ONNX_FOURIERSTEPS_H
#define TSSA_LIB_OPERATORS_ONNX_FOURIERSTEPS_H

#include "tssa/Builder/BodyScalar.h"
#include "tssa/Builder/Builder.h"

namespace tssa::operators {

/// Reads part `part` of element `n` of a signal that starts at a point of the dims before and
/// after the one transformed, as f64.
using SignalFn =
    llvm::function_ref<Scalar(Body &, llvm::ArrayRef<mlir::AffineExpr> before, mlir::AffineExpr n,
                              llvm::ArrayRef<mlir::AffineExpr> after, mlir::AffineExpr part)>;

struct FourierSteps {
  llvm::SmallVector<Size> before, after; ///< dims around the one that is transformed
  int64_t length;
  Size outputs;     ///< that many of the results, from the first one
  int64_t parts;    ///< of the signal: 1 for real numbers, 2 for complex ones
  double sign;      ///< of the exponent
  double scale = 1; ///< of the results
  DType type;       ///< of the results
};

/// Whether a length splits into factors of which matrices can be made.
bool hasFourierSteps(int64_t length);

/// [before, outputs, after, 2]
mlir::FailureOr<Tensor> transformInSteps(Builder &builder, const FourierSteps &steps,
                                         SignalFn signal);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ONNX_FOURIERSTEPS_H

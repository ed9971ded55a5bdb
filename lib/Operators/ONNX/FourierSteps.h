//===- FourierSteps.h - Fourier transforms as matrix products -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A Fourier transform of length N = A B is computed as two products with small matrices of
/// roots of unity, with a multiplication by twiddle factors in between. With n = a B + b,
/// k = c + A d and w(N) = e^(sign 2 pi i / N):
///
///   X[c + A d] = sum_b  w(B)^(b d)  *  w(N)^(b c)  *  sum_a  x[a B + b] w(A)^(a c)
///
/// This takes A + B instead of N multiplications per element. A transform of a short length is one
/// matrix product. Intermediate results keep real and imaginary parts in separate dims, so that
/// vectors are contiguous. All computations are in f64.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_ONNX_FOURIERSTEPS_H
#define TSSA_LIB_OPERATORS_ONNX_FOURIERSTEPS_H

#include "tssa/Builder/BodyScalar.h"
#include "tssa/Builder/Builder.h"

namespace tssa::operators {

/// Reads, as f64, part `part` (real or imaginary) of element `n` along the transformed dim.
/// `before` and `after` are the indexes along the dims before and after the transformed dim.
using SignalFn =
    llvm::function_ref<Scalar(Body &, llvm::ArrayRef<mlir::AffineExpr> before, mlir::AffineExpr n,
                              llvm::ArrayRef<mlir::AffineExpr> after, mlir::AffineExpr part)>;

struct FourierSteps {
  llvm::SmallVector<Size> before, after; ///< dims before and after the transformed dim
  int64_t length;
  Size outputs;            ///< only the first `outputs` results are computed
  int64_t parts;           ///< of the signal: 1 for real numbers, 2 for complex ones
  double sign;             ///< of the exponent
  double scale = 1;        ///< of the results
  DType type;              ///< of the results
  int64_t resultParts = 2; ///< 1 if only the real parts are computed
  std::optional<int64_t> terms = std::nullopt; ///< the signal is 0 from this element on
};

/// Returns whether `length` has factors that are small enough for matrices.
bool hasFourierSteps(int64_t length);

/// Builds the transform. The result has the shape [before, outputs, after, resultParts].
mlir::FailureOr<Tensor> transformInSteps(Builder &builder, const FourierSteps &steps,
                                         SignalFn signal);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_ONNX_FOURIERSTEPS_H

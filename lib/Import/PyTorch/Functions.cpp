//===- Functions.cpp - rows of functions of real numbers -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Import/PyTorch/Elementwise.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace tssa::pytorch {
namespace {

/// Applies a unary op of the math dialect.
template <typename Op> Scalar apply(Scalars x) {
  return x[0].with(Op::create(x[0].getBuilder(), x[0].getLoc(), x[0].getValue()));
}

Scalar expOf(Scalars x) { return exp(x[0]); }
Scalar logOf(Scalars x) { return log(x[0]); }
Scalar log1pOf(Scalars x) { return log1p(x[0]); }
Scalar log2Of(Scalars x) { return log(x[0]) * 1.4426950408889634; }
Scalar sqrtOf(Scalars x) { return sqrt(x[0]); }
Scalar rsqrtOf(Scalars x) { return 1.0 / sqrt(x[0]); }
Scalar sinOf(Scalars x) { return sin(x[0]); }
Scalar cosOf(Scalars x) { return cos(x[0]); }
Scalar tanhOf(Scalars x) { return tanh(x[0]); }
Scalar erfOf(Scalars x) { return erf(x[0]); }
Scalar sigmoidOf(Scalars x) { return sigmoid(x[0]); }
Scalar siluOf(Scalars x) { return x[0] * sigmoid(x[0]); }

Scalar atan2Of(Scalars x) {
  return x[0].with(
      math::Atan2Op::create(x[0].getBuilder(), x[0].getLoc(), x[0].getValue(), x[1].getValue()));
}
/// Returns the root of the sum of squares, scaled by the larger operand so that no square
/// overflows.
Scalar hypotOf(Scalars x) {
  Scalar a = abs(x[0]), b = abs(x[1]);
  Scalar large = max(a, b), ratio = min(a, b) / large;
  Scalar length = large * sqrt(ratio * ratio + 1.0);
  double infinity = std::numeric_limits<double>::infinity();
  Scalar isInfinite = (a == infinity) | (b == infinity);
  return select(isInfinite, infinity, select(large == 0.0, 0.0, length));
}

const Row rows[] = {
    {"exp", "-", Rule::ToFloat, 1, 0, expOf},
    {"expm1", "-", Rule::ToFloat, 1, 0, apply<math::ExpM1Op>},
    {"log", "-", Rule::ToFloat, 1, 0, logOf},
    {"log1p", "-", Rule::ToFloat, 1, 0, log1pOf},
    {"log2", "-", Rule::ToFloat, 1, 0, log2Of},
    {"sqrt", "-", Rule::ToFloat, 1, 0, sqrtOf},
    {"rsqrt", "-", Rule::ToFloat, 1, 0, rsqrtOf},
    {"sin", "-", Rule::ToFloat, 1, 0, sinOf},
    {"cos", "-", Rule::ToFloat, 1, 0, cosOf},
    {"exp2", "-", Rule::ToFloat, 1, 0, apply<math::Exp2Op>},
    {"log10", "-", Rule::ToFloat, 1, 0, apply<math::Log10Op>},
    {"tan", "-", Rule::ToFloat, 1, 0, apply<math::TanOp>},
    {"asin", "-", Rule::ToFloat, 1, 0, apply<math::AsinOp>},
    {"acos", "-", Rule::ToFloat, 1, 0, apply<math::AcosOp>},
    {"atan", "-", Rule::ToFloat, 1, 0, apply<math::AtanOp>},
    {"sinh", "-", Rule::ToFloat, 1, 0, apply<math::SinhOp>},
    {"cosh", "-", Rule::ToFloat, 1, 0, apply<math::CoshOp>},
    {"asinh", "-", Rule::ToFloat, 1, 0, apply<math::AsinhOp>},
    {"acosh", "-", Rule::ToFloat, 1, 0, apply<math::AcoshOp>},
    {"atanh", "-", Rule::ToFloat, 1, 0, apply<math::AtanhOp>},
    {"erfc", "-", Rule::ToFloat, 1, 0, apply<math::ErfcOp>},
    {"atan2", "-", Rule::ToFloat, 2, 0, atan2Of},
    {"hypot", "-", Rule::FloatOnly, 2, 0, hypotOf},
    {"tanh", "-", Rule::ToFloat, 1, 0, tanhOf},
    {"erf", "-", Rule::ToFloat, 1, 0, erfOf},
    {"sigmoid", "-", Rule::ToFloat, 1, 0, sigmoidOf},
    {"silu", "-", Rule::FloatOnly, 1, 0, siluOf},
};

} // namespace

llvm::ArrayRef<Row> getFunctions() { return rows; }

} // namespace tssa::pytorch

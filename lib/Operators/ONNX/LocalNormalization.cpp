//===- LocalNormalization.cpp - LRN and LpNormalization -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "lib/Operators/ONNX/Reduction.h"

using namespace mlir;

namespace tssa::operators {

/// Builds x / (bias + alpha / size * (sum of squares over `size` channels))^beta.
static FailureOr<Tensors> buildLRN(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0];
  int64_t size = node.getInt("size", 1);
  if (x.rank() < 2 || size < 1)
    return builder.error("expected an input with channels and a size of at least 1, got " +
                         Twine(x.str()) + " and " + Twine(size));
  double alpha = node.getFloat("alpha", 1e-4), beta = node.getFloat("beta", 0.75);
  double bias = node.getFloat("bias", 1);
  DType wide = getAccumulator(x.dtype());
  ReducedDims reduced(x.rank());
  unsigned slot = reduced.add(size);
  TypedAttr zero = builder.ops.getZeroAttr(getElementType(builder.context(), x.dtype()));
  auto term = [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, x.rank());
    at[1] = at[1] + reduced.expr(body, slot) - (size - 1) / 2;
    AffineExpr guard[] = {at[1], body.size(x.dim(1)) - 1 - at[1]};
    Scalar element = widen(toScalar(body, body.read(x, at, guard, zero), x.dtype()));
    return element * element;
  };
  return single(
      sum(builder, wide, x.dtype(), x.shape(), reduced, term, [&](Body &body, Scalar total) {
        Scalar base = bias + total * (alpha / size);
        Scalar element = readScalar(body, x, body.dims(0, x.rank()));
        return element / power(base, base.constant(beta));
      }));
}

static FailureOr<Tensors> buildLpNormalization(Builder &builder, const Node &node) {
  const Tensor &x = node.inputs[0];
  FailureOr<int64_t> axis = builder.normalizeAxis(node.getInt("axis", -1), x.rank());
  if (failed(axis))
    return failure();
  FailureOr<Tensor> norm =
      reduceAxes(builder, x, *axis, /*keepDims=*/true, normReduction(node.getInt("p", 2)));
  if (failed(norm))
    return failure();
  return single(builder.compute(x.dtype(), x.shape(), [&](Body &body) {
    SmallVector<AffineExpr> at = body.dims(0, x.rank());
    Scalar element = readScalar(body, x, at);
    at[*axis] = body.constantExpr(0);
    Scalar divisor = readScalar(body, *norm, at);
    return toElement(body, select(divisor == 0.0, 0.0, element / divisor), x.dtype());
  }));
}

OperatorRows getLocalNormalizationRows() {
  return {
      {"LRN", buildLRN},
      {"LpNormalization", buildLpNormalization},
  };
}

} // namespace tssa::operators
